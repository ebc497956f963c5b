#!/usr/bin/env python3
"""The main job of Gibbous, in a terminal, on real programs.

An agent starts a web server and knows the moment it is ready, reads a failing build as it runs, ends a
server that does not want to end, is told of an error by a watcher, and leaves nothing behind, not even when
Gibbous itself is killed; the next one goes on where it was. Every claim is checked; the demo exits with 1 when
one does not hold. Run it with `./dev demo` (GIBBOUS_DEMO_REPORT=FILE keeps its report), or

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
# Every process that comes from this demo inherits it, so that /proc can tell which ones are left.
MARK = f'GIBBOUS_DEMO={os.getpid()}-{time.time_ns()}'
GONE_SECONDS = 1.0  # the time in which everything must be gone after SIGKILL
TEXT_COLUMNS = 110  # of a line of a tool's text that are shown

COLOURS = sys.stdout.isatty() and not os.environ.get('NO_COLOR')


def paint(code, text):
    return f'\x1b[{code}m{text}\x1b[0m' if COLOURS else text


def bold(text):
    return paint('1', text)


def dim(text):
    return paint('2', text)


class Failed(Exception):
    """Something was not as it is said to be."""


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
    """A call of the agent, shown together with what it got back."""
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
    """Every living process that came from this demo, read from /proc: {pid: command line}."""
    found = {}
    for entry in Path('/proc').iterdir():
        if not entry.name.isdigit() or int(entry.name) in (os.getpid(), *ignoring):
            continue
        try:
            if MARK.encode() in (entry / 'environ').read_bytes().split(b'\0'):
                words = (entry / 'cmdline').read_bytes().split(b'\0')
                found[int(entry.name)] = b' '.join(words).decode(errors='replace').strip()
        except OSError:  # it ended while we looked, or belongs to somebody else
            continue
    return found


def wait_until_gone(expected_left, seconds):
    """How long it took until only so many processes were left; None when they were not in time."""
    started = time.monotonic()
    while time.monotonic() - started < seconds:
        if len(processes_left()) <= expected_left:
            return time.monotonic() - started
        time.sleep(0.005)
    return None


def start_agent(gibbous, workspace, state):
    name, value = MARK.split('=', 1)
    return Agent([gibbous, 'session', '--mode', 'auto', '--workspace', str(workspace), '--state', str(state)],
                 env={**os.environ, name: value})


def serve_and_fetch(agent, workspace):
    title(1, 'A real web server: know the moment it is ready')
    (workspace / 'hello.txt').write_text('hello from a page\n', encoding='utf-8')
    port = free_port()
    started = time.monotonic()
    server = call(agent, 'bg_start', label='web server',
                  command=f'python3 -u -m http.server {port} --bind 127.0.0.1')['data']
    call(agent, 'wait_for', id=server['id'], mode='all', port=port,
         output_regex=r'Serving HTTP on .* port \d+')
    check(True, f'port and log line were seen {time.monotonic() - started:.2f} s after the start, '
                'without polling and without a sleep')
    with urllib.request.urlopen(f'http://127.0.0.1:{port}/hello.txt', timeout=10) as page:
        check(page.read() == b'hello from a page\n', 'it serves a page')
    seen = call(agent, 'wait_for', id=server['id'], stream='stderr',
                output_regex=r'"GET /hello\.txt HTTP/[0-9.]+" (\d+)')['data']['fired'][0]
    check(seen['captures'] == ['200'], 'its log tells of the request, and of the answer 200')
    return server['id']


def write_project(folder, modules=30, broken=17):
    """A C++ project that warns a lot and has one mistake in it."""
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
    title(2, 'A failing build: read what is new while it runs')
    folder = workspace / 'project'
    folder.mkdir()
    write_project(folder)
    build = call(agent, 'bg_start', command='make -k -C project', label='build')['data']
    reads = 0
    lines = []
    running = True
    while running:
        running = agent.call('bg_status', id=build['id'])['data']['processes'][0]['state'] == 'running'
        # Each read goes on where the last one stopped: no line twice, none left out.
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
    check('failed' in status['text'], 'and the build is known to have failed')


def take_stubborn_server(workspace):
    """Programs from outside of the workspace are asked about; this one is looked at and copied."""
    shutil.copy(HERE / 'stubborn_server.py', workspace)


def kill_stubborn_server(agent):
    title(3, 'A server that ignores SIGTERM, with a grandchild that left its session')
    before = set(processes_left())
    server = call(agent, 'bg_start', label='stubborn',
                  command='exec python3 -u stubborn_server.py')['data']
    call(agent, 'wait_for', id=server['id'], output_regex=r'grandchild \d+')
    tree = set()
    for _ in range(200):  # /proc shows the environment of a program a moment after it was executed
        tree = set(processes_left()) - before
        if len(tree) == 2:
            break
        time.sleep(0.005)
    check(len(tree) == 2, f'/proc shows both: {sorted(tree)}')
    say(dim('   SIGTERM to the whole tree, five seconds of grace, SIGKILL to what is left …'))
    call(agent, 'bg_kill', id=server['id'])
    check(not tree & set(processes_left()), 'both are gone')


def watch_and_poll(agent):
    title(4, 'Watchers instead of polling, and a cursor that is kept')
    run = call(agent, 'shell', action='spawn',
               command='i=0; while :; do i=$((i+1)); echo "step $i"; [ $i = 5 ] && echo "error: disk is full" >&2; sleep 0.1; done',
               watch=[{'regex': r'^step (\d+)$', 'event': 'begun', 'once': True},
                      {'regex': r'^error: (.*)', 'event': 'trouble', 'scope': 'stderr'}])['data']
    told = None
    while told is None:  # events come by themselves, between the answers
        agent.call('wait_for', timer_ms=50)
        told = next((line['event'] for line in agent.events
                     if line.get('event', {}).get('event') == 'trouble'), None)
    check(told['captures'] == ['disk is full'], f'an event came by itself: {told["line"]}')
    seen = call(agent, 'shell', action='poll', run_id=run['run_id'])['data']
    return {'run_id': run['run_id'], 'since_seq': seen['next_seq']}


def kill_gibbous(agent, server_id):
    title(5, 'SIGKILL to Gibbous itself')
    stubborn = call(agent, 'bg_start', command='exec python3 -u stubborn_server.py')['data']
    call(agent, 'wait_for', id=stubborn['id'], output_regex=r'grandchild \d+')
    call(agent, 'bg_status', id=server_id)
    left = processes_left()
    say(f'   {len(left)} processes run, gibbous and its keeper among them; '
        f'now {bold("kill -9")} to gibbous …')
    agent.process.send_signal(signal.SIGKILL)
    agent.process.wait()
    seconds = wait_until_gone(0, GONE_SECONDS)
    check(seconds is not None,
          f'/proc shows none of them after {seconds or GONE_SECONDS:.2f} s')


def remember(gibbous, workspace, state, cursor):
    title(6, 'Started again, it knows what was')
    agent = start_agent(gibbous, workspace, state)
    seen = call(agent, 'shell', action='poll', **cursor)['data']
    while not seen['done']:
        agent.call('wait_for', timer_ms=50)
        seen = agent.call('shell', action='poll', run_id=cursor['run_id'], since_seq=cursor['since_seq'])['data']
    numbers = [item['seq'] for item in seen['items']]
    expected = list(range(cursor['since_seq'] + 1, cursor['since_seq'] + 1 + len(numbers)))
    check(numbers == expected, f'poll goes on from item {cursor["since_seq"]}, none missing, none twice')
    check(seen['status'] == 'lost', f'and says how it went: {seen["status"]}, {seen["reason"]}')
    agent.close()
    report = subprocess.run([gibbous, 'report', '', '--state', str(state), '--output', str(workspace / 'report.html')],
                            capture_output=True, text=True, check=False)
    check(report.returncode == 0, f'gibbous report wrote a page of it all: {report.stdout.strip()}')


def end_of_input(gibbous, workspace, state):
    title(7, 'The ordinary end: standard input is closed')
    agent = start_agent(gibbous, workspace, state)
    call(agent, 'bg_start', command='sleep 600 & setsid sleep 600 & exec sleep 600')
    check(agent.close() == 0, 'gibbous exits with 0')
    seconds = wait_until_gone(0, GONE_SECONDS)
    check(seconds is not None, f'nothing is left after {seconds or GONE_SECONDS:.2f} s')


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    gibbous = os.path.abspath(sys.argv[1])
    started = time.monotonic()
    say(bold('Gibbous: an agent starts programs, waits, reads, stops them, and leaves nothing behind.'))
    say(dim('→ is a call of the agent, a JSON line to `gibbous session`; below it what a model sees.'))
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
    say(bold(f'All as said, in {time.monotonic() - started:.1f} s.'))
    return 0


if __name__ == '__main__':
    sys.exit(main())
