#!/usr/bin/env python3
"""Checks the pages of docs/hosts against `gibbous mcp install`.

    check_hosts.py DOCS GIBBOUS

Each client has a page whose first JSON, or first command, is what it writes or runs, and each page has the same sections.
Prints each fault and exits with 1 when there are any.
"""

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

LIMIT_S = 60
MAX_LINES = 90
SECTIONS = ['Registering it', 'Did it start?', 'What works', 'What does not, and what to do instead', 'Logs',
            'Taking it out again']
BY_HAND = {'opencode'}
COMMAND = re.compile(r'`gibbous mcp install ([a-z-]+)`')
BLOCK = re.compile(r'^```(json|sh)\n(.*?)^```$', re.MULTILINE | re.DOTALL)


def written(gibbous, client, place):
    """What the command would write or run for the client, where gibbous is in PATH, as the pages show it."""
    programs, home, project = place / 'bin', place / 'home', place / 'project'
    for directory in (programs, home, project):
        directory.mkdir(exist_ok=True)
    program = programs / 'gibbous'
    if not program.exists():
        program.symlink_to(gibbous)
    environment = {'HOME': str(home), 'PATH': str(programs), 'XDG_STATE_HOME': str(place / 'state')}
    done = subprocess.run([program, 'mcp', 'install', client, '--dry-run', '--json'], cwd=project, env=environment,
                          text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=LIMIT_S, check=False)
    if done.returncode:
        raise ValueError(done.stderr)
    told = done.stdout.replace(str(project), '/path/to/project').replace(str(program), '/path/to/gibbous')
    told = json.loads(told)['clients'][0]
    if 'command' in told:
        return ' '.join(told['command'])
    return json.dumps({told['member']: {'gibbous': told['entry']}}, indent=2)


def faults_of(page, gibbous, place):
    text = page.read_text(encoding='utf-8')
    if text.count('\n') > MAX_LINES:
        yield f'{page.name}: more than {MAX_LINES} lines'
    if re.findall(r'^## (.+)$', text, re.MULTILINE) != SECTIONS:
        yield f'{page.name}: its sections are not {", ".join(SECTIONS)}'
    block = BLOCK.search(text)
    if not block:
        yield f'{page.name}: no entry'
        return
    said = block.group(2).strip()
    if page.stem in BY_HAND:
        json.loads(said)
        return
    command = COMMAND.search(text)
    if not command or command.group(1) != page.stem:
        yield f'{page.name}: no `gibbous mcp install {page.stem}`'
        return
    entry = written(gibbous, page.stem, place).strip()
    same = json.loads(said) == json.loads(entry) if block.group(1) == 'json' else said == entry
    if not same:
        yield f'{page.name}: the entry is not what is written:\n{entry}'


def known_clients(gibbous, place):
    done = subprocess.run([gibbous, 'mcp', 'install', 'nobody'], cwd=place, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=LIMIT_S, check=False)
    return set(re.search(r'known: (.+)', done.stderr).group(1).split(', '))


def main():
    hosts, gibbous = Path(sys.argv[1]).resolve() / 'hosts', Path(sys.argv[2]).resolve()
    pages = sorted(page for page in hosts.glob('*.md') if page.name != 'README.md')
    faults = []
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        for page in pages:
            faults += faults_of(page, gibbous, place)
        names = {'claude' if page.stem == 'claude-code' else page.stem for page in pages}
        faults += [f'docs/hosts has no page for {client}' for client in known_clients(gibbous, place) - names]
    for fault in faults:
        print(fault)
    print(f'{len(pages)} clients, {len(faults)} faults')
    return 1 if faults or not pages else 0


if __name__ == '__main__':
    sys.exit(main())
