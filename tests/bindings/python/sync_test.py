#!/usr/bin/env python3
"""SyncRuntime: the same without an event loop."""

import gc
import os
import signal
import subprocess
import sys
import threading

import support
from support import gibbous
from lifetime_test import in_child

UNCLOSED = """
import sys
import gibbous
rt = gibbous.SyncRuntime(mode='auto', workspace=sys.argv[1], state_dir=sys.argv[2], library=sys.argv[3])
print(rt.call('bg_start', command='sleep 60').data['pid'], flush=True)
"""
INTERRUPT = f'kill -USR1 {os.getpid()}; sleep 60'  # for a run


class SyncCase(support.TempDirs):
    def started(self, **changed):
        rt = gibbous.SyncRuntime(**self.options(**changed))
        self.addCleanup(rt.close)
        return rt


class Works(SyncCase):
    def test_calls_events_output_and_lists(self):
        rt = self.started()
        run = rt.call('bg_start', command='echo out; exit 3').data['id']
        self.assertEqual(b''.join(rt.output(run)), b'out\n')
        events = []
        while 'run_ended' not in [event.name for event in events]:
            events += rt.wait(support.LIMIT_S)
        self.assertEqual(events[-1].data['exit_code'], 3)
        self.assertEqual([each['id'] for each in rt.runs()], [run])
        self.assertIn('run_ended', [each['event'] for each in rt.backlog()])
        self.assertIn('bg_start', [each['name'] for each in rt.tools()])
        rt.reload()
        self.assertEqual(rt.info()['generation'], 2)

    def test_a_failed_call_raises_or_is_a_result(self):
        rt = self.started()
        with self.assertRaisesRegex(gibbous.ToolError, 'unknown_tool'):
            rt.call('nothing')
        self.assertEqual(rt.call('nothing', check=False).code, 'unknown_tool')
        with self.assertRaisesRegex(gibbous.ToolError, 'timeout'):
            rt.call('bg_start', {'command': 'sleep 60', 'until': {'exit': True}}, timeout=0.5)

    def test_tools_report_progress_and_may_call_the_runtime(self):
        rt = self.started()
        steps = []

        @gibbous.tool
        def outer(ctx: gibbous.Context) -> str:
            """Calls another tool."""
            ctx.progress(1, 2)
            return rt.call('bg_start', command='echo inner', until={'exit': True}).text

        rt.add_tool(outer)
        self.assertIn('inner', rt.call('outer', on_progress=steps.append).text)
        self.assertEqual(steps, [gibbous.Progress(1, 2)])
        rt.remove_tool('outer')
        with self.assertRaisesRegex(gibbous.ToolError, 'unknown_tool'):
            rt.call('outer')

    def test_a_tool_that_raises_fails_its_call(self):
        @gibbous.tool(permission='read')
        def fail() -> str:
            """Fails."""
            raise gibbous.ToolError('no_luck', 'again')

        with self.assertRaisesRegex(gibbous.ToolError, 'no_luck: again'):
            self.started(tools=[fail]).call('fail')

    def test_a_handler_answers_the_policy(self):
        asks = []
        rt = self.started(mode='default', on_ask=lambda ask: asks.append(ask) or len(asks) == 1)
        self.assertTrue(rt.call('bg_start', command='touch a', until={'exit': True}).ok)
        with self.assertRaisesRegex(gibbous.ToolError, 'denied'):
            rt.call('bg_start', command='touch b')
        self.assertEqual([ask.command for ask in asks], ['touch a', 'touch b'])

    def test_without_a_handler_the_call_needs_approval(self):
        rt = self.started(mode='default')
        with self.assertRaises(gibbous.ToolError) as caught:
            rt.call('bg_start', command='touch a')
        self.assertEqual(caught.exception.code, 'needs_approval')

    def test_a_handler_that_raises_denies(self):
        rt = self.started(mode='default', on_ask=lambda ask: 1 / 0)
        with self.assertLogs('gibbous'), self.assertRaisesRegex(gibbous.ToolError, 'denied'):
            rt.call('bg_start', command='touch a')

    def test_async_handlers_are_refused(self):
        @gibbous.tool
        async def later() -> None:
            """Takes its time."""

        async def ask(question):
            return True

        with self.assertRaisesRegex(gibbous.InvalidArgument, 'later: expected a function without `async`'):
            self.started(tools=[later])
        with self.assertRaisesRegex(gibbous.InvalidArgument, 'on_ask: expected a function without `async`'):
            self.started(on_ask=ask)

    def test_a_wait_ends_with_a_post_of_another_thread(self):
        rt = self.started()
        thread = threading.Thread(target=rt.post, args=({'number': 7},))
        thread.start()
        self.assertEqual([event.data for event in rt.wait(support.LIMIT_S)], [{'number': 7}])
        thread.join()

    def test_a_wait_without_events_returns_none(self):
        self.assertEqual(self.started().wait(0.01), [])

    def test_a_wait_is_a_number_of_seconds(self):
        rt = self.started()
        for wrong in (-1, float('nan'), float('inf'), 'soon'):
            with self.assertRaisesRegex(gibbous.InvalidArgument, 'seconds: expected 0 to'):
                rt.wait(wrong)
        rt.post({})
        self.assertEqual(len(rt.wait(1e9)), 1)


