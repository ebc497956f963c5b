"""The game while its runs print as fast as they can."""
import json
import sys
import unittest

from game import Game, has, run_tests

FRAMES = 200
FLOODS = (
    "yes the quick brown fox", "yes", "cat /dev/urandom", r"cat /dev/zero | tr '\0' x", "while :; do seq 100000; done",
    "yes >&2", r"while :; do printf '\033[31m%s\033[0m\r' progress; done", "yes 'GET /moon.png 200'",
)
STEPS = "".join(f"type run {command}\nuntil Process started\n" for command in FLOODS) + f"""
dump {{dir}}/before
measure
frames {FRAMES}
type call spawn {{"count": 25}}
until 325 now
type list
until label="r{len(FLOODS)}"
dump {{dir}}/after
"""


class Flood(unittest.TestCase):
    def test_frames_go_on_while_eight_runs_flood_and_nothing_is_left_when_the_game_quits(self) -> None:
        with Game(STEPS + "type quit\n") as game:
            before, after = game.dump("before"), game.dump("after")
            self.assertEqual(game.end(), 0, game.said)
        self.assertGreaterEqual(after["frames"] - before["frames"], FRAMES)
        self.assertEqual(after["flies"], 325)
        earlier = {run["label"]: run["bytes"] for run in before["runs"]}
        self.assertEqual(len(after["runs"]), len(FLOODS))
        for run in after["runs"]:
            self.assertEqual(run["state"], "running")
            self.assertGreater(run["bytes"], earlier.get(run["label"], 0), f"{run['label']} printed nothing more")
        # Figures for the record: on a loaded machine no limit would be fair.
        json.dump({"budget": after["budget"], "milliseconds": after["times"]}, sys.stdout, indent=1, sort_keys=True)
        print()

    def test_a_flood_is_thinned_in_the_console_but_an_answer_is_not(self) -> None:
        with Game("type run yes\nuntil r1 | y\nframes 150\ntype call spawn {\"count\": 1}\nuntil 301 now\n"
                  "type kill r1\nuntil not shown\ndump {dir}/end\ntype quit\n") as game:
            dump = game.dump("end")
            self.assertEqual(game.end(), 0, game.said)
        self.assertTrue(has(dump, "r1 killed"))
        run = next(each for each in dump["runs"] if each["label"] == "r1")
        shown = sum(line["text"] == "r1 | y" for line in dump["lines"])
        self.assertGreater(run["hidden"], 100 * shown)


if __name__ == "__main__":
    run_tests()
