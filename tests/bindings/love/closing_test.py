"""The ends of the game: none of them leaves a process behind. Leaving `with Game` checks that."""
import ctypes
import shutil
import signal
import subprocess
import unittest

from game import Game, run_tests

BUSY = r"""
type run trap '' TERM; echo stubborn; while :; do sleep 600; done
until r1 | stubborn
type run yes
until r2 | y
type run (setsid yes >/dev/null &) ; echo apart; exec yes
until r3 | apart
type call wait_for {"id": "r1", "exit": true}
dump {dir}/busy
"""


class ClientMessage(ctypes.Structure):
    """XClientMessageEvent, as long as any XEvent."""
    _fields_ = [("type", ctypes.c_int), ("serial", ctypes.c_ulong), ("send_event", ctypes.c_int),
                ("display", ctypes.c_void_p), ("window", ctypes.c_ulong), ("message_type", ctypes.c_ulong),
                ("format", ctypes.c_int), ("data", ctypes.c_long * 5), ("rest", ctypes.c_long * 12)]


def close_window(game: Game) -> None:
    """Does what a window manager does when its close button is pressed."""
    found = subprocess.run(["xdotool", "search", "--sync", "--name", "Gibbous night"], env=game.environment,
                           check=True, stdout=subprocess.PIPE, text=True)
    x11 = ctypes.CDLL("libX11.so.6")
    x11.XOpenDisplay.restype = ctypes.c_void_p
    x11.XInternAtom.restype = ctypes.c_ulong
    x11.XInternAtom.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int]
    x11.XSendEvent.argtypes = [ctypes.c_void_p, ctypes.c_ulong, ctypes.c_int, ctypes.c_long, ctypes.c_void_p]
    x11.XCloseDisplay.argtypes = [ctypes.c_void_p]
    display = x11.XOpenDisplay(game.environment["DISPLAY"].encode())
    client_message = 33
    message = ClientMessage(type=client_message, window=int(found.stdout.split()[0]), format=32,
                            message_type=x11.XInternAtom(display, b"WM_PROTOCOLS", 0))
    message.data[0] = x11.XInternAtom(display, b"WM_DELETE_WINDOW", 0)
    x11.XSendEvent(display, message.window, 0, 0, ctypes.byref(message))
    x11.XCloseDisplay(display)


class Closing(unittest.TestCase):
    @unittest.skipUnless(shutil.which("xdotool"), "xdotool is not installed")
    def test_closing_the_window_ends_every_run(self) -> None:
        with Game(BUSY) as game:
            game.dump("busy")
            self.assertGreater(len(game.marked()), 4)
            close_window(game)
            self.assertEqual(game.end(), 0, game.said)

    def test_a_game_that_is_killed_leaves_no_run(self) -> None:
        with Game(BUSY) as game:
            game.dump("busy")
            game.signal(signal.SIGKILL)
            self.assertEqual(game.end(), -signal.SIGKILL)

    def test_an_error_of_the_game_ends_its_runs_and_says_where(self) -> None:
        with Game(BUSY + "frames many\n") as game:
            self.assertEqual(game.end(), 1)
            self.assertIn("frames: expected a number", game.said)

    def test_quitting_at_once_is_no_error(self) -> None:
        with Game("type run yes\ntype quit\n") as game:
            self.assertEqual(game.end(), 0, game.said)


class Options(unittest.TestCase):
    def test_wrong_options_end_the_game_with_what_was_expected(self) -> None:
        for options, said in ((["--colour", "red"], "--colour: there is no such option"),
                              (["--mode"], "--mode: expected a value"),
                              (["--mode", "wild"], "wild"),
                              (["--script", "/nowhere"], "/nowhere"),
                              (["--library", "/nowhere.so"], "/nowhere.so")):
            with self.subTest(options), Game("", *options) as game:
                self.assertEqual(game.end(), 2)
                self.assertIn(said, game.said)

    def test_a_wrong_step_of_a_script_is_named_with_its_line(self) -> None:
        with Game("frames 1\n\nshout hello\n") as game:
            self.assertEqual(game.end(), 2)
            self.assertIn("script:3: there is no step shout", game.said)


if __name__ == "__main__":
    run_tests()
