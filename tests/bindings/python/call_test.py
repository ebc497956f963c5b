#!/usr/bin/env python3
"""Calls of tools from asyncio: results, errors, time limits, cancellation, progress, the backlog."""

import asyncio
import gc

import support
from support import gibbous

UNTIL_EXIT = {'exit': True}


async def started_run(events, part):
    """The event of the start of a run whose command has this part."""
    async for event in events:
        if event.name == 'run_started' and part in event.data['command']:
            return event
    raise AssertionError('the stream of events ended')


class Results(support.Case):
    async def test_a_call_returns_text_and_data(self):
        rt = await self.started()
        result = await rt.call('bg_start', {'command': 'echo hi', 'until': UNTIL_EXIT})
        self.assertTrue(result.ok)
        self.assertIn('hi', result.text)
        self.assertEqual(len(result.data['id']), 8)

    async def test_arguments_are_keywords_or_a_mapping_or_both(self):
        rt = await self.started()
        result = await rt.call('bg_start', {'command': 'exit 3'}, until=UNTIL_EXIT, label='three')
        self.assertIn('exit code 3', result.text)
        self.assertEqual((await rt.runs())[0]['label'], 'three')

    async def test_an_argument_that_is_given_twice_is_refused(self):
        rt = await self.started()
        with self.assertRaisesRegex(gibbous.InvalidArgument, 'command: given twice'):
            await rt.call('bg_start', {'command': 'true'}, command='false')

    async def test_a_failed_call_raises_its_code_and_message(self):
        rt = await self.started()
        with self.assertRaises(gibbous.ToolError) as caught:
            await rt.call('bg_strat', command='true')
        self.assertEqual(caught.exception.code, 'unknown_tool')
        self.assertIn('bg_start', caught.exception.message)

    async def test_a_failed_call_can_be_a_result_instead(self):
        rt = await self.started()
        result = await rt.call('bg_output', id='nobody', check=False)
        self.assertFalse(result.ok)
        self.assertEqual(result.code, 'run_not_found')

    async def test_wrong_arguments_name_the_field(self):
        rt = await self.started()
        with self.assertRaisesRegex(gibbous.ToolError, 'invalid_arguments: .*command'):
            await rt.call('bg_start', command=7)

    async def test_what_json_cannot_express_is_refused(self):
        rt = await self.started()
        recursive: list = []
        recursive.append(recursive)
        for value in (float('nan'), object(), recursive, {1, 2}, b'bytes', 'half of a pair: \ud800', 'x' * (9 << 20)):
            with self.assertRaisesRegex(gibbous.InvalidArgument, 'request'):
                await rt.call('bg_start', command=value)
        self.assertTrue((await rt.call('bg_status')).ok)

    async def test_any_text_arrives_unchanged(self):
        rt = await self.started()
        words = 'ä 🌒 "quoted" \\ back'
        result = await rt.call('bg_start', command="cat <<'END'\n" + words + '\nEND', until=UNTIL_EXIT)
        self.assertIn(words, result.text)

    async def test_many_calls_go_on_at_once(self):
        rt = await self.started(toolsets=['safe_shell'])
        results = await asyncio.gather(*(
            rt.call('safe_shell', command='echo', args=[f'number {number}']) for number in range(20)))
        for number, result in enumerate(results):
            self.assertIn(f'number {number}', result.text)

    async def test_runs_of_one_session_are_not_those_of_another(self):
        rt = await self.started()
        await rt.call('bg_start', command='echo a', session='a')
        self.assertEqual(len(await rt.runs('a')), 1)
        self.assertEqual(await rt.runs('b'), [])

    async def test_two_runtimes_in_one_process_are_independent(self):
        first = await self.started(state_dir=self.base / 'first')
        second = await self.started(state_dir=self.base / 'second')
        run = (await first.call('bg_start', command='sleep 60')).data
        await second.call('bg_start', command='true', until=UNTIL_EXIT)
        self.assertEqual([each['command'] for each in await second.runs()], ['true'])
        await second.close()
        self.assertIn('running', (await first.call('bg_status', id=run['id'])).text)


