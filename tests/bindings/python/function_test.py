#!/usr/bin/env python3
"""Functions of a Python program, which scripts call as host.NAME(args)."""

import asyncio
import dataclasses

import support
from support import gibbous

SCRIPTS = """
return { toolsets = { { name = 'mine', tools = { tool {
  name = 'try', description = 'Calls the host.', permission = 'read',
  run = function()
    if not host.lookup then return { text = 'there is none' } end
    local value, err = host.lookup { word = 'moon' }
    if err then tool.error(err.code, err.message) end
    return { text = value.word .. ' ' .. value.size }
  end,
} } } } }
"""


@dataclasses.dataclass
class Entry:
    word: str
    size: int


@gibbous.function(permission='read')
async def lookup(word: str) -> Entry:
    """Looks a word up."""
    return Entry(word, len(word))


class Functions(support.Case):
    async def with_scripts(self, **options):
        (self.base / 'scripts').mkdir()
        (self.base / 'scripts' / 'init.lua').write_text(SCRIPTS)
        return await self.started(scripts_dir=self.base / 'scripts', **options)

    async def test_a_script_gets_what_it_returns(self):
        rt = await self.with_scripts(functions=[lookup])
        self.assertEqual((await rt.call('try')).text, 'moon 4')

    async def test_no_model_sees_it(self):
        rt = await self.with_scripts(functions=[lookup])
        self.assertEqual([each['name'] for each in rt.tools()], ['try'])

    async def test_it_can_be_added_and_removed(self):
        rt = await self.with_scripts()
        self.assertEqual((await rt.call('try')).text, 'there is none')
        rt.add_function(lookup)
        self.assertEqual((await rt.call('try')).text, 'moon 4')
        rt.reload()
        self.assertEqual((await rt.call('try')).text, 'moon 4')
        rt.remove_function('lookup')
        self.assertEqual((await rt.call('try')).text, 'there is none')
        with self.assertRaises(gibbous.NotFound):
            rt.remove_function('lookup')

    async def test_one_that_raises_gives_the_script_an_error(self):
        @gibbous.function(name='lookup', permission='read')
        def broken(word: str) -> str:
            """Fails."""
            raise gibbous.ToolError('no_entry', f'there is no {word}')

        rt = await self.with_scripts(functions=[broken])
        with self.assertRaisesRegex(gibbous.ToolError, 'no_entry: there is no moon'):
            await rt.call('try')

    async def test_a_cancelled_call_cancels_its_task(self):
        began, cancelled = asyncio.Event(), asyncio.Event()

        @gibbous.function(name='lookup', permission='read')
        async def hang(word: str) -> str:
            """Hangs."""
            began.set()
            try:
                return str(await asyncio.Event().wait())
            finally:
                cancelled.set()

        rt = await self.with_scripts(functions=[hang])
        call = asyncio.create_task(rt.call('try'))
        await began.wait()
        call.cancel()
        await cancelled.wait()

    async def test_tools_and_functions_are_not_each_other(self):
        @gibbous.tool
        def draw() -> None:
            """Draws."""

        with self.assertRaisesRegex(gibbous.InvalidArgument, '@gibbous.function'):
            self.runtime(functions=[draw])
        with self.assertRaisesRegex(gibbous.InvalidArgument, '@gibbous.tool'):
            self.runtime(tools=[lookup])


class Sync(support.TempDirs):
    def test_scripts_call_it_without_an_event_loop_too(self):
        (self.base / 'init.lua').write_text(SCRIPTS)

        @gibbous.function(name='lookup', permission='read')
        def find(word: str) -> dict:
            """Looks a word up."""
            return {'word': word, 'size': 7}

        with gibbous.SyncRuntime(**self.options(scripts_dir=self.base), functions=[find]) as rt:
            self.assertEqual(rt.call('try').text, 'moon 7')
            rt.remove_function('lookup')
            self.assertEqual(rt.call('try').text, 'there is none')
            rt.add_function(find)
            self.assertEqual(rt.call('try').text, 'moon 7')


if __name__ == '__main__':
    support.main()
