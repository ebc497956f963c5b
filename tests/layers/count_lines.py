#!/usr/bin/env python3
"""Counts the lines of the product: its C++ and its Lua, without tests, data and declarations.

Usage: count_lines.py [--rooms | --check] [COMMIT]; without a commit, the files as they lie here. `code` leaves out blank
lines and comments. --rooms prints the lines of each room beside its budget (tests/layers/budget), and --check fails
when a room has more lines than that. Data are the tables and cases of the policies (policies/knowledge, policies/cases); declarations are
scripts/meta, which only a language server and the reference read.
"""
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PARTS = ('runtime', 'bindings', 'scripts', 'policies')
NOT_CODE = ('scripts/meta/', 'policies/knowledge/', 'policies/cases/')


def is_product(path):
    return (path.split('/')[0] in PARTS and path.endswith(('.cc', '.h', '.lua'))
            and not path.startswith(NOT_CODE))


def git(*arguments):
    return subprocess.run(['git', '-C', ROOT, *arguments], check=True, capture_output=True).stdout


def texts(commit):
    """Pairs of the path and the text of each file of the product."""
    if commit:
        for path in filter(is_product, git('ls-tree', '-r', '--name-only', commit).decode().splitlines()):
            yield path, git('show', f'{commit}:{path}').decode()
    else:
        listed = git('ls-files', '--cached', '--others', '--exclude-standard').decode().splitlines()
        for path in filter(is_product, sorted(set(listed))):
            if (ROOT / path).is_file():
                yield path, (ROOT / path).read_text(encoding='utf-8')


def code_lines(path, text):
    if path.endswith('.lua'):
        text = re.sub(r'--\[(=*)\[.*?\]\1\]', '', text, flags=re.DOTALL)
        comment = '--'
    else:
        text = re.sub(r'^\s*/\*.*?\*/', '', text, flags=re.DOTALL | re.MULTILINE)
        comment = '//'
    lines = (line.strip() for line in text.splitlines())
    return sum(1 for line in lines if line and not line.startswith(comment))


def budgets():
    """The room -> its budget."""
    rooms = {}
    for line in (ROOT / 'tests/layers/budget').read_text(encoding='utf-8').splitlines():
        if line and not line.startswith('#'):
            room, budget = line.split()
            rooms[room] = int(budget)
    return rooms


def room_of(path, rooms):
    """The innermost room of the budget that holds the file; '' without one."""
    return max((room for room in rooms if path.startswith(room + '/')), key=len, default='')


def count_rooms(commit, rooms):
    counts = dict.fromkeys(rooms, 0)
    for path, text in texts(commit):
        room = room_of(path, rooms)
        counts[room] = counts.get(room, 0) + code_lines(path, text)
    return counts


def print_rooms(commit):
    rooms = budgets()
    counts = count_rooms(commit, rooms)
    for room, count in sorted(counts.items(), key=lambda item: -item[1]):
        print(f'{room or "without a room":24} {count:8,} {rooms.get(room, 0):8,}')
    print(f'{"together":24} {sum(counts.values()):8,} {sum(rooms.values()):8,}')


def check_rooms():
    rooms = budgets()
    counts = count_rooms(None, rooms)
    over = [f'{room or "files without a room"}: {count:,} lines, {count - rooms.get(room, 0):,} over its budget of '
            f'{rooms.get(room, 0):,}' for room, count in sorted(counts.items()) if count > rooms.get(room, 0)]
    if over:
        sys.exit('\n'.join([*over, 'tests/layers/budget says what a room may have: take lines out, or raise its line in '
                            'the same commit and say why']))


def print_parts(commit):
    counts = {}
    for path, text in texts(commit):
        language = 'Lua' if path.endswith('.lua') else 'C++'
        row = counts.setdefault((path.split('/')[0], language), [0, 0, 0])
        row[0] += 1
        row[1] += len(text.splitlines())
        row[2] += code_lines(path, text)
    print(f'{"":10} {"":4} {"files":>7} {"lines":>8} {"code":>8}')
    for (part, language), row in sorted(counts.items(), key=lambda item: PARTS.index(item[0][0])):
        print(f'{part:10} {language:4} {row[0]:7,} {row[1]:8,} {row[2]:8,}')
    total = [sum(row[column] for row in counts.values()) for column in range(3)]
    print(f'{"together":15} {total[0]:7,} {total[1]:8,} {total[2]:8,}')


def main():
    arguments = sys.argv[1:]
    if arguments[:1] == ['--check']:
        check_rooms()
    elif arguments[:1] == ['--rooms']:
        print_rooms(arguments[1] if len(arguments) > 1 else None)
    else:
        print_parts(arguments[0] if arguments else None)


main()
