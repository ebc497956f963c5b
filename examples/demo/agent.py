"""An agent's side of `gibbous session`: one JSON object a line each way.

This is all that a program needs to use Gibbous: start the command, write calls, read answers. It is kept
apart from demo.py because it is the part that you would copy.
"""

import json
import select
import subprocess

ANSWER_SECONDS = 60


class ToolError(Exception):
    """A call that was answered with an error."""


class Agent:
    """Calls tools one after the other. Lines that answer no call (events) are kept in `events`."""

    def __init__(self, command, **popen_options):
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0, **popen_options)
        self.events = []
        self._unread = b''
        self._last_id = 0

    def call(self, tool, **args):
        """The result of one call: {'text': ..., 'data': {...}}."""
        self._last_id += 1
        request = {'id': self._last_id, 'tool': tool, 'args': args}
        self.process.stdin.write(json.dumps(request).encode() + b'\n')
        while True:
            line = json.loads(self._read_line())
            if line.get('id') != self._last_id:
                self.events.append(line)
            elif 'error' in line:
                raise ToolError(f'{tool}: {line["error"]["message"]}')
            else:
                return line['result']

    def close(self):
        """Ends the session, and with it every run. Returns the exit code."""
        self.process.stdin.close()
        return self.process.wait(timeout=ANSWER_SECONDS)

    def _read_line(self):
        output = self.process.stdout
        while b'\n' not in self._unread:
            if not select.select([output], [], [], ANSWER_SECONDS)[0]:
                raise TimeoutError('gibbous does not answer')
            piece = output.read(65536)
            if not piece:
                raise EOFError('gibbous has ended')
            self._unread += piece
        line, self._unread = self._unread.split(b'\n', 1)
        return line
