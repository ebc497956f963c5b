#!/usr/bin/env python3
"""The main job of Gibbous, in a terminal, on real programs.

An agent starts a web server and learns the moment when it is ready, reads a failing build as it runs, ends a
server that ignores SIGTERM, gets an error from a watcher, and leaves no process behind, even when Gibbous itself
is killed; the next Gibbous continues where it was. The demo checks every claim, and exits with 1 when one does
not hold. Run it with `./dev demo` (GIBBOUS_DEMO_REPORT=FILE keeps its report), or

    demo.py PATH_OF_GIBBOUS
"""

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

from agent import Agent, ToolError

HERE = Path(__file__).resolve().parent
# Every process of this demo inherits it, so that /proc shows which ones are left.
MARK = f'GIBBOUS_DEMO={os.getpid()}-{time.time_ns()}'
GONE_SECONDS = 1.0  # after SIGKILL, every process must be gone within this time
TEXT_COLUMNS = 110  # columns of a tool's text to show

COLOURS = sys.stdout.isatty() and not os.environ.get('NO_COLOR')


def paint(code, text):
    return f'\x1b[{code}m{text}\x1b[0m' if COLOURS else text


def bold(text):
    return paint('1', text)


def dim(text):
    return paint('2', text)


class Failed(Exception):
    """A claim does not hold."""


def say(text=''):
    print(text, flush=True)


def title(number, text):
    say()
    say(bold(f'{number}. {text}'))


def check(holds, claim):
    """Shows a claim and whether it holds."""
    say(f'   {paint("32", "✓") if holds else paint("31", "✗")} {claim}')
    if not holds:
        raise Failed(claim)


def call(agent, tool, **args):
    """Makes a call of the agent, and shows it with its answer."""
    shown = ', '.join(f'{name}={value!r}' for name, value in args.items())
    say(f'   {paint("36", "→")} {bold(tool)} {shown}')
    result = agent.call(tool, **args)
    for line in result['text'].rstrip('\n').splitlines():
        say(dim(f'     {line[:TEXT_COLUMNS]}'))
    return result


def free_port():
    with socket.socket() as probe:
        probe.bind(('127.0.0.1', 0))
        return probe.getsockname()[1]


def processes_left(ignoring=()):
    """The living processes of this demo, read from /proc: {pid: command line}."""
    found = {}
    for entry in Path('/proc').iterdir():
        if not entry.name.isdigit() or int(entry.name) in (os.getpid(), *ignoring):
            continue
        try:
            if MARK.encode() in (entry / 'environ').read_bytes().split(b'\0'):
                words = (entry / 'cmdline').read_bytes().split(b'\0')
                found[int(entry.name)] = b' '.join(words).decode(errors='replace').strip()
        except OSError:  # it has just ended, or belongs to another user
            continue
    return found


def wait_until_gone(expected_left, seconds):
    """Seconds until only that many processes were left; None when the time was not enough."""
    started = time.monotonic()
    while time.monotonic() - started < seconds:
        if len(processes_left()) <= expected_left:
            return time.monotonic() - started
        time.sleep(0.005)
    return None


def start_agent(gibbous, workspace, state):
    name, value = MARK.split('=', 1)
    toolsets = ['--toolset', 'bg', '--toolset', 'wait', '--toolset', 'shell']
    return Agent([gibbous, 'session', '--mode', 'auto', *toolsets, '--workspace', str(workspace), '--state', str(state)],
                 env={**os.environ, name: value})


def serve_and_fetch(agent, workspace):
    title(1, 'A real web server: learn the moment it is ready')
    (workspace / 'hello.txt').write_text('hello from a page\n', encoding='utf-8')
    port = free_port()
    started = time.monotonic()
    server = call(agent, 'bg_start', label='web server',
                  command=f'python3 -u -m http.server {port} --bind 127.0.0.1')['data']
    call(agent, 'wait_for', id=server['id'], mode='all', port=port,
         output_regex=r'Serving HTTP on .* port \d+')
    check(True, f'the port and the log line appeared {time.monotonic() - started:.2f} s after the start, '
                'without polling or sleeping')
    with urllib.request.urlopen(f'http://127.0.0.1:{port}/hello.txt', timeout=10) as page:
        check(page.read() == b'hello from a page\n', 'it serves a page')
    seen = call(agent, 'wait_for', id=server['id'], stream='stderr',
                output_regex=r'"GET /hello\.txt HTTP/[0-9.]+" (\d+)')['data']['fired'][0]
    check(seen['captures'] == ['200'], 'its log shows the request and the status 200')
    return server['id']


