"""Kills whole sessions at random; another process then checks what is remembered.

    session_soak.py GIBBOUS KILLS [--seed N] [--recovery lost|requeue] [--drivers N]

Several drivers share one state directory. Each life of a driver's `gibbous session` spawns runs,
polls them with a cursor and drains its backlog, until SIGKILL comes at a random moment; all that a
life has said is kept. In the end one session settles what is left, and the file is read with plain
SQLite:

- what a spawn has acknowledged is there, and each item that a poll has given is there unchanged;
- the items of a run are numbered 1, 2, 3 ... in the order of their times;
- each run has one end, and no item but its event comes after it;
- no run is executed twice, but one that is queued again, and then once for each attempt;
- the runs of a session never overlap;
- of a run that has completed all lines are there, in their order;
- whatever a watcher has found was delivered to the session, or waits in its backlog;
- no process of any life is left.

Prints what it did; exits with 1 and says what is broken.
"""
import argparse
import collections
import json
import os
import pathlib
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time

ENDS = {"completed", "failed", "killed", "timeout", "lost"}
MARK = "GIBBOUS_SOAK_MARK"
LIFE_SECONDS = 0.25  # at most, of a session
SETTLE_SECONDS = 60
MAX_WAITING = 6  # runs of a session: a queue would only grow under so many kills
LINES = ["first", "second", "third"]


class Notes:
    """What all lives have said."""

    def __init__(self):
        self.lock = threading.Lock()
        self.spawned = {}  # run id -> token
        self.items = {}  # (run id, seq) -> (type, payload)
        self.done = set()  # of runs, as polls have told
        self.delivered = collections.Counter()  # (event, run id)
        self.problems = []
        self.kills = 0
        self.answers = 0


class Life:
    """One `gibbous session`, from start to SIGKILL."""

    def __init__(self, place, notes, session):
        self.place, self.notes, self.session = place, notes, session
        self.asked = {}
        self.last = 0
        self.open = set()  # requests without an answer yet
        self.answered = threading.Event()  # all that were asked so far
        self.process = subprocess.Popen(
            [place.gibbous, "session", "--state", place.state, "--workspace", place.work,
             "--toolset", "shell", "--mode", "dangerous", "--config", place.config],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0,
            env={**os.environ, MARK: place.mark})
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def say(self, request, about=None):
        self.last += 1
        with self.notes.lock:
            self.asked[self.last] = about
            self.open.add(self.last)
        try:
            self.process.stdin.write((json.dumps({"id": self.last, **request}) + "\n").encode())
        except BrokenPipeError:
            pass

    def shell(self, arguments, about):
        self.say({"tool": "shell", "session": self.session, "args": arguments}, about)

    def read(self):
        for line in self.process.stdout:
            if line.endswith(b"\n"):
                self.take(json.loads(line))

    def take(self, answer):
        notes = self.notes
        with notes.lock:
            notes.answers += 1
            about = self.asked.get(answer.get("id"))
            self.open.discard(answer.get("id"))
            if not self.open:
                self.answered.set()
            if "drain" in answer:
                for event in answer["drain"]["events"]:
                    notes.delivered[event["event"], event.get("run")] += 1
            elif about and "result" in answer:
                kind, what = about
                data = answer["result"]["data"]
                if kind == "spawn":
                    notes.spawned[data["run_id"]] = what
                else:
                    self.take_items(what, data)

    def take_items(self, run, data):
        if data["done"]:
            self.notes.done.add(run)
        for item in data["items"]:
            key = run, item["seq"]
            value = item["item_type"], item["payload"]
            if self.notes.items.setdefault(key, value) != value:
                self.notes.problems.append(f"{key} was {self.notes.items[key]}, then {value}")

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.reader.join()
        errors = self.process.stderr.read().decode(errors="replace")
        self.close()
        if "ERROR: " in errors or "assert" in errors.lower():
            self.notes.problems.append(errors)

    def close(self):
        for stream in self.process.stdin, self.process.stdout, self.process.stderr:
            stream.close()
        self.process.wait()


