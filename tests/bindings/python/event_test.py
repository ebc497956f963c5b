#!/usr/bin/env python3
"""Events, what other threads post, the log of scripts, reloads, and what a runtime says of itself."""

import asyncio
import logging
import threading

import support
from support import gibbous
from gibbous.streams import MAX_WAITING

LOGGING = """
return { toolsets = { { name = 'talk', tools = { tool {
  name = 'say', description = 'Logs.', permission = 'read',
  run = function() log.warn('from the script') return { text = 'said' } end,
} } } } }
"""


class Events(support.Case):
    async def test_a_run_starts_and_ends_in_every_stream(self):
        rt = await self.started()
        streams = [rt.events(), rt.events('run_started', 'run_ended')]
        run = (await rt.call('bg_start', command='exit 2', label='two')).data['id']
        for stream in streams:
            seen = []
            async for event in stream:
                if event.run == run:
                    seen.append(event)
                if event.name == 'run_ended':
                    break
            self.assertEqual([event.name for event in seen], ['run_started', 'run_ended'])
            self.assertEqual(seen[1].data['exit_code'], 2)

    async def test_a_stream_has_only_the_names_it_was_asked_for(self):
        rt = await self.started()
        ends = rt.events('run_ended')
        await rt.call('bg_start', command='true')
        self.assertEqual((await anext(ends)).name, 'run_ended')

    async def test_a_stream_ends_when_the_runtime_is_closed(self):
        rt = await self.started()
        stream = rt.events('run_ended')
        await rt.call('bg_start', command='sleep 60')
        reader = asyncio.create_task(self.all_of(stream))
        await rt.close()
        self.assertLessEqual(len(await reader), 1)
        with self.assertRaises(StopAsyncIteration):
            await anext(stream)

    async def test_a_stream_that_is_closed_ends_after_what_waits(self):
        rt = await self.started()
        stream, other = rt.events('posted'), rt.events('posted')
        rt.post({'number': 1})
        await anext(other)
        stream.close()
        rt.post({'number': 2})
        await anext(other)
        self.assertEqual([event.data['number'] for event in await self.all_of(stream)], [1])

    async def test_two_tasks_may_share_a_stream(self):
        rt = await self.started()
        stream = rt.events('posted')
        tasks = [asyncio.create_task(anext(stream)) for _ in range(2)]
        await asyncio.sleep(0)
        rt.post({'number': 1})
        rt.post({'number': 2})
        self.assertEqual({(await task).data['number'] for task in tasks}, {1, 2})

    async def test_a_stream_that_nobody_reads_drops_the_oldest_and_says_so(self):
        stream = gibbous.EventStream(frozenset())
        for number in range(MAX_WAITING + 3):
            stream.add(gibbous.Event('each', '', '', {'number': number}))
        self.assertEqual((await anext(stream)).data, {'event': 'events_dropped', 'count': 3})
        self.assertEqual((await anext(stream)).data['number'], 3)

    async def test_other_threads_post(self):
        rt = await self.started()
        stream = rt.events('posted')
        threads = [threading.Thread(target=lambda number=number: rt.post({'number': number})) for number in range(20)]
        for thread in threads:
            thread.start()
        numbers = {(await anext(stream)).data['number'] for _ in threads}
        self.assertEqual(numbers, set(range(20)))
        for thread in threads:
            thread.join()

    async def test_only_an_object_can_be_posted(self):
        rt = await self.started()
        for wrong in (7, [1], None, {'it': object()}, {'long': 'x' * (9 << 20)}):
            with self.assertRaisesRegex(gibbous.InvalidArgument, 'value'):
                rt.post(wrong)

    async def all_of(self, stream):
        return [event async for event in stream]


class Scripts(support.Case):
    async def test_logs_of_scripts_come_to_logging_and_to_the_events(self):
        (self.base / 'scripts').mkdir()
        (self.base / 'scripts' / 'init.lua').write_text(LOGGING)
        rt = await self.started(scripts_dir=self.base / 'scripts')
        logs = rt.events('log')
        with self.assertLogs('gibbous', logging.WARNING) as logged:
            await rt.call('say')
            self.assertEqual((await anext(logs)).data['message'], 'from the script')
        self.assertIn('from the script', logged.output[0])

    def test_logs_of_scripts_come_to_logging_without_an_event_loop_too(self):
        (self.base / 'init.lua').write_text(LOGGING)
        with gibbous.SyncRuntime(**self.options(scripts_dir=self.base)) as rt:
            with self.assertLogs('gibbous', logging.WARNING) as logged:
                rt.call('say')
                rt.wait(0)
            self.assertIn('from the script', logged.output[0])

    async def test_a_reload_that_fails_names_the_file_and_keeps_the_old_scripts(self):
        (self.base / 'scripts').mkdir()
        init = self.base / 'scripts' / 'init.lua'
        init.write_text(LOGGING)
        rt = await self.started(scripts_dir=self.base / 'scripts', watch_files=False)
        init.write_text('return {')
        with self.assertRaisesRegex(gibbous.GibbousError, 'init.lua:1'):
            rt.reload()
        self.assertEqual((await rt.call('say')).text, 'said')
        self.assertEqual(rt.info()['generation'], 1)

    async def test_info_says_what_the_runtime_is(self):
        rt = await self.started(session='me')
        info = rt.info()
        self.assertEqual((info['mode'], info['session'], info['policy_error']), ('auto', 'me', ''))
        self.assertEqual(info['version'], gibbous.version(support.library))


if __name__ == '__main__':
    support.main()
