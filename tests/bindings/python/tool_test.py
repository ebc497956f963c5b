#!/usr/bin/env python3
"""Tools of a Python program: they are listed, called, answered, cancelled and removed."""

import asyncio
import dataclasses
import enum
import threading
from typing import Annotated, Literal, TypedDict

import support
from support import gibbous


class Colour(enum.Enum):
    RED = 'red'
    BLUE = 'blue'


@dataclasses.dataclass
class Point:
    x: int
    y: int = 0


class Place(TypedDict):
    path: str
    line: int


@gibbous.tool(permission='read')
def draw(points: list[Point], colour: Colour = Colour.RED, scale: float | None = None,
         style: Annotated[Literal['solid', 'dashed'], 'how it looks'] = 'solid') -> str:
    """Draws."""
    return repr((points, colour, scale, style))


class Calls(support.Case):
    async def test_a_tool_is_listed_in_every_format(self):
        rt = await self.started(tools=[draw])
        mcp = next(each for each in rt.tools('mcp') if each['name'] == 'draw')
        self.assertEqual(mcp['inputSchema']['properties']['colour']['enum'], ['red', 'blue'])
        self.assertIn('draw', [each['function']['name'] for each in rt.tools('openai')])
        self.assertIn('draw', [each['name'] for each in rt.tools('anthropic')])
        with self.assertRaisesRegex(gibbous.InvalidArgument, 'format: expected mcp, openai, .* anthropic or gemini'):
            rt.tools('yaml')

    async def test_arguments_arrive_as_the_types_of_the_hints(self):
        rt = await self.started(tools=[draw])
        result = await rt.call('draw', points=[{'x': 1}, {'x': 2, 'y': 3}], colour='blue', scale=2)
        self.assertEqual(result.text, repr(([Point(1, 0), Point(2, 3)], Colour.BLUE, 2.0, 'solid')))
        result = await rt.call('draw', points=[])
        self.assertEqual(result.text, repr(([], Colour.RED, None, 'solid')))

    async def test_arguments_that_do_not_fit_the_hints_are_refused_before_the_function(self):
        rt = await self.started(tools=[draw])
        for wrong, named in [({'points': [{'y': 1}]}, 'x'), ({'points': [], 'colour': 'green'}, 'colour'),
                             ({'points': [], 'more': 1}, 'more'), ({}, 'points')]:
            with self.assertRaisesRegex(gibbous.ToolError, f'invalid_arguments: .*{named}'):
                await rt.call('draw', wrong)

    async def test_what_is_returned_becomes_text_and_data(self):
        rt = await self.started()
        for returned, text, data in [
            ('words', 'words', {}), (None, '', {}), ({'a': 1}, '{"a": 1}', {'a': 1}), ([1, 2], '[1, 2]', {}),
            (Point(1, 2), '{"x": 1, "y": 2}', {'x': 1, 'y': 2}), (7, '7', {}),
            (gibbous.Reply('words', {'a': 1}), 'words', {'a': 1}), (gibbous.Reply('words'), 'words', {}),
        ]:
            tool = gibbous.tool(name='give', description='Gives it.', permission='read')(lambda: returned)
            rt.add_tool(tool)
            result = await rt.call('give')
            self.assertEqual((result.text, result.data), (text, data))
            rt.remove_tool('give')

    async def test_a_typed_dict_is_returned_with_its_schema(self):
        rt = await self.started()

        @rt.tool(permission='read')
        async def where() -> Place:
            """Says where."""
            return {'path': 'a.c', 'line': 3}

        self.assertEqual((await rt.call('where')).data, {'path': 'a.c', 'line': 3})
        listed = next(each for each in rt.tools() if each['name'] == 'where')
        self.assertEqual(set(listed['outputSchema']['required']), {'path', 'line'})

    async def test_a_sync_function_does_not_hold_up_the_loop(self):
        rt = await self.started()
        go_on = threading.Event()

        @rt.tool(permission='read')
        def wait() -> str:
            """Waits for the loop."""
            return 'went on' if go_on.wait(support.LIMIT_S) else 'stuck'

        call = asyncio.create_task(rt.call('wait'))
        await rt.call('bg_status')
        go_on.set()
        self.assertEqual((await call).text, 'went on')

    async def test_a_tool_may_call_other_tools(self):
        rt = await self.started()

        @rt.tool
        async def twice(command: str) -> str:
            """Runs a command twice."""
            results = [await rt.call('bg_start', command=command, until={'exit': True}) for _ in range(2)]
            return f'{len(results)} done'

        self.assertEqual((await rt.call('twice', command='true')).text, '2 done')
        self.assertEqual(len(await rt.runs()), 2)

    async def test_the_policy_judges_a_tool_by_its_permission(self):
        rt = await self.started(mode='plan')

        @rt.tool
        async def deploy() -> str:
            """Deploys."""
            return 'deployed'

        with self.assertRaises(gibbous.ToolError) as caught:
            await rt.call('deploy')
        self.assertEqual(caught.exception.code, 'denied')


