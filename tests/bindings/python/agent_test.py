#!/usr/bin/env python3
"""gibbous.agent with scripted models of both shapes, which mend a broken build by real commands."""

import asyncio
import json

import support
from support import gibbous

MAKEFILE = 'all: program\n\nprogram:\n\techo "built" > program\n\tmissing_command\n'
UNTIL_EXIT = {'exit': True}


class Scripted:
    """A model whose turns are given: a list of calls each, or its last words."""

    def __init__(self, turns):
        self.turns = list(turns)
        self.seen = []  # the texts of the results that it was told, a list for each turn
        self.tools = []
        self.errors = []

    def next_turn(self, messages, tools):
        self.tools = tools
        turn = self.turns.pop(0)
        return turn(self) if callable(turn) else turn


class OpenAi(Scripted):
    shape = 'openai'

    async def __call__(self, messages, tools):
        told = [message for message in messages if message['role'] == 'tool']
        self.seen = [message['content'] for message in told]
        assert all(message['tool_call_id'] == f'call_{index}' for index, message in enumerate(told))
        turn = self.next_turn(messages, tools)
        if isinstance(turn, str):
            return {'choices': [{'message': {'role': 'assistant', 'content': turn}}]}
        calls = [{'id': f'call_{len(told) + index}', 'type': 'function',
                  'function': {'name': name, 'arguments': given if isinstance(given, str) else json.dumps(given)}}
                 for index, (name, given) in enumerate(turn)]
        return {'choices': [{'message': {'role': 'assistant', 'content': None, 'tool_calls': calls}}]}

    def tool_names(self):
        return [each['function']['name'] for each in self.tools]


class Anthropic(Scripted):
    shape = 'anthropic'

    def __call__(self, messages, tools):
        told = [block for message in messages if message['role'] == 'user' and isinstance(message['content'], list)
                for block in message['content']]
        self.seen = [block['content'] for block in told]
        self.errors = [block.get('is_error', False) for block in told]
        assert all(block['tool_use_id'] == f'use_{index}' for index, block in enumerate(told))
        turn = self.next_turn(messages, tools)
        if isinstance(turn, str):
            return {'content': [{'type': 'text', 'text': turn}], 'stop_reason': 'end_turn'}
        calls = [{'type': 'tool_use', 'id': f'use_{len(told) + index}', 'name': name, 'input': given}
                 for index, (name, given) in enumerate(turn)]
        return {'content': [{'type': 'text', 'text': 'I try.'}, *calls], 'stop_reason': 'tool_use'}

    def tool_names(self):
        return [each['name'] for each in self.tools]


def run_call(command):
    return ('bg_start', {'command': command, 'until': UNTIL_EXIT})


def mends_the_build(model):
    """The turn of a model that has read why the build fails."""
    assert any('missing_command' in text for text in model.seen), model.seen
    return [run_call("sed -i '/missing_command/d' Makefile")]


