#!/usr/bin/env python3
"""What scripts offer besides tools: resources, prompts, completions, and questions to the client."""

import asyncio

import support
from support import gibbous

NOTES = support.ROOT / 'examples' / 'notes'
YES = {'action': 'accept', 'content': {'choice': 'replace'}}


def noting(text):
    return {'day': 'monday', 'text': text}


class Offers(support.Case):
    async def noted(self, **changed):
        """A runtime with the tools of the example, and a note for Monday."""
        rt = await self.started(scripts_dir=NOTES, toolsets=['notes'], **changed)
        await rt.call('note_write', noting('one'))
        return rt

    async def read(self, rt):
        return (await rt.read_resource('notes://monday'))[0]['text']

    async def test_resources_prompts_and_completions(self):
        rt = await self.noted()
        self.assertEqual([each['uriTemplate'] for each in rt.resources()], ['notes://{day}'])
        self.assertEqual([each['name'] for each in rt.prompts()], ['plan'])
        self.assertEqual(await self.read(rt), 'one')
        prompt = await rt.get_prompt('plan', {'day': 'monday'})
        self.assertEqual(len(prompt['messages']), 2)
        self.assertEqual(await rt.complete('day', 't', prompt='plan'), ['tuesday', 'thursday'])
        self.assertEqual(await rt.complete('day', 'f', template='notes://{day}'), ['friday'])

    async def test_what_is_not_there_is_an_error_with_its_code(self):
        rt = await self.noted()
        for wanted, code in ((rt.read_resource('notes://friday'), 'resource_not_found'),
                             (rt.get_prompt('plans'), 'unknown_prompt')):
            with self.assertRaises(gibbous.ToolError) as caught:
                await wanted
            self.assertEqual(caught.exception.code, code)
        with self.assertRaisesRegex(gibbous.InvalidArgument, 'either a prompt or a template'):
            await rt.complete('day', 't')

    async def test_what_a_script_asks_is_answered_by_the_handler(self):
        inputs: list[gibbous.Input] = []
        rt = await self.noted()

        @rt.on_input
        async def answer(wanted):
            inputs.append(wanted)
            return YES

        self.assertTrue((await rt.call('note_write', noting('two'))).ok)
        self.assertEqual(await self.read(rt), 'two')
        self.assertEqual(inputs[0].kind, 'elicitation')
        self.assertIn('monday', inputs[0].params['message'])
        self.assertGreater(inputs[0].call, 0)

    async def test_a_handler_without_async_answers_too(self):
        rt = await self.noted(on_input=lambda wanted: YES)
        self.assertTrue((await rt.call('note_write', noting('two'))).ok)

    async def test_without_an_answer_the_script_goes_on_with_an_error(self):
        caught = self.catch_loop_errors()

        def fails(wanted):
            raise RuntimeError('out of order')

        for handler in (None, lambda wanted: None, lambda wanted: 'yes', fails):
            rt = await self.noted(on_input=handler, state_dir=self.base / f'state{id(handler)}')
            self.assertFalse((await rt.call('note_write', noting('two'), check=False)).ok)
            self.assertEqual(await self.read(rt), 'one')
        self.assertEqual(len(caught), 2)

    async def test_a_handler_is_cancelled_with_its_call(self):
        asked, cancelled = asyncio.Event(), asyncio.Event()

        async def waits(wanted):
            asked.set()
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                cancelled.set()
                raise

        rt = await self.noted(on_input=waits)
        call = asyncio.ensure_future(rt.call('note_write', noting('two')))
        await asked.wait()
        call.cancel()
        await cancelled.wait()

    async def test_closing_cancels_a_handler(self):
        asked, cancelled = asyncio.Event(), asyncio.Event()

        async def waits(wanted):
            asked.set()
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                cancelled.set()
                raise

        rt = await self.noted(on_input=waits)
        call = asyncio.ensure_future(rt.call('note_write', noting('two'), check=False))
        await asked.wait()
        await rt.close()
        await cancelled.wait()
        self.assertFalse((await call).ok)

    async def test_a_handler_that_is_none_is_refused(self):
        with self.assertRaisesRegex(gibbous.InvalidArgument, 'on_input'):
            self.runtime().on_input(None)


class SyncOffers(support.TempDirs):
    def runtime(self, **changed):
        rt = gibbous.SyncRuntime(**self.options(scripts_dir=NOTES, toolsets=['notes'], **changed))
        self.addCleanup(rt.close)
        return rt

    def test_resources_prompts_and_completions(self):
        rt = self.runtime()
        rt.call('note_write', noting('one'))
        self.assertEqual([each['uriTemplate'] for each in rt.resources()], ['notes://{day}'])
        self.assertEqual([each['name'] for each in rt.prompts()], ['plan'])
        self.assertEqual(rt.read_resource('notes://monday')[0]['text'], 'one')
        self.assertEqual(len(rt.get_prompt('plan', {'day': 'monday'})['messages']), 2)
        self.assertEqual(rt.complete('day', 'sa', prompt='plan'), ['saturday'])

    def test_what_a_script_asks(self):
        for handler, text in ((lambda wanted: YES, 'two'), (lambda wanted: None, 'one'), (None, 'one')):
            with self.subTest(text=text, handler=handler):
                rt = self.runtime(on_input=handler, state_dir=self.base / f'state{id(handler)}')
                rt.call('note_write', noting('one'))
                rt.call('note_write', noting('two'), check=False)
                self.assertEqual(rt.read_resource('notes://monday')[0]['text'], text)

    def test_an_async_handler_is_refused(self):
        async def answer(wanted):
            return YES

        with self.assertRaisesRegex(gibbous.InvalidArgument, 'on_input'):
            gibbous.SyncRuntime(**self.options(on_input=answer))


if __name__ == '__main__':
    support.main()