class Place:
    def __init__(self, gibbous, directory, recovery):
        self.gibbous = gibbous
        self.root = pathlib.Path(directory)
        self.state, self.work = str(self.root / "state"), str(self.root / "work")
        os.mkdir(self.work)
        self.config = str(self.root / "config.lua")
        pathlib.Path(self.config).write_text(
            "return { journal = { recovery = '%s', max_attempts = 0 } }\n" % recovery)
        self.mark = f"soak-{os.getpid()}-{random.getrandbits(64):x}"

    def lines_of(self, name):
        path = pathlib.Path(self.work, name)
        return path.read_text().split() if path.exists() else []


def spawn_arguments(chance, session, token):
    nap = chance.choice([0, 0.01, 0.03, 0.1])
    script = f"echo {token} >> starts; " + "".join(
        f'echo "{line} {token}"; sleep {nap}; ' for line in LINES)
    return {"action": "spawn",
            "command": f"flock -n -E 99 {session}.lock sh -c '{script}'; "
                       f"[ $? -ne 99 ] || echo {token} >> overlaps",
            "watch": [{"regex": "^second", "event": "seen"}]}


def drive(place, notes, session, chance, lives):
    count = 0
    for _ in range(lives):
        life = Life(place, notes, session)
        with notes.lock:
            waiting = [run for run, token in notes.spawned.items()
                       if token.startswith(session + "x") and run not in notes.done]
        for _ in range(chance.randint(0, 2) if len(waiting) < MAX_WAITING else 0):
            count += 1
            token = f"{session}x{count}"
            life.shell(spawn_arguments(chance, session, token), ("spawn", token))
        life.say({"drain": session})
        # Some die while they are being born.
        if chance.random() < 0.8:
            life.answered.wait(SETTLE_SECONDS)
        until = time.monotonic() + chance.uniform(0, LIFE_SECONDS)
        while time.monotonic() < until:
            with notes.lock:
                mine = [run for run, token in notes.spawned.items()
                        if token.startswith(session + "x") and run not in notes.done]
                mine = mine[:2] + mine[-2:]
            for run in mine:
                with notes.lock:
                    seen = max((seq for of, seq in notes.items if of == run), default=0) \
                        if chance.random() < 0.2 else 0
                life.shell({"action": "poll", "run_id": run, "since_seq": seen}, ("poll", run))
            if chance.random() < 0.3:
                life.say({"drain": session})
            time.sleep(min(0.02, max(0, until - time.monotonic())))
        life.kill()
        with notes.lock:
            notes.kills += 1


def count_open(place):
    with sqlite3.connect(f"file:{place.state}/sessions.db?mode=ro", uri=True) as file:
        return file.execute("SELECT count(*) FROM exec_runs "
                            "WHERE status IN ('queued','starting','running')").fetchone()[0]


def settle(place, notes, sessions):
    """One more life that is left alone until nothing is queued or running."""
    lives = [Life(place, notes, session) for session in sessions]
    deadline = time.monotonic() + SETTLE_SECONDS
    while time.monotonic() < deadline:
        for life in lives:
            life.say({"drain": life.session})
        time.sleep(0.2)
        open_runs = count_open(place)
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


def check_run(notes, run, rows, starts):
    run_id, status, attempt, command, last_seq = run
    problems, name = notes.problems, f"run {run_id} ({run[1]})"
    seqs = [row[0] for row in rows]
    if seqs != list(range(1, last_seq + 1)):
        problems.append(f"{name}: items {seqs}, expected 1 to {last_seq}")
    ends = [row[0] for row in rows if row[1] == "state" and row[2] in ENDS]
    if status not in ENDS or len(ends) != 1:
        problems.append(f"{name}: ends at {ends}")
    elif any(row[1] != "event" for row in rows if row[0] > ends[0]):
        problems.append(f"{name}: something comes after its end")
    token = command.split("echo ")[1].split(" ")[0]
    if starts[token] > attempt:
        problems.append(f"{name}: executed {starts[token]} times in {attempt} attempts")
    if status == "completed":
        output = "".join(row[2] for row in rows if row[1] == "stdout")
        wanted = "".join(f"{line} {token}\n" for line in LINES)
        if not output.endswith(wanted) or (attempt == 1 and output != wanted):
            problems.append(f"{name}: completed with {output!r}")


