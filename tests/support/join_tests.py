#!/usr/bin/env python3
"""Writes one C++ file out of several test files, so that they are compiled as one.

Usage: join_tests.py OUTPUT TEST_FILE...

Most of the time of compiling a test goes into the headers and templates that all tests share. What the files include
comes first; what they declare is put into a namespace of each file's own, test_file_N, at the global level and in the
namespaces of ours that they open, because test files call their helpers what they like. Messages of the compiler and
of failed assertions name the test file and its line.
"""
import re
import sys
from pathlib import Path

OPENED = re.compile(r'^namespace (gibbous[\w:]*) \{$')
CLOSED = re.compile(r'^\}  // namespace gibbous[\w:]*$')
INCLUDED = re.compile(r'^#include .*$', re.M)


def part_of(file, text, own):
    """The file's text with each part in its namespace, every line where it was."""
    opened, outside, lines = [], True, [f'namespace {own} {{', f'#line 1 "{file}"']
    for line in text.splitlines():
        opens, closes = OPENED.match(line), CLOSED.match(line)
        if INCLUDED.match(line):
            line = ''
        elif opens and outside:
            outside, line = False, f'}} {line} namespace {own} {{'
            opened.append(opens.group(1))
        elif closes and not outside:
            outside, line = True, f'}} }} namespace {own} {{ using namespace ::{opened[-1]}::{own};'
        lines.append(line)
    if not outside:
        sys.exit(f'{file}: a namespace does not end with "}}  // namespace {opened[-1]}" on a line of its own')
    return '\n'.join(lines) + '\n}\n'


def main(output, *files):
    texts = {file: Path(file).read_text(encoding='utf-8') for file in files}
    includes = dict.fromkeys(include for text in texts.values() for include in INCLUDED.findall(text))
    parts = [part_of(file, text, f'test_file_{number}') for number, (file, text) in enumerate(texts.items())]
    Path(output).write_text('\n'.join(includes) + '\n' + ''.join(parts), encoding='utf-8')


if __name__ == '__main__':
    main(*sys.argv[1:])
