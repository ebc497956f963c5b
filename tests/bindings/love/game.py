"""Plays examples/love for the tests of this folder: each game has its own display, state and workspace.

A test file is run as  python3 FILE PREFIX [MODULE]  where PREFIX is an installation of Gibbous and MODULE the folder
with gibbous/init.lua, when that is not in the installation.
"""
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

EXAMPLE = Path(__file__).resolve().parents[3] / "examples" / "love"
LIBRARY = "libgibbous.so.0"
LIMIT_S = 120
MARK = "LOVE_TEST_MARK"  # every process that the game starts inherits this variable

prefix = Path()
module: Path | None = None


def run_tests() -> None:
    """Reads the arguments of a test file, and runs its tests."""
    global prefix, module
    if len(sys.argv) < 2 or not Path(sys.argv[1]).is_dir():
        sys.exit(f"usage: {sys.argv[0]} PREFIX [MODULE]")
    prefix = Path(sys.argv.pop(1)).resolve()
    if len(sys.argv) > 1 and Path(sys.argv[1]).is_dir():
        module = Path(sys.argv.pop(1)).resolve()
    unittest.main(module="__main__", verbosity=2)


def wait_until(what: str, condition: Callable[[], Any]) -> Any:
    """Returns what the condition returns as soon as that is true."""
    end = time.monotonic() + LIMIT_S
    while not (answer := condition()):
        if time.monotonic() > end:
            raise AssertionError(f"it took too long until {what}")
        time.sleep(0.02)
    return answer


class Game:
    """One game, from `with Game(steps)` on. `steps` are those of script.lua; {dir} is the game's own folder."""

    def __init__(self, steps: str, *options: str) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="love_test_"))
        self.mark = uuid.uuid4().hex
        (self.folder / "workspace").mkdir()
        script = self.folder / "script"
        script.write_text(steps.replace("{dir}", str(self.folder)))
        arguments = ["--workspace", str(self.folder / "workspace"), "--state", str(self.folder / "state"),
                     "--script", str(script), *options]
        reader, writer = os.pipe()
        self.display = subprocess.Popen(
            ["Xvfb", "-displayfd", str(writer), "-screen", "0", "1024x768x24", "-nolisten", "tcp"],
            pass_fds=[writer], stderr=subprocess.DEVNULL)
        os.close(writer)
        with os.fdopen(reader) as numbers:
            self.environment = self._environment(":" + numbers.readline().strip())
        self.said = ""
        try:
            self.process = subprocess.Popen(["love", str(EXAMPLE), *self._places(), *arguments], env=self.environment,
                                            stderr=subprocess.PIPE, text=True)
        except OSError:
            self._end_display()
            raise

    def _environment(self, display: str) -> dict[str, str]:
        environment = {name: value for name, value in os.environ.items() if not name.startswith("GIBBOUS_")}
        environment.update({"DISPLAY": display, "LIBGL_ALWAYS_SOFTWARE": "1", MARK: self.mark})
        if module is not None:
            environment["LUA_PATH"] = f"{module}/?.lua;{module}/?/init.lua;;"
        return environment

    def _places(self) -> list[str]:
        if module is None:
            return ["--prefix", str(prefix)]
        return ["--library", str(next(prefix.glob(f"lib*/**/{LIBRARY}")))]

    def _end_display(self) -> None:
        self.display.terminate()
        self.display.wait()

    def __enter__(self) -> "Game":
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        assert self.process.stderr is not None
        self.process.stderr.close()
        self._end_display()
        wait_until("no process of the game was left", lambda: not self.marked())
        shutil.rmtree(self.folder)

    def end(self) -> int:
        """Waits for the end of the game, and returns its exit code. What it wrote to stderr is in `said`."""
        _, self.said = self.process.communicate(timeout=LIMIT_S)
        return self.process.returncode

    def signal(self, number: signal.Signals) -> None:
        """Sends a signal to the game."""
        self.process.send_signal(number)

    def marked(self) -> list[int]:
        """Returns the ids of the processes that have the mark: the game, and all that it has started."""
        wanted = f"{MARK}={self.mark}".encode()
        found = []
        for each in Path("/proc").iterdir():
            try:
                if each.name.isdigit() and wanted in (each / "environ").read_bytes().split(b"\0"):
                    found.append(int(each.name))
            except OSError:
                continue  # it has ended, or is another user's
        return found

    def dump(self, name: str) -> dict[str, Any]:
        """Waits for the file of a step `dump`, and returns what it holds."""
        path = self.folder / name

        def read() -> dict[str, Any] | None:
            try:
                return dict(json.loads(path.read_text()))
            except (OSError, ValueError):
                if self.process.poll() is not None and not path.exists():
                    self.end()
                    raise AssertionError(f"the game ended before it wrote {name}: {self.said}") from None
                return None
        answer: dict[str, Any] = wait_until(f"the game wrote {name}", read)
        return answer


def texts(dump: dict[str, Any], kind: str | None = None) -> list[str]:
    """Returns the lines of the console, or those of one kind."""
    return [line["text"] for line in dump["lines"] if kind in (None, line["kind"])]


def has(dump: dict[str, Any], text: str, kind: str | None = None) -> bool:
    """Returns whether a line has this text."""
    return any(text in line for line in texts(dump, kind))
