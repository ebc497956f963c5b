#!/usr/bin/env python3
"""Checks that docs/commands.md lists the commands that gibbous has, and options that they have.

    check_commands.py PAGE GIBBOUS

Each row of the page's table begins with a command in code, such as `gibbous logs RUN [-f]`. All of the program's
commands must be there, no others, and each option that a row names must be in that command's help.
"""

import re
import subprocess
import sys
from pathlib import Path

LIMIT_S = 30
ROW = re.compile(r'^\| `gibbous ([a-z]+)([^`]*)`', re.MULTILINE)
OPTION = re.compile(r'(?<![\w-])--?[a-z][a-z-]*')


def help_of(gibbous, *command):
    return subprocess.run([gibbous, *command, '--help'], stdout=subprocess.PIPE, text=True, timeout=LIMIT_S,
                          check=True).stdout


def main():
    page, gibbous = Path(sys.argv[1]).read_text(encoding='utf-8'), sys.argv[2]
    listed = help_of(gibbous).split('Subcommands:')[1].split('\n\n')[0]
    commands = set(re.findall(r'^  ([a-z]+) ', listed, re.MULTILINE))
    rows = [(command, rest.replace('\\|', '|')) for command, rest in ROW.findall(page)]
    faults = [f'no row for {name}' for name in sorted(commands - {command for command, _ in rows})]
    for command, rest in rows:
        if command not in commands:
            faults.append(f'there is no command {command}')
            continue
        sub = re.match(r' ([a-z]+)\b', rest) if command in ('policy', 'approvals', 'mcp') else None
        text = help_of(gibbous, command, *([sub[1]] if sub else []))
        known = set(OPTION.findall(text))
        faults += [f'{command}{rest}: no option {option}' for option in OPTION.findall(rest) if option not in known]
    for fault in faults:
        print(fault)
    print(f'{len(commands)} commands, {len(faults)} faults')
    return 1 if faults or not commands else 0


if __name__ == '__main__':
    sys.exit(main())
