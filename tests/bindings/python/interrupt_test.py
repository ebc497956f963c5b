#!/usr/bin/env python3
"""SyncRuntime: an exception that a signal's handler raises, such as KeyboardInterrupt, loses nothing.

Python looks for signals when a function begins, after a call, and at the end of each round of a loop. These tests
raise the exception at each of these places of the package in turn.
"""

import contextlib
import dis
import itertools
import os
import sys
from pathlib import Path

import support
from support import gibbous

PACKAGE = str(Path(gibbous.__file__).parent) + os.sep
SCRIPTS = """
return { toolsets = { { name = 'mine', tools = { tool {
  name = 'both', description = 'Calls two functions of the host at the same time.', permission = 'read',
  run = function()
    local text
    task.all {
      function() host.first {} end,
      function()
        local value, err = host.second {}
        text = value or err.code
      end,
    }
    return { text = text }
  end,
} } } } }
"""
UNTIL_EXIT = {'until': {'exit': True}}


class Interrupt:
    """Raises an exception at the place of this number, counted from 0, that its `with` block comes to."""

    def __init__(self, place, exception=KeyboardInterrupt):
        self._left = place
        self._exception = exception
        self._last = {}  # what each function did last: the name of an instruction
        self.came = False

    def __enter__(self):
        sys.settrace(self._begin)
        return self

    def __exit__(self, kind, error, trace):
        sys.settrace(None)
        return kind is self._exception and self.came

    def _begin(self, frame, event, argument):
        if not frame.f_code.co_filename.startswith(PACKAGE):
            return None
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        self._look()
        return self._go_on

    def _go_on(self, frame, event, argument):
        if event == 'opcode':
            last = self._last.get(frame, '')
            self._last[frame] = dis.opname[frame.f_code.co_code[frame.f_lasti]]
            if last.startswith(('CALL', 'JUMP_BACKWARD', 'POP_JUMP_BACKWARD')):
                self._look()
        elif event == 'return':
            self._last.pop(frame, None)
            self._last.pop(frame.f_back, None)  # Python does not look after a call of a function in Python
        return self._go_on

    def _look(self):
        self._left -= 1
        if self._left == -1:
            self.came = True
            self.come()

    def come(self):
        raise self._exception


class Closing(Interrupt):
    """Calls close() there instead, as the handler of SIGTERM may."""

    def __init__(self, place, rt):
        super().__init__(place)
        self._rt = rt

    def come(self):
        self._rt.close()