class Conversations(support.Case):
    async def test_a_model_of_either_shape_mends_a_build(self):
        for model_class in (OpenAi, Anthropic):
            with self.subTest(model_class.shape):
                (self.workspace / 'Makefile').write_text(MAKEFILE)
                (self.workspace / 'program').unlink(missing_ok=True)
                model = model_class([[run_call('make'), run_call('cat Makefile')], mends_the_build,
                                     [run_call('make -B')], 'The build works.'])
                async with self.runtime() as rt:
                    end = await gibbous.agent.run(rt, model, 'Mend the build.', shape=model.shape)
                self.assertEqual((end.text, end.turns, end.stopped), ('The build works.', 4, 'answer'))
                self.assertEqual((self.workspace / 'program').read_text(), 'built\n')
                self.assertNotIn('missing_command', (self.workspace / 'Makefile').read_text())
                self.assertIn('exit 0', model.seen[-1])
                self.assertIn('bg_start', model.tool_names())
                self.assertEqual(end.messages[0], {'role': 'user', 'content': 'Mend the build.'})

    async def test_calls_of_one_turn_go_on_at_once(self):
        rt = await self.started()
        waiting = asyncio.Barrier(3)

        @rt.tool(permission='read')
        async def meet() -> str:
            """Waits for two others."""
            await waiting.wait()
            return 'met'

        model = OpenAi([[('meet', {})] * 3, 'done'])
        await gibbous.agent.run(rt, model, 'Meet.')
        self.assertEqual(model.seen, ['met'] * 3)

    async def test_what_has_happened_meanwhile_is_told_with_a_result(self):
        rt = await self.started()
        ends = rt.events('run_ended')

        @rt.tool(permission='read')
        async def rest() -> str:
            """Waits for the end of a run."""
            await anext(ends)
            return 'rested'

        model = OpenAi([[('bg_start', {'command': 'exit 9', 'label': 'nine'})], [('rest', {})], 'done'])
        await gibbous.agent.run(rt, model, 'Rest.')
        told = [line for text in model.seen for line in text.splitlines() if line.startswith('[event] ')]
        self.assertEqual([json.loads(line.removeprefix('[event] '))['exit_code'] for line in told], [9])

    async def test_a_call_that_fails_is_told_and_the_conversation_goes_on(self):
        rt = await self.started()
        model = Anthropic([[('no_such_tool', {}), ('bg_start', {'command': 7}), ('bg_status', {})], 'done'])
        await gibbous.agent.run(rt, model, 'Try.', shape='anthropic')
        self.assertRegex(model.seen[0], '^unknown_tool')
        self.assertRegex(model.seen[1], '^invalid_arguments: .*command')
        self.assertEqual(model.errors, [True, True, False])

    async def test_arguments_that_are_no_json_object_are_told(self):
        rt = await self.started()
        model = OpenAi([[('bg_status', '{"id": '), ('bg_status', '[1]'), ('bg_status', '{"id": "\\ud800"}'),
                         ('bg_status', '')], 'done'])
        await gibbous.agent.run(rt, model, 'Try.')
        for text in model.seen[:3]:
            self.assertRegex(text, '^invalid_arguments')
        self.assertNotIn('invalid_arguments', model.seen[3])

    async def test_it_ends_after_max_turns(self):
        rt = await self.started()
        end = await gibbous.agent.run(rt, OpenAi([[('bg_status', {})]] * 5), 'Go on.', max_turns=2)
        self.assertEqual((end.turns, end.stopped), (2, 'max_turns'))
        self.assertEqual(end.messages[-1]['role'], 'tool')

    async def test_a_conversation_can_be_continued(self):
        rt = await self.started()
        first = await gibbous.agent.run(rt, OpenAi(['one']), 'First.')
        seen = []
        second = await gibbous.agent.run(rt, OpenAi(['two']), [*first.messages, {'role': 'user', 'content': 'Second.'}],
                                         on_message=seen.append)
        self.assertEqual([message['content'] for message in second.messages], ['First.', 'one', 'Second.', 'two'])
        self.assertEqual(seen, second.messages[-1:])


class Wrong(support.Case):
    async def test_a_response_of_another_shape_is_named(self):
        rt = await self.started()
        for response, named in [
            ('words', 'response: expected a dict'), ({}, 'response.choices: expected a list'),
            ({'choices': []}, 'at least one'), ({'choices': [{}]}, r'choices\[0\].message: expected a dict'),
            ({'choices': [{'message': {'tool_calls': [{'id': 'a'}]}}]}, r'tool_calls\[0\].function: expected a dict'),
        ]:
            with self.subTest(named), self.assertRaisesRegex(ValueError, named):
                await gibbous.agent.run(rt, lambda messages, tools: response, 'Hi.')
        with self.assertRaisesRegex(ValueError, r'response.content\[0\].input: expected a dict'):
            block = {'type': 'tool_use', 'id': 'a', 'name': 'b'}
            await gibbous.agent.run(rt, lambda messages, tools: {'content': [block]}, 'Hi.', shape='anthropic')

    async def test_what_the_model_raises_comes_out(self):
        rt = await self.started()

        def broken(messages, tools):
            raise ZeroDivisionError

        with self.assertRaises(ZeroDivisionError):
            await gibbous.agent.run(rt, broken, 'Hi.')

    async def test_wrong_arguments_are_named(self):
        rt = await self.started()
        with self.assertRaisesRegex(gibbous.InvalidArgument, 'shape: expected openai or anthropic'):
            await gibbous.agent.run(rt, OpenAi([]), 'Hi.', shape='other')
        with self.assertRaisesRegex(gibbous.InvalidArgument, 'max_turns: expected 1 or more'):
            await gibbous.agent.run(rt, OpenAi([]), 'Hi.', max_turns=0)

    async def test_cancelling_it_cancels_its_calls(self):
        rt = await self.started()
        events = rt.events('run_started')
        task = asyncio.create_task(gibbous.agent.run(rt, OpenAi([[run_call('sleep 60')]]), 'Wait.'))
        pid = (await anext(events)).data['pid']
        task.cancel()
        with self.assertRaises(asyncio.CancelledError):
            await task
        support.wait_for_end(pid)

    async def test_closing_in_the_middle_ends_it(self):
        rt = await self.started()
        events = rt.events('run_started')
        task = asyncio.create_task(gibbous.agent.run(rt, OpenAi([[run_call('sleep 60')], 'done']), 'Wait.'))
        await anext(events)
        await rt.close()
        with self.assertRaises(gibbous.ClosedError):
            await task


if __name__ == '__main__':
    support.main()
