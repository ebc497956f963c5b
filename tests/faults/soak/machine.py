"""A machine that can be rebooted, and whose clock can be set, as far as Gibbous can tell.

In a mount namespace of our own, a file of ours covers the kernel's boot id. A reboot kills every process
that carries the mark at once, keepers included, and changes the id. A library that is loaded before
each program adds our offset to the time of the day.
"""
import os
import pathlib
import shutil
import signal
import struct
import subprocess
import sys
import time
import uuid

MARK = "GIBBOUS_SOAK_MARK"
INSIDE = "GIBBOUS_SOAK_BOOT_ID"  # the file that covers the boot id, once we are in our namespace
BOOT_ID = "/proc/sys/kernel/random/boot_id"
END_SECONDS = 60


def enter_namespace():
    """Starts this program again in a mount namespace with a boot id of its own; returns where that is
    not permitted, and at once in the namespace."""
    if INSIDE in os.environ or not shutil.which("unshare"):
        return
    unshare = ["unshare", "--mount"] + ([] if os.geteuid() == 0 else ["--map-root-user"])
    file = pathlib.Path(f"/tmp/gibbous-soak-boot-{uuid.uuid4()}")
    file.write_text(f"{uuid.uuid4()}\n")
    try:
        if subprocess.run([*unshare, "mount", "--bind", file, BOOT_ID], check=False,
                          capture_output=True).returncode != 0:
            return
        script = 'mount --bind "$0" ' + BOOT_ID + ' && exec "$@"'
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # it is for the process inside
        ended = subprocess.run([*unshare, "sh", "-c", script, file, sys.executable, *sys.argv], check=False,
                               env={**os.environ, INSIDE: str(file)})
    finally:
        file.unlink(missing_ok=True)
    sys.exit(ended.returncode)


class Machine:
    def __init__(self, directory, mark, clock_library):
        self.mark = mark
        self.boots = 0
        self.steps = 0
        self.boot_file = os.environ.get(INSIDE)
        self.environment = {**os.environ, MARK: mark}
        self.environment.pop(INSIDE, None)
        self.clock = None
        if clock_library:
            self.clock = pathlib.Path(directory, "clock")
            self.set_clock(0)
            self.environment |= {"LD_PRELOAD": clock_library, "STEPPED_CLOCK": str(self.clock)}

    def set_clock(self, seconds):
        """Sets the clock to so many seconds beside the real time."""
        data = struct.pack("=q", seconds * 1_000_000_000)
        if not self.clock.exists():
            self.clock.write_bytes(data)
            return
        with open(self.clock, "r+b") as file:
            file.write(data)
        self.steps += 1

    def boot_id(self):
        return pathlib.Path(BOOT_ID).read_text().strip()

    def reboot(self):
        """Ends every process of this machine at once; no keeper lives long enough to end its runs."""
        deadline = time.monotonic() + END_SECONDS
        while pids := self.processes():
            for pid in pids:
                try:
                    os.kill(pid, signal.SIGSTOP)
                except ProcessLookupError:
                    pass
            for pid in pids:
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
            if time.monotonic() > deadline:
                raise TimeoutError(f"processes survive a reboot: {pids}")
        with open(self.boot_file, "r+", encoding="ascii") as file:
            file.write(f"{uuid.uuid4()}\n")
        self.boots += 1

    def processes(self):
        """The pids that live and carry the mark. A process that has ended has no environment."""
        found = []
        for path in pathlib.Path("/proc").glob("[0-9]*/environ"):
            try:
                if self.mark.encode() in path.read_bytes():
                    found.append(int(path.parent.name))
            except OSError:
                pass
        return found

    def wait_until_empty(self):
        """Returns what is still there when nothing has come to an end for a long time."""
        deadline = time.monotonic() + END_SECONDS
        while (left := self.processes()) and time.monotonic() < deadline:
            time.sleep(0.1)
        return left
