"""Kills whole sessions at random; another process then checks what is remembered.

    session_soak.py GIBBOUS KILLS [--seed N] [--recovery lost|requeue|keep] [--drivers N]
                    [--clock LIBRARY] [--reboot-every KILLS]

Several drivers share one state directory. Each life of a driver's `gibbous session` spawns runs,
polls them with a cursor and drains its backlog, until SIGKILL comes at a random moment; all that a
life has said is kept. Meanwhile the clock is set forward and back (with stepped_clock.so as
LIBRARY), and the machine is rebooted (machine.py); the first sessions after that live until the
runs of the boot before have come to an end. At last one session settles what is left, and the file
is read with plain SQLite:

- what a spawn has acknowledged is there, and each item that a poll has given is there unchanged;
- the items of a run are numbered 1, 2, 3 ...;
- each run has one end, and no item but its event comes after it;
- no run is executed twice, but one that is queued again, and then once for each attempt;
- the runs of a session never overlap;
- of a run that has completed all lines are there, in their order, unless a note says that its host
  died before it had recorded the last ones;
- whatever a watcher has found was delivered to the session, or waits in its backlog;
- no run of a boot that is over goes on, once a session has started;
- no process of any life is left.

Prints what it did; exits with 1 and says what is broken. SIGINT ends the killing, and then all is
checked.
"""
import argparse
import os
import random
import shutil
import signal
import sys
import tempfile
import threading
import time

from checks import LINES, check
from lives import CONFIGURATIONS, Life, Notes, Place
from machine import Machine, enter_namespace

LIFE_SECONDS = 0.25  # at most, of most sessions
PATIENT_SECONDS = 10  # at most, of those that wait for the end of a run
SETTLE_SECONDS = 60
MAX_WAITING = 6  # runs of a session: a queue would only grow under so many kills
STEPS = [-3600, -60, -1, 0, 1, 60, 3600]  # the clock, beside the real time


def spawn_arguments(chance, session, token):
    nap = chance.choice([0, 0.01, 0.03, 0.1])
    script = f"echo {token} >> starts; " + "".join(
        f'echo "{line} {token}"; sleep {nap}; ' for line in LINES)
    return {"action": "spawn",
            "command": f"flock -n -E 99 {session}.lock sh -c '{script}'; "
                       f"[ $? -ne 99 ] || echo {token} >> overlaps",
            "watch": [{"regex": "^second", "event": "seen"}]}


class Driver:
    """One client after the other of one session; its thread kills each at a random moment."""

    def __init__(self, place, notes, session, chance):
        self.place, self.notes, self.session, self.chance = place, notes, session, chance
        self.count = 0
        self.boots = 0

    def waiting(self):
        with self.notes.lock:
            return [run for run, token in self.notes.going_on.items()
                    if token.startswith(self.session + "x")]

    def drive(self, lives):
        for _ in range(lives):
            if self.notes.enough:
                return
            with self.place.starting:
                boots = self.place.machine.boots
                life = Life(self.place, self.notes, self.session)
            self.begin(life)
            if boots != self.boots:
                self.boots = boots
                self.outlive_old_boot(life)
            self.use(life)
            life.kill()
            with self.notes.lock:
                self.notes.kills += 1

    def begin(self, life):
        for _ in range(self.chance.randint(0, 2) if len(self.waiting()) < MAX_WAITING else 0):
            self.count += 1
            token = f"{self.session}x{self.count}"
            life.shell(spawn_arguments(self.chance, self.session, token), ("spawn", token))
        life.say({"drain": self.session})
        # Some die while they are being born.
        if self.chance.random() < 0.8:
            life.answered.wait(SETTLE_SECONDS)

    def outlive_old_boot(self, life):
        deadline = time.monotonic() + SETTLE_SECONDS
        while life.process.poll() is None and (left := self.place.of_earlier_boots()):
            if time.monotonic() > deadline:
                with self.notes.lock:
                    self.notes.problems.append(f"runs of an earlier boot go on: {left}")
                return
            time.sleep(0.05)

    def use(self, life):
        until = time.monotonic() + self.chance.uniform(0, LIFE_SECONDS)
        awaited = None
        # It takes 1.5 s to see that a run is lost whose host died while it started it: without lives
        # that wait for the end of a run, its session would start no new ones.
        if self.chance.random() < 0.15 and (mine := self.waiting()):
            awaited, until = mine[0], time.monotonic() + PATIENT_SECONDS
        while time.monotonic() < until:
            mine = self.waiting()
            if awaited and awaited not in mine:
                return
            for run in mine[:2] + mine[-2:]:
                with self.notes.lock:
                    seen = self.notes.last_seq[run] if self.chance.random() < 0.2 else 0
                life.shell({"action": "poll", "run_id": run, "since_seq": seen}, ("poll", run))
            if self.chance.random() < 0.3:
                life.say({"drain": self.session})
            time.sleep(min(0.1 if awaited else 0.02, max(0, until - time.monotonic())))


