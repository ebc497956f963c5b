#!/usr/bin/env python3
"""The beginning and the end of a runtime, in every order and place: each is an exception at worst, and leaves no
process behind."""

import asyncio
import gc
import os
import subprocess
import sys
import time
import warnings

import support
from support import gibbous


FORKED_AFTER_THE_END = """
import os
import sys
import gibbous
options = {'mode': 'auto', 'workspace': sys.argv[1], 'library': sys.argv[3]}
gibbous.SyncRuntime(**options, state_dir=sys.argv[2] + '/parent').close()
child = os.fork()
if child:
    sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
with gibbous.SyncRuntime(**options, state_dir=sys.argv[2] + '/child') as rt:
    print(rt.call('bg_start', command='echo from the child', until={'exit': True}).text)
"""


def in_child(work):
    """What `work` returns in a forked child, as text."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            told = work()
        except BaseException as error:
            told = f'raised {error!r}'
        os.write(writing, told.encode())
        os._exit(0)
    os.close(writing)
    with open(reading, encoding='utf-8') as pipe:
        told = pipe.read()
    os.waitpid(child, 0)
    return told


def refusals(rt, error):
    """The names of the methods that do not raise `error`."""
    wrong = []
    for name, work in [('tools', lambda: rt.tools()), ('info', lambda: rt.info()), ('reload', lambda: rt.reload()),
                       ('remove_tool', lambda: rt.remove_tool('x')), ('output', lambda: rt.output('x')),
                       ('events', lambda: rt.events()), ('call', lambda: rt.call('bg_status').send(None)),
                       ('runs', lambda: rt.runs().send(None)), ('backlog', lambda: rt.backlog().send(None))]:
        try:
            work()
            wrong.append(name)
        except error:
            pass
    return wrong


class Closing(support.Case):
    async def test_closing_ends_every_run(self):
        rt = await self.started()
        pids = [(await rt.call('bg_start', command=command)).data['pid'] for command in ('sleep 60', support.STUBBORN)]
        await rt.close()
        for pid in pids:
            support.wait_for_end(pid)

    async def test_closing_in_the_middle_of_calls_ends_them(self):
        rt = await self.started()
        calls = [asyncio.create_task(rt.call('bg_start', {'command': 'sleep 60', 'until': {'exit': True}}))
                 for _ in range(5)]
        await rt.call('bg_status')
        await rt.close()
        for call in calls:
            with self.assertRaises(gibbous.ToolError) as caught:
                await call
            self.assertIn(caught.exception.code, ('cancelled', 'shutdown'))

    async def test_lists_that_are_open_end_too(self):
        rt = await self.started()
        lists = [asyncio.create_task(rt.runs()), asyncio.create_task(rt.backlog())]
        await asyncio.sleep(0)
        await rt.close()
        for each in await asyncio.gather(*lists, return_exceptions=True):
            self.assertIsInstance(each, (list, gibbous.ClosedError))

    async def test_closing_twice_and_at_once_is_closing_once(self):
        rt = await self.started()
        await asyncio.gather(rt.close(), rt.close())
        await rt.close()

    async def test_a_close_that_is_cancelled_goes_on(self):
        rt = await self.started()
        run = (await rt.call('bg_start', command='sleep 60')).data
        events = rt.events('none')
        closing = asyncio.create_task(rt.close())
        await asyncio.sleep(0)
        closing.cancel()
        with self.assertRaises(StopAsyncIteration):
            await anext(events)
        support.wait_for_end(run['pid'])

    async def test_after_the_end_every_method_says_that_it_is_closed(self):
        rt = await self.started()
        await rt.close()
        self.assertEqual(refusals(rt, gibbous.ClosedError), [])
        with self.assertRaisesRegex(gibbous.ClosedError, 'was closed'):
            rt.post({})
        with self.assertRaisesRegex(gibbous.GibbousError, 'make a new one'):
            await rt.start()

    async def test_before_the_beginning_every_method_says_so(self):
        rt = self.runtime()
        self.assertEqual(refusals(rt, gibbous.ClosedError), [])
        with self.assertRaisesRegex(gibbous.ClosedError, 'not started'):
            rt.post({})
        await rt.close()

    async def test_a_wrong_option_is_named_at_the_beginning(self):
        with self.assertRaisesRegex(gibbous.InvalidArgument, 'budget.wall_us: expected a whole number'):
            gibbous.Budget(wall_us=-1)
        with self.assertRaisesRegex(gibbous.InvalidArgument, 'on_ask: expected a function'):
            self.runtime(on_ask='yes')
        for wrong, named in [({'mode': 'careless'}, 'careless'), ({'workspace': '/nowhere'}, 'workspace'),
                             ({'mod': 'auto'}, 'did you mean'), ({'toolsets': 'shell'}, 'toolsets'),
                             ({'sandbox': object()}, 'options')]:
            with self.subTest(named), self.assertRaisesRegex(gibbous.GibbousError, named):
                async with self.runtime(**wrong):
                    pass

    async def test_an_exception_inside_the_block_closes_and_comes_out(self):
        with self.assertRaises(ZeroDivisionError):
            async with self.runtime() as rt:
                pid = (await rt.call('bg_start', command='sleep 60')).data['pid']
                raise ZeroDivisionError
        support.wait_for_end(pid)


class WrongPlaces(support.Case):
    async def test_another_thread_is_refused_and_may_post(self):
        rt = await self.started()
        posted = rt.events('posted')
        wrong = await asyncio.to_thread(refusals, rt, gibbous.WrongThreadError)
        self.assertEqual(wrong, [])
        await asyncio.to_thread(rt.post, {'from': 'a thread'})
        self.assertEqual((await anext(posted)).data, {'from': 'a thread'})
        with self.assertRaises(gibbous.WrongThreadError):
            await asyncio.to_thread(lambda: rt.close().send(None))

    async def test_a_forked_child_is_refused_and_the_parent_goes_on(self):
        rt = await self.started()
        pid = (await rt.call('bg_start', command='sleep 60')).data['pid']

        def child():
            wrong = refusals(rt, gibbous.ForkedError)
            try:
                rt.post({})
                wrong.append('post')
            except gibbous.ForkedError:
                pass
            rt._pump.abandon()
            return str(wrong)

        self.assertEqual(in_child(child), '[]')
        os.kill(pid, 0)
        result = await rt.call('bg_start', command='echo on', until={'exit': True})
        self.assertIn('on', result.text)

    async def test_a_forked_child_cannot_start_one_of_its_own(self):
        await self.started()

        def child():
            try:
                gibbous.SyncRuntime(**self.options())
            except gibbous.ForkedError as error:
                return str(error)

        self.assertIn('this process was forked', in_child(child))

    async def test_a_child_that_was_forked_after_the_end_of_the_last_one_starts_its_own(self):
        environment = {'PATH': os.environ['PATH'], 'PYTHONPATH': str(support.ROOT / 'bindings' / 'python')}
        done = subprocess.run([sys.executable, '-B', '-c', FORKED_AFTER_THE_END, self.workspace, self.base,
                               support.library], env=environment, capture_output=True, text=True,
                              timeout=support.LIMIT_S, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ''))
        self.assertIn('from the child', done.stdout)


class Abandoned(support.TempDirs):
    """Runtimes that the program does not close."""

    async def begin(self, kept):
        rt = await gibbous.Runtime(**self.options()).start()
        kept.append((await rt.call('bg_start', command='sleep 60')).data['pid'])
        return rt

    def test_one_that_nobody_refers_to_is_closed_with_a_warning(self):
        async def main():
            kept = []
            with self.assertWarnsRegex(ResourceWarning, 'not closed'):
                rt = await self.begin(kept)

                @rt.tool
                async def uses_it() -> str:
                    """Refers to its own runtime."""
                    return str(rt.info())

                del rt, uses_it
                gc.collect()
            support.wait_for_end(kept[0])

        asyncio.run(main())

    def test_one_that_another_thread_lets_go_of_is_closed_by_its_loop(self):
        async def main():
            kept = []
            held = [await self.begin(kept)]
            with warnings.catch_warnings():
                warnings.simplefilter('ignore', ResourceWarning)
                await asyncio.to_thread(lambda: (held.clear(), gc.collect()))
                await asyncio.sleep(0)  # what the other thread has posted comes now
            support.wait_for_end(kept[0])

        asyncio.run(main())

    def test_one_whose_loop_has_ended_can_still_be_closed(self):
        kept = []
        rt = asyncio.run(self.begin(kept))
        with self.assertRaisesRegex(gibbous.ClosedError, 'loop'):
            rt.info()
        asyncio.run(rt.close())
        support.wait_for_end(kept[0])
        asyncio.run(rt.close())

    def test_one_that_was_started_in_another_loop_says_so(self):
        first, second = asyncio.new_event_loop(), asyncio.new_event_loop()
        rt = first.run_until_complete(gibbous.Runtime(**self.options()).start())
        for work in (rt.call('bg_status'), rt.close()):
            with self.assertRaisesRegex(gibbous.GibbousError, 'another event loop'):
                second.run_until_complete(work)
        self.assertTrue(first.run_until_complete(rt.call('bg_status')).ok)
        first.run_until_complete(rt.close())
        first.close()
        second.close()

    def test_many_begin_and_end_without_leaving_descriptors_or_threads(self):
        async def main():
            async with gibbous.Runtime(**self.options()) as rt:
                await rt.call('bg_start', command='true', until={'exit': True})

        def held():
            return len(os.listdir('/proc/self/fd')), len(os.listdir('/proc/self/task'))

        asyncio.run(main())
        before = held()
        for _ in range(10):
            asyncio.run(main())
        # A thread that wrote to the disk may close its files after the end, here and at the start.
        end = time.monotonic() + 30
        while time.monotonic() < end and any(left > had for left, had in zip(held(), before)):
            time.sleep(0.01)
        for left, had in zip(held(), before):
            self.assertLessEqual(left, had)


if __name__ == '__main__':
    support.main()