class Ends(SyncCase):
    def interrupt_on_signal(self):
        """Has SIGUSR1 raise KeyboardInterrupt, as SIGINT does."""
        def interrupt(number, frame):
            raise KeyboardInterrupt

        before = signal.signal(signal.SIGUSR1, interrupt)
        self.addCleanup(signal.signal, signal.SIGUSR1, before)

    def test_an_interrupt_cancels_the_call(self):
        rt = self.started(mode='dangerous')
        self.interrupt_on_signal()
        with self.assertRaises(KeyboardInterrupt):
            rt.call('bg_start', command=INTERRUPT, until={'exit': True})
        ended = []
        while not ended:
            ended = [event for event in rt.wait(support.LIMIT_S) if event.name == 'run_ended']
        self.assertEqual(ended[0].data['state'], 'killed')

    def test_events_that_came_with_an_interrupted_call_come_with_the_next_one(self):
        @gibbous.tool(permission='read')
        def nothing() -> str:
            """Says nothing about runs, so that their events are news after it, too."""
            return 'nothing'

        rt = self.started(mode='dangerous')
        rt.add_tool(nothing)
        self.interrupt_on_signal()
        rt.call('bg_start', command='exit 4')
        while 'run_ended' not in [event.name for event in rt.wait(support.LIMIT_S)]:
            pass
        with self.assertRaises(KeyboardInterrupt):
            rt.call('bg_start', {'command': INTERRUPT, 'until': {'exit': True}}, backlog=True)
        codes = []
        while 4 not in codes:
            codes += [event.get('exit_code') for event in rt.call('nothing', backlog=True).backlog]
        self.assertEqual(codes.count(4), 1)

    def test_events_of_a_call_that_raises_come_with_the_next_one(self):
        rt = self.started()
        rt.call('bg_start', command='exit 4')
        while 'run_ended' not in [event.name for event in rt.wait(support.LIMIT_S)]:
            pass
        with self.assertRaises(gibbous.ToolError):
            rt.call('unknown', backlog=True)
        events = rt.call('unknown', backlog=True, check=False).backlog or rt.backlog()
        self.assertIn(4, [event.get('exit_code') for event in events])

    def test_after_the_end_every_method_says_that_it_is_closed(self):
        rt = self.started()
        pid = rt.call('bg_start', command=support.STUBBORN).data['pid']
        rt.close()
        rt.close()
        support.wait_for_end(pid)
        for work in (lambda: rt.call('bg_status'), rt.tools, rt.info, rt.reload, rt.runs, rt.backlog,
                     lambda: rt.wait(1), lambda: rt.post({}), lambda: next(rt.output('x'))):
            with self.assertRaises(gibbous.ClosedError):
                work()

    def test_closing_inside_a_tool_ends_the_call(self):
        rt = self.started()

        @gibbous.tool(permission='read')
        def close() -> None:
            """Closes the runtime."""
            rt.close()

        rt.add_tool(close)
        with self.assertRaisesRegex(gibbous.GibbousError, 'cancelled|closed|shutdown'):
            rt.call('close')

    def test_another_thread_and_a_forked_child_are_refused(self):
        rt = self.started()
        raised = []

        def work():
            try:
                rt.call('bg_status')
            except gibbous.WrongThreadError as error:
                raised.append(error)

        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        self.assertEqual(len(raised), 1)

        def child():
            try:
                rt.call('bg_status')
            except gibbous.ForkedError:
                return 'refused'

        self.assertEqual(in_child(child), 'refused')
        self.assertTrue(rt.call('bg_status').ok)

    def test_one_that_nobody_refers_to_is_closed_with_a_warning(self):
        with self.assertWarnsRegex(ResourceWarning, 'not closed'):
            rt = gibbous.SyncRuntime(**self.options())
            pid = rt.call('bg_start', command='sleep 60').data['pid']
            del rt
            gc.collect()
        support.wait_for_end(pid)

    def test_a_program_that_ends_without_closing_leaves_no_process(self):
        arguments = [self.workspace, self.base / 'state', support.library]
        run = subprocess.run([sys.executable, '-B', '-c', UNCLOSED, *arguments],
                             env={'PATH': os.environ['PATH'], 'PYTHONPATH': str(support.ROOT / 'bindings' / 'python')},
                             capture_output=True, text=True, timeout=support.LIMIT_S, check=False)
        self.assertEqual((run.returncode, run.stderr), (0, ''))
        support.wait_for_end(int(run.stdout))


if __name__ == '__main__':
    support.main()