class Ends(support.Case):
    async def no_run_goes_on(self, rt):
        """Returns once none does. A busy machine may not have begun the one whose call has ended."""
        while any(run['state'] in ('queued', 'running') for run in await rt.runs()):
            pass

    async def test_a_time_limit_ends_the_call_and_what_it_started(self):
        rt = await self.started()
        with self.assertRaises(gibbous.ToolError) as caught:
            await rt.call('bg_start', {'command': 'sleep 60', 'until': UNTIL_EXIT}, timeout=1)
        self.assertEqual(caught.exception.code, 'timeout')
        await self.no_run_goes_on(rt)

    async def test_a_time_limit_is_a_number_of_seconds_above_zero(self):
        rt = await self.started()
        for wrong in (0, -1, float('nan'), float('inf'), 'soon', True):
            with self.assertRaisesRegex(gibbous.InvalidArgument, 'timeout: expected seconds'):
                await rt.call('bg_status', timeout=wrong)

    async def test_a_priority_is_from_minus_100_to_100(self):
        rt = await self.started()
        self.assertTrue((await rt.call('bg_status', priority=100)).ok)
        with self.assertRaisesRegex(gibbous.InvalidArgument, 'request.priority'):
            await rt.call('bg_status', priority=101)

    async def test_cancelling_the_task_cancels_the_call_and_what_it_started(self):
        rt = await self.started()
        events = rt.events('run_started')
        task = asyncio.create_task(rt.call('bg_start', {'command': 'sleep 60', 'until': UNTIL_EXIT}))
        pid = (await started_run(events, 'sleep 60')).data['pid']
        task.cancel()
        with self.assertRaises(asyncio.CancelledError):
            await task
        support.wait_for_end(pid)

    async def test_asyncio_timeout_cancels_the_call(self):
        rt = await self.started()
        with self.assertRaises(TimeoutError):
            async with asyncio.timeout(0.5):
                await rt.call('bg_start', {'command': 'sleep 60', 'until': UNTIL_EXIT})
        await self.no_run_goes_on(rt)

    async def test_a_call_that_is_cancelled_at_once_does_no_harm(self):
        rt = await self.started()
        tasks = [asyncio.create_task(rt.call('bg_status')) for _ in range(20)]
        for turn, task in enumerate(tasks):
            if turn % 2:
                await asyncio.sleep(0)
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self.assertTrue((await rt.call('bg_status')).ok)

    async def test_a_coroutine_that_is_dropped_cancels_its_call(self):
        rt = await self.started()
        events = rt.events('run_started')
        call = rt.call('bg_start', {'command': 'sleep 60', 'until': UNTIL_EXIT})
        call.send(None)
        pid = (await anext(events)).data['pid']
        del call
        gc.collect()
        await rt.call('bg_status')
        support.wait_for_end(pid)

    async def test_a_reload_in_the_middle_leaves_a_call_alone(self):
        rt = await self.started()
        events = rt.events('run_started')
        task = asyncio.create_task(rt.call('bg_start', command='read line; echo got $line', stdin=True,
                                           until=UNTIL_EXIT, label='reader'))
        await started_run(events, 'read line')
        rt.reload()
        self.assertEqual(rt.info()['generation'], 2)
        await rt.call('bg_input', id='reader', keys='word<Enter>')
        self.assertIn('got word', (await task).text)

    async def test_the_loop_goes_on_while_a_child_floods(self):
        rt = await self.started()
        ticks = 0
        call = asyncio.ensure_future(rt.call('bg_start', command='head -c 60000000 /dev/zero | tr "\\0" x',
                                             until=UNTIL_EXIT))
        while not call.done():
            await asyncio.sleep(0)
            ticks += 1
        self.assertTrue((await call).ok)
        self.assertGreater(ticks, 100)


class WhatComesWithThem(support.Case):
    async def test_a_result_has_the_events_that_the_agent_has_not_seen(self):
        rt = await self.started()
        events = rt.events('run_ended')
        await rt.call('bg_start', command='exit 4')
        await anext(events)
        result = await rt.call('bg_status', backlog=True, id='none', check=False)
        self.assertEqual([event['exit_code'] for event in result.backlog], [4])
        self.assertEqual((await rt.call('bg_status', backlog=True)).backlog, [])

    async def test_events_that_came_with_a_cancelled_call_come_with_the_next_one(self):
        rt = await self.started()
        events = rt.events()
        await rt.call('bg_start', command='exit 4')
        task = asyncio.create_task(rt.call('bg_start', {'command': 'sleep 60', 'until': UNTIL_EXIT}, backlog=True))
        await started_run(events, 'sleep 60')
        task.cancel()
        await asyncio.wait([task])
        codes = []
        while 4 not in codes:
            # A whole bg_status would tell how the run ended, which is then no news.
            result = await rt.call('bg_status', backlog=True, id='none', check=False)
            codes += [event.get('exit_code') for event in result.backlog]
        self.assertEqual(codes.count(4), 1)

    async def test_events_of_a_backlog_that_was_cancelled_come_with_the_next_one(self):
        rt = await self.started()
        ends = rt.events('run_ended')
        await rt.call('bg_start', command='exit 4')
        await anext(ends)
        for turns in range(50):  # so that some tasks are cancelled before the events have come, and some after
            task = asyncio.create_task(rt.backlog())
            for _ in range(turns):
                await asyncio.sleep(0)
            if not task.cancel():
                break
            await asyncio.wait([task])
        events = task.result() if not task.cancelled() else await rt.backlog()
        self.assertEqual([event.get('exit_code') for event in events].count(4), 1)
        self.assertEqual(await rt.backlog(), [])

    async def test_progress_comes_to_the_callback(self):
        rt = await self.started()

        @rt.tool(permission='read')
        async def slow(ctx: gibbous.Context) -> str:
            """Takes three steps."""
            for step in range(3):
                ctx.progress(step + 1, 3, f'step {step + 1}')
            return 'done'

        steps: list[gibbous.Progress] = []
        self.assertEqual((await rt.call('slow', on_progress=steps.append)).text, 'done')
        self.assertEqual(steps[-1], gibbous.Progress(3, 3, 'step 3'))

    async def test_a_progress_callback_that_raises_does_not_disturb_the_call(self):
        rt = await self.started()
        caught = self.catch_loop_errors()

        @rt.tool(permission='read')
        def slow(ctx: gibbous.Context) -> str:
            """Takes a step."""
            ctx.progress(1)
            return 'done'

        def broken(progress):
            raise ZeroDivisionError

        self.assertEqual((await rt.call('slow', on_progress=broken)).text, 'done')
        self.assertIsInstance(caught[0]['exception'], ZeroDivisionError)


if __name__ == '__main__':
    support.main()