def write_project(folder, modules=30, broken=17):
    """Writes a C++ project with many warnings and one error."""
    for number in range(modules):
        mistake = 'return missing_name;' if number == broken else f'return {number};'
        (folder / f'module_{number:02}.cc').write_text(
            f'int module_{number:02}(int unused) {{\n  int forgotten = 1;\n  {mistake}\n}}\n',
            encoding='utf-8')
    (folder / 'Makefile').write_text(
        'objects := $(patsubst %.cc,%.o,$(sort $(wildcard module_*.cc)))\n'
        'all: $(objects)\n'
        '%.o: %.cc\n\t@echo "compiling $<"\n\t@g++ -Wall -Wextra -c $< -o $@\n', encoding='utf-8')


def watch_failing_build(agent, workspace):
    title(2, 'A failing build: read new output while it runs')
    folder = workspace / 'project'
    folder.mkdir()
    write_project(folder)
    build = call(agent, 'bg_start', command='make -k -C project', label='build')['data']
    reads = 0
    lines = []
    running = True
    while running:
        running = agent.call('bg_status', id=build['id'])['data']['processes'][0]['state'] == 'running'
        # Each read continues where the last one stopped: no line comes twice, and none is missing.
        more = True
        while more:
            output = agent.call('bg_output', id=build['id'])['data']
            new = (output['stdout'] + output['stderr']).splitlines()
            say(f'   {paint("36", "→")} {bold("bg_output")} {dim(f"{len(new)} new lines")}')
            lines += new
            more = output['more']
            reads += 1
        if running:
            agent.call('wait_for', id=build['id'], exit=True, timer_ms=200)
    compiled = [line for line in lines if line.startswith('compiling ')]
    errors = [line for line in lines if ' error: ' in line]
    check(len(compiled) == 30 and len(set(compiled)) == 30,
          f'{len(lines)} lines in {reads} reads by cursor: each of 30 modules exactly once')
    check(len(errors) == 1 and 'module_17.cc:3' in errors[0], f'one error: {errors[0]}')
    status = call(agent, 'bg_status', id=build['id'])
    check('failed' in status['text'], 'bg_status reports that the build failed')


def take_stubborn_server(workspace):
    """Copies the server: the policy asks about programs from outside of the workspace."""
    shutil.copy(HERE / 'stubborn_server.py', workspace)


def kill_stubborn_server(agent):
    title(3, 'A server that ignores SIGTERM, with a grandchild that left its session')
    before = set(processes_left())
    server = call(agent, 'bg_start', label='stubborn',
                  command='exec python3 -u stubborn_server.py')['data']
    call(agent, 'wait_for', id=server['id'], output_regex=r'grandchild \d+')
    tree = set()
    for _ in range(200):  # /proc shows a program's environment a moment after its start
        tree = set(processes_left()) - before
        if len(tree) == 2:
            break
        time.sleep(0.005)
    check(len(tree) == 2, f'/proc shows both: {sorted(tree)}')
    say(dim('   SIGTERM to the whole tree, five seconds of grace, then SIGKILL …'))
    call(agent, 'bg_kill', id=server['id'])
    check(not tree & set(processes_left()), 'both are gone')


def watch_and_poll(agent):
    title(4, 'Watchers instead of polling, and a cursor for later')
    run = call(agent, 'shell', action='spawn',
               command='i=0; while :; do i=$((i+1)); echo "step $i"; [ $i = 5 ] && echo "error: disk is full" >&2; sleep 0.1; done',
               watch=[{'regex': r'^step (\d+)$', 'event': 'begun', 'once': True},
                      {'regex': r'^error: (.*)', 'event': 'trouble', 'scope': 'stderr'}])['data']
    told = None
    while told is None:  # events arrive between the answers
        agent.call('wait_for', timer_ms=50)
        told = next((line['event'] for line in agent.events
                     if line.get('event', {}).get('event') == 'trouble'), None)
    check(told['captures'] == ['disk is full'], f'the watcher sent an event: {told["line"]}')
    seen = call(agent, 'shell', action='poll', run_id=run['run_id'])['data']
    return {'run_id': run['run_id'], 'since_seq': seen['next_seq']}


