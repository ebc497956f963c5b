"""Sessions that are started, used and killed, and all that they say."""
import collections
import json
import os
import pathlib
import signal
import sqlite3
import subprocess
import threading

CONFIGURATIONS = {
    "lost": "journal = { recovery = 'lost', max_attempts = 0 }",
    "requeue": "journal = { recovery = 'requeue', max_attempts = 0 }",
    "keep": "kill_on_session_end = false, journal = { max_attempts = 0 }",
}


class Notes:
    """What all lives have said."""

    def __init__(self):
        self.lock = threading.Lock()
        self.spawned = {}  # run id -> token
        self.going_on = {}  # the same, without those that polls have told are done
        self.items = {}  # (run id, seq) -> (type, payload)
        self.last_seq = collections.Counter()  # run id -> the last one of its items
        self.delivered = collections.Counter()  # (event, run id)
        self.problems = []
        self.kills = 0
        self.enough = False  # no more are to be killed
        self.answers = 0


class Life:
    """One `gibbous session`, from start to SIGKILL."""

    def __init__(self, place, notes, session):
        self.place, self.notes, self.session = place, notes, session
        self.asked = {}
        self.last = 0
        self.open = set()  # requests without an answer yet
        self.over = False  # it answers nothing any more
        self.answered = threading.Event()  # all that were asked
        self.process = subprocess.Popen(
            [place.gibbous, "session", "--state", place.state, "--workspace", place.work,
             "--toolset", "shell", "--mode", "dangerous", "--config", place.config],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0,
            env=place.machine.environment)
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def say(self, request, about=None):
        self.last += 1
        with self.notes.lock:
            self.asked[self.last] = about
            self.open.add(self.last)
            if not self.over:
                self.answered.clear()
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
        with self.notes.lock:
            self.over = True
            self.answered.set()  # nothing more will come

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
                    notes.spawned[data["run_id"]] = notes.going_on[data["run_id"]] = what
                else:
                    self.take_items(what, data)

    def take_items(self, run, data):
        if data["done"]:
            self.notes.going_on.pop(run, None)
        for item in data["items"]:
            key = run, item["seq"]
            self.notes.last_seq[run] = max(self.notes.last_seq[run], item["seq"])
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
    """The state directory, the workspace and the configuration of all sessions."""

    def __init__(self, gibbous, directory, recovery, machine):
        self.gibbous = gibbous
        self.machine = machine
        self.root = pathlib.Path(directory)
        self.state, self.work = str(self.root / "state"), str(self.root / "work")
        os.mkdir(self.work)
        self.config = str(self.root / "config.lua")
        pathlib.Path(self.config).write_text(f"return {{ {CONFIGURATIONS[recovery]} }}\n")
        self.starting = threading.Lock()  # held by a reboot, and while a session starts

    def lines_of(self, name):
        path = pathlib.Path(self.work, name)
        return path.read_text().split() if path.exists() else []

    def ask(self, query, *values):
        with sqlite3.connect(f"file:{self.state}/sessions.db?mode=ro", uri=True) as file:
            return file.execute(query, values).fetchall()

    def count_open(self):
        return self.ask("SELECT count(*) FROM exec_runs "
                        "WHERE status IN ('queued','starting','running')")[0][0]

    def of_earlier_boots(self):
        """The runs that go on, as the journal has it, although their boot is over."""
        return [row[0] for row in self.ask(
            "SELECT run_id FROM exec_runs LEFT JOIN workers ON worker_id = owner "
            "WHERE status IN ('starting','running') AND coalesce(instr(boot_id, ?), 0) = 0",
            self.machine.boot_id())]
