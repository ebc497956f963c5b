#!/usr/bin/env python3
"""Checks that ARCHITECTURE.md names functions where they are.

    check_architecture.py ROOT

Each row of "One `bg_start`, followed" names a file and the function in it, and so does each pair of the paragraph
"Where other things are decided": `path` (`function`). Both must exist. The number of tables that scripts see must be
that of docs/reference.md. Prints each fault and exits with 1 when there are any.
"""

import re
import sys
from pathlib import Path

MOST_ROWS = 15
ROW = re.compile(r'^\| (\d+) \| `([^`]+)` \| `([^`]+)` \|', re.MULTILINE)
DECIDED = re.compile(r'^Where other things are decided:.*?\n\n', re.MULTILINE | re.DOTALL)
PATH = re.compile(r'`([\w/]+/[\w./-]+)`(?:\s+\(`([\w:]+)`\))?')
TABLES = re.compile(r'^- Scripts see (\w+) tables', re.MULTILINE)
API_TABLE = re.compile(r'^The table `\w+`', re.MULTILINE)
NUMBERS = ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten', 'eleven', 'twelve',
           'thirteen', 'fourteen', 'fifteen']


def defines(text, name, is_lua):
    """Whether the text has a definition of the function or the type, not just its name."""
    word = re.escape(name)
    if is_lua:
        return re.search(rf'\bfunction (?:\w+[.:])?{word}\(|\b{word} = function\(', text) is not None
    type_name = re.search(rf'\b(?:class|struct|enum class) {word}\b[^;]*\{{', text)
    # A definition starts a line with its type; a call of it is indented.
    function = re.search(rf'^(?:\w[^\n=;(]*[ *&])?{word}\([^;{{]*\{{', text, re.MULTILINE)
    return type_name is not None or function is not None


def faults_of_pair(root, path, name, place):
    file = root / path
    if not file.is_file():
        yield f'{place}: there is no file {path}'
    elif not name:
        yield f'{place}: {path} is named without a function'
    elif not defines(file.read_text(encoding='utf-8'), name, file.suffix == '.lua'):
        yield f'{place}: {path} does not define {name}'


def faults_of_rows(root, text):
    rows = ROW.findall(text)
    if [int(number) for number, _, _ in rows] != list(range(1, len(rows) + 1)) or not rows:
        yield f'the rows are numbered {", ".join(number for number, _, _ in rows)}'
    if len(rows) > MOST_ROWS:
        yield f'{len(rows)} rows, at most {MOST_ROWS}'
    for number, path, name in rows:
        yield from faults_of_pair(root, path, name, f'row {number}')


def faults_of_decided(root, text):
    paragraph = DECIDED.search(text)
    if not paragraph:
        yield 'no paragraph "Where other things are decided:"'
        return
    for path, name in PATH.findall(paragraph.group()):
        yield from faults_of_pair(root, path, name, 'where other things are decided')


def faults_of_tables(root, text):
    said = TABLES.search(text)
    count = len(API_TABLE.findall((root / 'docs/reference.md').read_text(encoding='utf-8')))
    expected = NUMBERS[count] if count < len(NUMBERS) else str(count)
    if not said or said.group(1) != expected:
        yield f'docs/reference.md has {expected} tables, "Scripts see {said.group(1) if said else "?"} tables"'


def main():
    root = Path(sys.argv[1]).resolve()
    text = (root / 'ARCHITECTURE.md').read_text(encoding='utf-8')
    faults = [*faults_of_rows(root, text), *faults_of_decided(root, text), *faults_of_tables(root, text)]
    for fault in faults:
        print(f'ARCHITECTURE.md: {fault}')
    print(f'{len(ROW.findall(text))} rows, {len(faults)} faults')
    return 1 if faults else 0


if __name__ == '__main__':
    sys.exit(main())