def kill_gibbous(agent, server_id):
    title(5, 'SIGKILL to Gibbous itself')
    stubborn = call(agent, 'bg_start', command='exec python3 -u stubborn_server.py')['data']
    call(agent, 'wait_for', id=stubborn['id'], output_regex=r'grandchild \d+')
    call(agent, 'bg_status', id=server_id)
    left = processes_left()
    say(f'   {len(left)} processes are running, including gibbous and its keeper; '
        f'now {bold("kill -9")} to gibbous …')
    agent.process.send_signal(signal.SIGKILL)
    agent.process.wait()
    seconds = wait_until_gone(0, GONE_SECONDS)
    check(seconds is not None,
          f'all of them are gone after {seconds or GONE_SECONDS:.2f} s')


def remember(gibbous, workspace, state, cursor):
    title(6, 'The next Gibbous remembers')
    agent = start_agent(gibbous, workspace, state)
    seen = call(agent, 'shell', action='poll', **cursor)['data']
    while not seen['done']:
        agent.call('wait_for', timer_ms=50)
        seen = agent.call('shell', action='poll', run_id=cursor['run_id'], since_seq=cursor['since_seq'])['data']
    numbers = [item['seq'] for item in seen['items']]
    expected = list(range(cursor['since_seq'] + 1, cursor['since_seq'] + 1 + len(numbers)))
    check(numbers == expected, f'poll continues after item {cursor["since_seq"]}, with no item missing or repeated')
    check(seen['status'] == 'lost', f'and reports how the run ended: {seen["status"]}, {seen["reason"]}')
    agent.close()
    page = workspace / 'report.html'
    report = subprocess.run([gibbous, 'report', '-', '--state', str(state), '--output', str(page)],
                            capture_output=True, text=True, check=False)
    check(report.returncode == 0 and page.exists(),
          f'gibbous report wrote a page about the session: {report.stdout.strip()}')


def end_of_input(gibbous, workspace, state):
    title(7, 'The ordinary end: standard input is closed')
    agent = start_agent(gibbous, workspace, state)
    call(agent, 'bg_start', command='sleep 600 & setsid sleep 600 & exec sleep 600')
    check(agent.close() == 0, 'gibbous exits with 0')
    seconds = wait_until_gone(0, GONE_SECONDS)
    check(seconds is not None, f'no process is left after {seconds or GONE_SECONDS:.2f} s')


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    gibbous = os.path.abspath(sys.argv[1])
    started = time.monotonic()
    say(bold('Gibbous: an agent starts programs, waits for them, reads their output, and ends them without leftovers.'))
    say(dim('→ marks a call of the agent, a line of JSON to `gibbous session`; below it is the text that a model sees.'))
    with tempfile.TemporaryDirectory(prefix='gibbous-demo-') as folder:
        workspace = Path(folder)
        state = workspace / 'state'
        take_stubborn_server(workspace)
        agent = start_agent(gibbous, workspace, state)
        try:
            server_id = serve_and_fetch(agent, workspace)
            watch_failing_build(agent, workspace)
            kill_stubborn_server(agent)
            cursor = watch_and_poll(agent)
            kill_gibbous(agent, server_id)
            remember(gibbous, workspace, state, cursor)
            end_of_input(gibbous, workspace, state)
            if os.environ.get('GIBBOUS_DEMO_REPORT'):
                shutil.copy(workspace / 'report.html', os.environ['GIBBOUS_DEMO_REPORT'])
        except (Failed, ToolError, EOFError, OSError) as error:
            say()
            say(paint('31', f'The demo failed: {error}'))
            return 1
        finally:
            agent.process.kill()
            agent.process.wait()
    say()
    say(bold(f'Every claim held, in {time.monotonic() - started:.1f} s.'))
    return 0


if __name__ == '__main__':
    sys.exit(main())