def check(place, notes):
    starts = collections.Counter(place.lines_of("starts"))
    for token in place.lines_of("overlaps"):
        notes.problems.append(f"{token}: two runs of its session ran at once")
    found = collections.defaultdict(list)
    with sqlite3.connect(f"file:{place.state}/sessions.db?mode=ro", uri=True) as file:
        for run, *row in file.execute("SELECT run_id, seq, item_type, payload FROM exec_run_items "
                                      "ORDER BY run_id, seq"):
            found[run].append(row)
        runs = file.execute("SELECT run_id, status, attempt, command, last_seq FROM exec_runs") \
            .fetchall()
        waiting = set(file.execute("SELECT event, run_id FROM backlog_messages"))
    for run in runs:
        check_run(notes, run, found[run[0]], starts)
    known = {run[0] for run in runs}
    for run in notes.spawned:
        if run not in known:
            notes.problems.append(f"run {run} was acknowledged and is not there")
    for (run, seq), (kind, payload) in notes.items.items():
        rows = [row for row in found[run] if row[0] == seq]
        if not rows or (rows[0][1], rows[0][2]) != (kind, payload):
            notes.problems.append(f"run {run}, item {seq}: told {kind} {payload!r}, is {rows}")
    lost = again = 0
    for run, rows in found.items():
        for row in rows:
            if row[1] != "event" or row[2] not in ("seen", "run_ended"):
                continue
            if (row[2], run) not in notes.delivered and (row[2], run) not in waiting:
                lost += 1
                notes.problems.append(f"run {run}: its event {row[2]} was lost")
    again = sum(count - 1 for (event, _), count in notes.delivered.items()
                if event == "seen" and count > 1)
    states = collections.Counter(run[1] for run in runs)
    return len(runs), states, sum(len(rows) for rows in found.values()), again


def survivors(mark):
    found = []
    for path in pathlib.Path("/proc").glob("[0-9]*/environ"):
        try:
            if mark.encode() in path.read_bytes():
                found.append(int(path.parent.name))
        except OSError:
            pass
    return found


def gone(mark):
    deadline = time.monotonic() + SETTLE_SECONDS
    while survivors(mark):
        if time.monotonic() > deadline:
            return survivors(mark)
        time.sleep(0.1)
    return []


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    arguments.add_argument("gibbous")
    arguments.add_argument("kills", type=int)
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--recovery", choices=["lost", "requeue"], default="lost")
    arguments.add_argument("--drivers", type=int, default=3)
    options = arguments.parse_args()
    notes = Notes()
    directory = tempfile.mkdtemp(prefix="gibbous-soak-")
    place = Place(os.path.abspath(options.gibbous), directory, options.recovery)
    sessions = [f"s{i}" for i in range(options.drivers)]
    started = time.monotonic()
    drivers = [threading.Thread(target=drive, daemon=True, args=(
        place, notes, session, random.Random(options.seed * 1000 + i),
        (options.kills + i) // options.drivers)) for i, session in enumerate(sessions)]
    for driver in drivers:
        driver.start()
    for driver in drivers:
        while driver.is_alive():
            driver.join(10)
            if sys.stderr.isatty():
                print(f"\r{notes.kills} of {options.kills}", end="", file=sys.stderr)
    if not notes.spawned:
        print(f"broken: no life of {options.kills} came so far as to spawn a run")
        return 1
    settle(place, notes, sessions)
    runs, states, items, again = check(place, notes)
    left = gone(place.mark)
    if left:
        notes.problems.append(f"processes are left: {left}")
    print(f"{notes.kills} sessions killed in {time.monotonic() - started:.0f} s, recovery "
          f"{options.recovery}: {runs} runs ({len(notes.spawned)} acknowledged), "
          + ", ".join(f"{count} {state}" for state, count in sorted(states.items()))
          + f"; {items} items, {len(notes.items)} of them polled; {again} events came again")
    for problem in notes.problems[:20]:
        print("broken:", problem)
    if notes.problems:
        print(f"{len(notes.problems)} broken invariants; all is in {directory}")
        return 1
    shutil.rmtree(directory)
    return 0


if __name__ == "__main__":
    sys.exit(main())
