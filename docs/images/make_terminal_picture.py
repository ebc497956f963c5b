#!/usr/bin/env python3
"""Makes the pictures of a terminal that README.md shows, from a real run.

    make_terminal_picture.py GIBBOUS [DIRECTORY]

Starts a session of GIBBOUS as an agent would, calls tools, asks `gibbous ps` beside it, and draws what came back as
terminal_light.svg and terminal_dark.svg in DIRECTORY (beside this file by default). Only the machine's own names are
replaced: ids, pids and ports are those of the run.
"""

import contextlib
import fcntl
import html
import os
import pty
import re
import select
import socket
import struct
import subprocess
import sys
import tempfile
import termios
import textwrap
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent / 'examples' / 'demo'))

from agent import Agent, ToolError  # noqa: E402

COLUMNS = 96
CELL_WIDTH = 8.4
LINE_HEIGHT = 20
FONT_SIZE = 14
MARGIN = 18
TITLE_HEIGHT = 34
COMMAND_S = 30
PS_LIMIT_S = 20

SERVER = 'python3 -u -m http.server {port} --bind 127.0.0.1'
STUBBORN = "trap '' TERM; setsid sleep 999 & echo up; sleep 999"

THEMES = {
    'light': {'back': '#ffffff', 'bar': '#eaeef2', 'edge': '#d0d7de', 'text': '#1f2328', 'dim': '#59636e',
              'red': '#cf222e', 'green': '#1a7f37', 'yellow': '#9a6700', 'blue': '#0550ae', 'cyan': '#1b7c83'},
    'dark': {'back': '#0d1117', 'bar': '#161b22', 'edge': '#30363d', 'text': '#e6edf3', 'dim': '#9198a1',
             'red': '#ff7b72', 'green': '#56d364', 'yellow': '#e3b341', 'blue': '#79c0ff', 'cyan': '#76e3ea'},
}
CODES = {31: 'red', 32: 'green', 33: 'yellow', 34: 'blue', 35: 'red', 36: 'cyan', 90: 'dim', 2: 'dim'}
SGR = re.compile(r'\x1b\[([\d;]*)m')
OTHER_SEQUENCE = re.compile(r'\x1b(?:\[[\d;?]*[A-Za-ln-z]|\][^\x07]*\x07|[=>])')


# --- what is shown: lines, each a list of (text, colour, bold) ----------------------------------------


class Transcript:
    def __init__(self):
        self.lines = []

    def add(self, *spans):
        self.lines.append([(text, colour, bold) for text, colour, bold in spans if text])

    def blank(self):
        self.lines.append([])

    def comment(self, text):
        self.add((f'# {text}', 'dim', False))

    def prompt(self, command):
        self.add(('$ ', 'green', True), (command, 'text', True))

    def call(self, tool, **args):
        shown = ', '.join(f'{name}={value!r}' for name, value in args.items())
        first, *rest = textwrap.wrap(f'{tool} {shown}', COLUMNS - 2, subsequent_indent='  ', break_on_hyphens=False)
        self.add(('→ ', 'cyan', True), (tool, 'cyan', True), (first[len(tool):], 'text', False))
        for line in rest:
            self.add((f'  {line}', 'text', False))

    def answer(self, text, colour='dim', limit=3):
        shown = []
        for line in text.rstrip('\n').splitlines():
            shown += textwrap.wrap(line, COLUMNS - 4, break_on_hyphens=False) or ['']
        for line in shown[:limit]:
            self.add((f'  {line}', colour, False))

    def coloured(self, text):
        """Lines with the colours that a program gave them."""
        colour, bold = 'text', False
        for line in OTHER_SEQUENCE.sub('', text).replace('\r', '').rstrip('\n').split('\n'):
            spans, at = [], 0
            for code in SGR.finditer(line):
                spans.append((line[at:code.start()], colour, bold))
                at = code.end()
                for number in (int(part or 0) for part in code[1].split(';')):
                    if number == 0:
                        colour, bold = 'text', False
                    elif number == 1:
                        bold = True
                    elif number == 39:
                        colour = 'text'
                    elif number in CODES:
                        colour = CODES[number]
            spans.append((line[at:], colour, bold))
            self.add(*cut(spans, COLUMNS))


def cut(spans, columns):
    kept = []
    for text, colour, bold in spans:
        kept.append((text[:columns], colour, bold))
        columns -= len(text)
        if columns <= 0:
            break
    return kept


# --- the run ------------------------------------------------------------------------------------------


def free_port():
    with socket.socket() as probe:
        probe.bind(('127.0.0.1', 0))
        return probe.getsockname()[1]


