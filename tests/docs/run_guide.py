#!/usr/bin/env python3
"""Runs a guide of docs/ as a reader would: files as they stand, commands as they stand.

    run_guide.py GUIDE GIBBOUS_DIRECTORY POLICIES

A block ```lua file=NAME is a file of the reader's directory. In a block ```console each line that begins with "$ " is a
command; what follows is what it must print, line by line, where ... stands for anything (a line of its own: any lines).
Exits with 1 and the first difference.
"""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

BLOCK = re.compile(r'^```(\w+)([^\n]*)\n(.*?)^```$', re.MULTILINE | re.DOTALL)
LIMIT_S = 60


def pattern_of(expected):
    """The lines that are expected, as one regular expression."""
    made = ''
    for line in expected:
        if line.strip() == '...':
            made += r'(?:.*\n)*?'
        else:
            made += '.*'.join(re.escape(part) for part in line.rstrip().split('...')) + r'[ \t]*\n'
    return re.compile(made + r'\Z')


def commands_of(text):
    """Pairs of a command and the lines that it prints."""
    pairs = []
    for line in text.splitlines():
        if line.startswith('$ '):
            pairs.append((line[2:], []))
        elif pairs:
            pairs[-1][1].append(line)
    return pairs


def main():
    guide, programs, policies = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
    with tempfile.TemporaryDirectory() as directory:
        home = Path(directory) / 'home'
        work = Path(directory) / 'work'
        home.mkdir()
        work.mkdir()
        environment = dict(os.environ, PATH=programs + ':' + os.environ['PATH'], HOME=str(home), POLICIES=policies,
                           XDG_STATE_HOME=str(home / 'state'), NO_COLOR='1')
        ran = 0
        for language, options, text in BLOCK.findall(guide.read_text(encoding='utf-8')):
            name = re.search(r'file=(\S+)', options)
            if name:
                path = work / name.group(1)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding='utf-8')
            if language != 'console':
                continue
            for command, expected in commands_of(text):
                done = subprocess.run(['bash', '-c', command], cwd=work, env=environment, stdin=subprocess.DEVNULL,
                                      stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=LIMIT_S, check=False)
                printed = done.stdout.decode(errors='replace')
                ran += 1
                if not pattern_of(expected).match(printed):
                    print(f'{guide}: $ {command}\nprinted:\n{printed}\nexpected:\n' + '\n'.join(expected))
                    return 1
        print(f'{guide}: {ran} commands as they stand')
        return 0 if ran else 1


if __name__ == '__main__':
    sys.exit(main())