class Failures(support.Case):
    async def failing(self, error, **options):
        rt = await self.started(**options)

        @rt.tool(permission='read')
        def fail() -> str:
            """Fails."""
            if isinstance(error, BaseException):
                raise error
            return error

        with self.assertRaises(gibbous.ToolError) as caught:
            await rt.call('fail')
        self.assertTrue((await rt.call('bg_status')).ok)
        return caught.exception.code, caught.exception.message

    async def test_a_tool_error_keeps_its_code(self):
        code, message = await self.failing(gibbous.ToolError('buffer_not_found', 'there is no main.c'))
        self.assertEqual((code, message), ('buffer_not_found', 'there is no main.c'))

    async def test_a_tool_error_with_a_code_that_is_none_is_a_host_error(self):
        self.assertEqual((await self.failing(gibbous.ToolError('Not A Code', 'why')))[0], 'host_error')

    async def test_any_other_exception_is_a_host_error_with_its_name(self):
        code, message = await self.failing(FileNotFoundError('main.c'))
        self.assertEqual(code, 'host_error')
        self.assertIn('FileNotFoundError: main.c', message)

    async def test_what_cannot_be_sent_is_a_host_error(self):
        for returned, named in [(object(), 'JSON'), (float('nan'), 'JSON'), ('half: \ud800', 'json'),
                                ('x' * (9 << 20), '8 MiB')]:
            with self.subTest(named):
                code, message = await self.failing(returned, state_dir=self.base / named.split()[0])
                self.assertEqual(code, 'host_error')
                self.assertIn(named, message)

    async def test_a_call_that_is_not_answered_in_time_ends_and_its_task_is_cancelled(self):
        rt = await self.started()

        @rt.tool(permission='read', timeout=0.3)
        async def hang() -> None:
            """Hangs."""
            await asyncio.Event().wait()

        with self.assertRaises(gibbous.ToolError) as caught:
            await rt.call('hang')
        self.assertEqual(caught.exception.code, 'timeout')
        if others := asyncio.all_tasks() - {asyncio.current_task()}:
            await asyncio.wait(others)

    async def test_a_cancelled_call_cancels_the_task_of_an_async_function(self):
        rt = await self.started()
        began, cancelled = asyncio.Event(), asyncio.Event()

        @rt.tool(permission='read')
        async def hang() -> None:
            """Hangs."""
            began.set()
            try:
                await asyncio.Event().wait()
            finally:
                cancelled.set()

        call = asyncio.create_task(rt.call('hang'))
        await began.wait()
        call.cancel()
        await cancelled.wait()

    async def test_a_sync_function_sees_that_its_call_was_cancelled(self):
        rt = await self.started()
        began, saw = asyncio.Event(), threading.Event()
        loop = asyncio.get_running_loop()

        @rt.tool(permission='read')
        def work(ctx: gibbous.Context) -> None:
            """Works until it is cancelled."""
            loop.call_soon_threadsafe(began.set)
            while not ctx.is_cancelled:
                ctx.progress(1)
                threading.Event().wait(0.01)
            saw.set()

        call = asyncio.create_task(rt.call('work'))
        await began.wait()
        call.cancel()
        self.assertTrue(await asyncio.to_thread(saw.wait, support.LIMIT_S))

    async def test_progress_that_is_no_number_is_refused(self):
        rt = await self.started()

        @rt.tool(permission='read')
        async def step(ctx: gibbous.Context) -> None:
            """Takes a step."""
            ctx.progress(float('nan'))

        with self.assertRaisesRegex(gibbous.ToolError, 'progress: expected a number'):
            await rt.call('step')


class AddAndRemove(support.Case):
    async def test_a_tool_that_is_removed_is_gone(self):
        rt = await self.started(tools=[draw])
        rt.remove_tool('draw')
        with self.assertRaisesRegex(gibbous.ToolError, 'unknown_tool'):
            await rt.call('draw', points=[])
        with self.assertRaises(gibbous.NotFound):
            rt.remove_tool('draw')

    async def test_a_tool_is_there_after_a_reload(self):
        rt = await self.started(tools=[draw])
        rt.reload()
        self.assertTrue((await rt.call('draw', points=[])).ok)

    async def test_a_definition_that_is_refused_changes_nothing(self):
        rt = await self.started(tools=[draw])
        named = gibbous.tool(name='bg_start', description='Has the name of another.')(lambda: None)
        with self.assertRaisesRegex(gibbous.GibbousError, 'bg_start'):
            rt.add_tool(named)
        wrong = gibbous.tool(permission='all', name='wrong', description='Has no permission.')(lambda: None)
        with self.assertRaisesRegex(gibbous.GibbousError, 'permission'):
            rt.add_tool(wrong)
        self.assertTrue((await rt.call('bg_status')).ok)

    async def test_only_decorated_functions_are_tools(self):
        for wrong in (len, 'draw', None):
            with self.assertRaisesRegex(gibbous.InvalidArgument, '@gibbous.tool'):
                self.runtime(tools=[wrong])
        with self.assertRaisesRegex(gibbous.InvalidArgument, "two with the name 'draw'"):
            self.runtime(tools=[draw, draw])


if __name__ == '__main__':
    support.main()
