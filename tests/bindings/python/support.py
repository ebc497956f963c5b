"""What the tests of the Python package share. Each runs as `python3 NAME_test.py LIBRARY [UNITTEST ARGUMENTS]`, where
LIBRARY is a libgibbous.so whose keeper and scripts lie in its install tree, or beside it in a build tree."""

import asyncio
import faulthandler
import os
import select
import shutil
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / 'bindings' / 'python'))

import gibbous  # noqa: E402, found by the path above

LIMIT_S = 60
PROGRAM_LIMIT_S = 300
STUBBORN = "trap '' TERM; echo up; while :; do sleep 1; done"

library = ''


def main() -> None:
    """Runs the tests of the program."""
    global library
    if len(sys.argv) < 2 or not os.path.isfile(sys.argv[1]):
        sys.exit(f'usage: {sys.argv[0]} LIBRARY [UNITTEST ARGUMENTS]')
    library = sys.argv.pop(1)
    faulthandler.dump_traceback_later(PROGRAM_LIMIT_S, exit=True)
    unittest.main(module='__main__')


def wait_for_end(pid: int) -> None:
    """Returns once no process has this number; fails after LIMIT_S."""
    try:
        process = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    try:
        if not select.select([process], [], [], LIMIT_S)[0]:
            raise AssertionError(f'process {pid} is still there')
    finally:
        os.close(process)


class TempDirs(unittest.TestCase):
    """Has a workspace and a state directory of its own for each test."""

    def setUp(self) -> None:
        self.base = Path(tempfile.mkdtemp(prefix='gibbous_python_'))
        self.addCleanup(shutil.rmtree, self.base, True)
        self.workspace = self.base / 'workspace'
        self.workspace.mkdir()

    def options(self, **changed: object) -> dict:
        """Options of a runtime in these directories."""
        return {'mode': 'auto', 'workspace': self.workspace, 'state_dir': self.base / 'state', 'library': library,
                **changed}


class Case(TempDirs, unittest.IsolatedAsyncioTestCase):
    """A test with an event loop. One that hangs is cancelled after LIMIT_S."""

    async def asyncSetUp(self) -> None:
        loop = asyncio.get_running_loop()
        limit = loop.call_later(LIMIT_S, lambda: [task.cancel() for task in asyncio.all_tasks()])
        self.addCleanup(limit.cancel)

    def runtime(self, **changed: object) -> gibbous.Runtime:
        return gibbous.Runtime(**self.options(**changed))

    async def started(self, **changed: object) -> gibbous.Runtime:
        """A runtime that is closed after the test."""
        rt = await self.runtime(**changed).start()
        self.addAsyncCleanup(rt.close)
        return rt

    def catch_loop_errors(self) -> list[dict]:
        """What the loop's exception handler gets from now on."""
        caught: list[dict] = []
        asyncio.get_running_loop().set_exception_handler(lambda loop, context: caught.append(context))
        return caught
