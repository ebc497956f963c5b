"""What a player types into the console of the game, and what it answers."""
import shutil
import subprocess
import unittest
from typing import Any

from game import Game, has, run_tests, texts


def played(steps: str) -> dict[str, Any]:
    """Plays a game to its end, and returns what it showed last."""
    with Game(steps + "\ndump {dir}/end\ntype quit\n") as game:
        dump = game.dump("end")
        code = game.end()
        assert code == 0, f"exit code {code}: {game.said}"
        return dump


class Console(unittest.TestCase):
    def test_output_of_a_run_appears_as_lines_without_escape_sequences(self) -> None:
        dump = played(r"""
            type run echo one; printf '\033[31mred\033[0m\n10%%\r20%%\n\377\n'; echo wrong >&2; printf rest
            until r1 completed""")
        self.assertEqual(texts(dump, "stdout"), ["r1 | one", "r1 | red", "r1 | 20%", "r1 | \ufffd", "r1 | rest"])
        self.assertEqual(texts(dump, "stderr"), ["r1 | wrong"])
        self.assertTrue(has(dump, "r1 completed: exit code 0", "event"))

    def test_a_run_that_fails_is_told_with_its_exit_code(self) -> None:
        dump = played("type run exit 3\nuntil r1 failed")
        self.assertTrue(has(dump, "exit code 3", "error"))

    def test_tools_of_the_host_change_the_running_game(self) -> None:
        dump = played("""
            type call spawn {"count": 50}
            until fireflies more
            type call set_color {"color": "blue"}
            until are blue""")
        self.assertEqual((dump["flies"], dump["color"]), (350, "blue"))

    def test_wrong_arguments_of_a_host_tool_change_nothing_and_are_named(self) -> None:
        dump = played("""
            type call spawn {"count": 501}
            until args.count
            type call set_color {"color": "mud"}
            until args.color
            type call spawn {"count": "many"}
            until args.count""")
        self.assertEqual((dump["flies"], dump["color"]), (300, "amber"))

    def test_a_host_tool_says_why_it_refuses(self) -> None:
        steps = "".join(f'type call spawn {{"count": 500}}\nuntil {now} now\n' for now in (800, 1300, 1800))
        dump = played(steps + 'type call spawn {"count": 500}\nuntil there is room for 200 more')
        self.assertEqual(dump["flies"], 1800)

    def test_runs_are_listed_logged_waited_for_and_killed_by_their_label(self) -> None:
        dump = played("""
            type run echo line-$((40 + 2)); exec sleep 600
            until r1 | line-42
            type list
            until label="r1"
            type logs r1
            until [stdout]
            type wait r1
            type kill r1
            until ended: killed
            until r1 killed""")
        self.assertTrue(has(dump, "line-42", "result"))

    def test_what_the_policy_asks_waits_for_the_player(self) -> None:
        dump = played("""
            type run git push
            until type: allow 1
            type deny 1
            until denied
            type run git push
            until type: allow 2
            type allow 2
            until r2 failed""")
        self.assertTrue(has(dump, "git push?", "ask"))

    def test_wrong_commands_are_answered_with_what_was_expected(self) -> None:
        wrong = {
            "nonsense": "there is no command nonsense", "run": "run: expected a shell command",
            "kill nobody": "nobody", "logs nobody": "nobody", "call": "call: expected a tool",
            "call spawn {": "expected a JSON object", "call spawn 3": "expected a JSON object",
            "call spawn [1]": "arguments", "call nothing {}": "nothing", "allow 7": "no open question 7",
            "deny x": "no open question x",
        }
        dump = played("".join(f"type {line}\nuntil {answer}\n" for line, answer in wrong.items()))
        self.assertEqual(len(texts(dump, "typed")), len(wrong))

    def test_keys_recall_what_was_typed_and_a_closed_console_takes_nothing(self) -> None:
        dump = played("""
            type call spawn {"count": 1}
            until 301 now
            key up
            key return
            until 302 now
            key f1
            type call spawn {"count": 100}
            key f1
            key pageup
            key down
            key backspace
            type call spawn {"count": 2}
            until 304 now""")
        self.assertEqual(len(texts(dump, "typed")), 3)

    def test_scripts_are_loaded_again_while_runs_go_on(self) -> None:
        dump = played("""
            type run echo before; exec sleep 600
            until r1 | before
            type reload
            until loaded again
            type call spawn {"count": 1}
            until 301 now
            type kill r1
            until r1 killed""")
        self.assertEqual(dump["flies"], 301)

    @unittest.skipUnless(shutil.which("xdotool"), "xdotool is not installed")
    def test_the_keyboard_types_into_the_console(self) -> None:
        with Game("dump {dir}/start\nuntil r1 | typed-42\ndump {dir}/end\ntype quit\n") as game:
            game.dump("start")
            subprocess.run(["xdotool", "search", "--sync", "--name", "Gibbous night", "windowfocus", "--sync",
                            "type", "--delay", "30", "run echo typed-$((40+2)"], env=game.environment, check=True)
            for keys in (["type", "))"], ["key", "BackSpace"], ["key", "Return"]):
                subprocess.run(["xdotool", *keys], env=game.environment, check=True)
            dump = game.dump("end")
            self.assertTrue(has(dump, "> run echo typed-$((40+2))", "typed"))
            self.assertEqual(game.end(), 0)


if __name__ == "__main__":
    run_tests()