def disturb(place, notes, chance, reboot_every, over):
    """Sets the clock, and reboots the machine each time that so many sessions were killed."""
    reboot_at = reboot_every
    next_step = 0.0
    while not over():
        time.sleep(0.05)
        if place.machine.clock and time.monotonic() > next_step:
            place.machine.set_clock(chance.choice(STEPS))
            next_step = time.monotonic() + chance.uniform(0.2, 2)
        if reboot_at and place.machine.boot_file and notes.kills >= reboot_at:
            reboot_at += reboot_every
            with place.starting:
                place.machine.reboot()
        if sys.stderr.isatty():
            print(f"\r{notes.kills} killed", end="", file=sys.stderr)


def settle(place, notes, sessions):
    """One more life that is left alone until nothing is queued or running."""
    lives = [Life(place, notes, session) for session in sessions]
    deadline = time.monotonic() + SETTLE_SECONDS
    while time.monotonic() < deadline:
        for life in lives:
            life.say({"drain": life.session})
        time.sleep(0.2)
        open_runs = place.count_open()
        if open_runs == 0:
            break
    else:
        notes.problems.append(f"{open_runs} runs do not come to an end")
    time.sleep(0.2)
    for life in lives:
        life.say({"drain": life.session})
    time.sleep(0.5)
    for life in lives:
        life.process.stdin.close()
        life.reader.join()
        life.close()


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("gibbous")
    parser.add_argument("kills", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--recovery", choices=sorted(CONFIGURATIONS), default="lost")
    parser.add_argument("--drivers", type=int, default=3)
    parser.add_argument("--clock", metavar="LIBRARY")
    parser.add_argument("--reboot-every", type=int, default=0, metavar="KILLS")
    return parser.parse_args()


def main():
    options = arguments()
    if options.reboot_every:
        enter_namespace()
    notes = Notes()

    def stop(_number, _frame):
        notes.enough = True

    signal.signal(signal.SIGINT, stop)
    directory = tempfile.mkdtemp(prefix="gibbous-soak-")
    machine = Machine(directory, f"soak-{os.getpid()}-{random.getrandbits(64):x}",
                      options.clock and os.path.abspath(options.clock))
    if options.reboot_every and not machine.boot_file:
        print("no reboots: this user may not cover the kernel's boot id")
    place = Place(os.path.abspath(options.gibbous), directory, options.recovery, machine)
    sessions = [f"s{i}" for i in range(options.drivers)]
    started = time.monotonic()
    drivers = [threading.Thread(target=Driver(
        place, notes, session, random.Random(options.seed * 1000 + i)).drive, daemon=True,
        args=((options.kills + i) // options.drivers,)) for i, session in enumerate(sessions)]
    for driver in drivers:
        driver.start()
    disturb(place, notes, random.Random(options.seed), options.reboot_every,
            lambda: not any(driver.is_alive() for driver in drivers))
    if not notes.spawned:
        print(f"broken: no life of {options.kills} came so far as to spawn a run")
        return 1
    settle(place, notes, sessions)
    runs, states, items, again = check(place, notes)
    if left := machine.wait_until_empty():
        notes.problems.append(f"processes are left: {left}")
    print(f"{notes.kills} sessions killed in {time.monotonic() - started:.0f} s, {machine.boots} reboots, "
          f"{machine.steps} steps of the clock, recovery {options.recovery}: "
          f"{runs} runs ({len(notes.spawned)} acknowledged), "
          + ", ".join(f"{count} {state}" for state, count in sorted(states.items()))
          + f"; {items} items, {len(notes.items)} of them polled; {again} events came again")
    for problem in notes.problems[:200]:
        print("broken:", problem)
    if notes.problems:
        print(f"{len(notes.problems)} broken invariants; all is in {directory}")
        return 1
    shutil.rmtree(directory)
    return 0


if __name__ == "__main__":
    sys.exit(main())