def output_on_terminal(command, environment):
    """What a command prints on a terminal of COLUMNS columns."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack('HHHH', 24, COLUMNS, 0, 0))
    with os.fdopen(master, 'rb', buffering=0) as screen:
        process = subprocess.Popen(command, stdin=slave, stdout=slave, stderr=slave,
                                   env={**environment, 'TERM': 'xterm-256color'})
        os.close(slave)
        printed = b''
        deadline = time.monotonic() + COMMAND_S
        while select.select([screen], [], [], max(0, deadline - time.monotonic()))[0]:
            with contextlib.suppress(OSError):  # the terminal has been closed: the command has ended
                piece = screen.read(65536)
                printed += piece
                continue
            break
        process.wait(timeout=COMMAND_S)
    return printed.decode(errors='replace')


def recorded_runs(gibbous, environment, count):
    """`gibbous ps`, once the journal has that many runs."""
    deadline = time.monotonic() + PS_LIMIT_S
    while True:
        shown = output_on_terminal([gibbous, 'ps'], environment)
        if shown.count('running') >= count or time.monotonic() > deadline:
            return shown
        time.sleep(0.1)


def run_session(gibbous):
    """The transcript of a session."""
    made = Transcript()
    with tempfile.TemporaryDirectory() as directory:
        workspace, state = Path(directory) / 'shop', Path(directory) / 'state'
        workspace.mkdir()
        environment = {name: value for name, value in os.environ.items() if name != 'NO_COLOR'}
        environment['XDG_STATE_HOME'] = str(state)
        agent = Agent([gibbous, 'session', '--mode', 'auto', '--workspace', str(workspace)], env=environment)

        def call(tool, limit=3, **args):
            made.call(tool, **args)
            result = agent.call(tool, **args)
            made.answer(result['text'], limit=limit)
            return result['data']

        port = free_port()
        made.comment('what an agent calls, and what it gets back')
        server = call('bg_start', command=SERVER.format(port=port), label='web')
        call('wait_for', port=port)
        stubborn = call('bg_start', command=STUBBORN, label='stubborn')
        agent.call('wait_for', id=stubborn['id'], output_regex='up')
        made.call('bg_start', command="r''m -rf /")
        try:
            agent.call('bg_start', command="r''m -rf /")
        except ToolError as refused:
            made.answer(str(refused).removeprefix('bg_start: '), 'red')
        made.blank()
        made.comment('what a person sees, from any terminal')
        made.prompt('gibbous ps')
        made.coloured(recorded_runs(gibbous, environment, 2))
        made.blank()
        made.comment('ending a tree that ignores SIGTERM, with a daemon in it')
        call('bg_kill', id=stubborn['id'], limit=4)
        call('bg_kill', id=server['id'])
        agent.close()
        return [[(text.replace(str(Path(directory).resolve()), '/home/ann').replace(directory, '/home/ann'), colour, bold)
                 for text, colour, bold in line] for line in made.lines]


# --- the picture --------------------------------------------------------------------------------------


def draw(lines, theme):
    width = COLUMNS * CELL_WIDTH + 2 * MARGIN
    height = TITLE_HEIGHT + len(lines) * LINE_HEIGHT + 2 * MARGIN
    made = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{width:g}" '
        f'height="{height:g}" role="img">',
        '<title>A session: tools start a server, wait for it, are refused a dangerous command, and end a stubborn '
        'process tree</title>',
        f'<style>text{{font:{FONT_SIZE}px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;'
        'white-space:pre}.b{font-weight:600}' +
        ''.join(f'.{name}{{fill:{value}}}' for name, value in theme.items()) + '</style>',
        f'<rect class="back" x=".5" y=".5" width="{width - 1:g}" height="{height - 1:g}" rx="10" '
        f'stroke="{theme["edge"]}"/>',
        f'<path class="bar" d="M1 {TITLE_HEIGHT}V10a9 9 0 0 1 9-9H{width - 10:g}a9 9 0 0 1 9 9v{TITLE_HEIGHT - 10}z"/>',
    ]
    for at, colour in enumerate(('red', 'yellow', 'green')):
        made.append(f'<circle class="{colour}" cx="{MARGIN + 6 + 20 * at}" cy="{TITLE_HEIGHT / 2:g}" r="6"/>')
    for number, line in enumerate(lines):
        y = TITLE_HEIGHT + MARGIN + number * LINE_HEIGHT + FONT_SIZE
        column = 0
        for text, colour, bold in line:
            shown = text.strip(' ')
            if shown:
                x = MARGIN + (column + len(text) - len(text.lstrip(' '))) * CELL_WIDTH
                weight = ' b' if bold else ''
                made.append(f'<text class="{colour}{weight}" x="{x:.1f}" y="{y}" xml:space="preserve" '
                            f'textLength="{len(shown) * CELL_WIDTH:.1f}" lengthAdjust="spacingAndGlyphs">'
                            f'{html.escape(shown, quote=False)}</text>')
            column += len(text)
    return '\n'.join([*made, '</svg>']) + '\n'


def main():
    gibbous = sys.argv[1]
    directory = Path(sys.argv[2]) if len(sys.argv) > 2 else HERE
    lines = run_session(str(Path(gibbous).resolve()))
    for name, theme in THEMES.items():
        (directory / f'terminal_{name}.svg').write_text(draw(lines, theme), encoding='utf-8')
    for line in lines:
        print(''.join(text for text, _, _ in line))
    return 0


if __name__ == '__main__':
    sys.exit(main())
