"""An agent's side of `gibbous session`: one JSON object a line each way.

A program needs nothing more to use Gibbous: it starts the command, writes calls, and reads answers. Copy this file
into your own program.
"""

import json
import select
import subprocess

ANSWER_SECONDS = 60


class ToolError(Exception):
    """The answer to a call is an error."""


class Agent:
    """Calls tools one after the other, and collects other lines (events) in `events`."""

    def __init__(self, command, **popen_options):
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0, **popen_options)
        self.events = []
        self._unread = b''
        self._last_id = 0

    def call(self, tool, **args):
        """Returns the result of one call: {'text': ..., 'data': {...}}."""
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
        """Ends the session and every run in it, and returns the exit code."""
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