class Interrupts(support.TempDirs):
    def started(self):
        rt = gibbous.SyncRuntime(**self.options())
        self.addCleanup(rt.close)
        return rt

    def interrupt_everywhere(self, work, exception=KeyboardInterrupt):
        """Calls work() with an interrupt at each of its places, and gives the number of the place after each."""
        never = (-1, -1)  # some versions of Python see all places of a function only after it was traced before
        for place in itertools.chain(never, itertools.count()):
            with Interrupt(place, exception) as interrupt:
                work()
            yield place
            if place >= 0 and not interrupt.came:
                self.assertGreater(place, 10)
                return

    def check_unseen_events(self, rt, take):
        """Interrupts take(), which gives unseen events, each time with a new one, and looks that it is given once."""
        seen = []

        def end_one():
            run = rt.call('bg_start', command='true').data['id']
            while not any(event.name == 'run_ended' and event.run == run for event in rt.wait(support.LIMIT_S)):
                pass
            return run

        run = end_one()
        for place in self.interrupt_everywhere(lambda: seen.extend(take())):
            seen.extend(rt.backlog())
            self.assertEqual([event['run'] for event in seen if event['event'] == 'run_ended'], [run], place)
            seen.clear()
            run = end_one()

    def test_unseen_events_come_once_with_the_results_of_calls(self):
        @gibbous.tool(permission='read')
        def answer(fails: bool) -> str:
            """Answers."""
            if fails:
                raise gibbous.ToolError('no_answer', 'there is none')
            return 'here'

        for fails in (False, True):
            with self.subTest(fails=fails):
                rt = self.started()
                rt.add_tool(answer)

                def take():
                    with contextlib.suppress(gibbous.ToolError):
                        return rt.call('answer', fails=fails, backlog=True).backlog
                    return []

                self.check_unseen_events(rt, take)

    def test_unseen_events_come_once_with_a_list_of_them(self):
        rt = self.started()
        self.check_unseen_events(rt, rt.backlog)

    def test_events_come_once(self):
        rt = self.started()
        posted, seen = [0], []
        rt.post({'number': 0})
        for _ in self.interrupt_everywhere(lambda: seen.extend(rt.wait(0))):
            posted.append(len(posted))
            rt.post({'number': posted[-1]})
        while len([event for event in seen if event.name == 'posted']) < len(posted):
            seen += rt.wait(support.LIMIT_S)
        self.assertEqual([event.data['number'] for event in seen if event.name == 'posted'], posted)

    def test_the_call_is_cancelled(self):
        rt = self.started()

        def work():
            with contextlib.suppress(gibbous.ToolError):
                rt.call('bg_start', {'command': 'sleep 600', **UNTIL_EXIT}, timeout=0.05)

        for _ in self.interrupt_everywhere(work):
            while any(run['state'] == 'running' for run in rt.runs()):
                rt.wait(support.LIMIT_S)

    def test_a_tool_that_was_added_is_called(self):
        rt = self.started()

        @gibbous.tool(permission='read')
        def added() -> str:
            """Answers."""
            return 'here'

        for exception in (KeyboardInterrupt, TimeoutError):
            for _ in self.interrupt_everywhere(lambda: rt.add_tool(added), exception):
                if any(tool['name'] == 'added' for tool in rt.tools()):
                    self.assertEqual(rt.call('added').text, 'here')
                    rt.remove_tool('added')

    def test_a_tool_stays_whose_name_is_added_again(self):
        rt = self.started()

        @gibbous.tool(name='taken', permission='read')
        def first() -> str:
            """Answers."""
            return 'first'

        @gibbous.tool(name='taken', permission='read')
        def second() -> str:
            """Answers."""
            return 'second'

        rt.add_tool(first)

        def work():
            with contextlib.suppress(gibbous.GibbousError):
                rt.add_tool(second)

        for _ in self.interrupt_everywhere(work):
            self.assertEqual(rt.call('taken').text, 'first')

    def test_a_close_goes_on(self):
        rt = self.started()

        def close_and_start():
            nonlocal rt
            rt.close()

        for _ in self.interrupt_everywhere(close_and_start):
            rt.close()
            rt = self.started()

    def test_a_handler_may_close_the_runtime(self):
        @gibbous.tool(permission='read')
        def answer() -> str:
            """Answers."""
            return 'here'

        for place in itertools.chain((-1, -1), itertools.count()):
            rt = gibbous.SyncRuntime(**self.options(), tools=[answer])
            self.addCleanup(rt.close)
            with Closing(place, rt) as closing:
                try:
                    self.assertEqual(rt.call('answer', backlog=True).text, 'here')
                except gibbous.GibbousError as error:
                    self.assertRegex(str(error), 'closed|shutdown|cancelled')
            if place >= 0 and not closing.came:
                break
        self.assertGreater(place, 50)

    def test_a_function_of_the_program_has_a_reply(self):
        (self.base / 'scripts').mkdir()
        (self.base / 'scripts' / 'init.lua').write_text(SCRIPTS)
        places = []

        @gibbous.function(permission='read')
        def first() -> None:
            """Waits, in which the other function is called, and an interrupt comes."""
            before = len(called)
            with Interrupt(places[-1]) as interrupt:
                while len(called) == before:
                    rt.wait(0.01)
            came.append(interrupt.came)

        @gibbous.function(permission='read')
        def second() -> str:
            """Answers."""
            called.append(places[-1])
            return 'here'

        rt = gibbous.SyncRuntime(**self.options(), functions=[first, second], scripts_dir=self.base / 'scripts')
        self.addCleanup(rt.close)
        came, called = [], []
        for place in itertools.chain((-1, -1), itertools.count()):
            places.append(place)
            self.assertIn(rt.call('both').text, ('here', 'cancelled'))
            if place >= 0 and not came[-1]:
                break
        self.assertGreater(places[-1], 50)


if __name__ == '__main__':
    support.main()
