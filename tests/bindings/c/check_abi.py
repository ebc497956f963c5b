#!/usr/bin/env python3
"""Checks that the C interface is what programs were built for.

    check_abi.py LIBRARY HEADER DESCRIPTION COMPILER [--write]

The library must export exactly the functions that the header declares. The prototypes, the members of the structs with
their places and sizes, and the values of the enums must be those of DESCRIPTION, in which lines may be added only (with a
new low half of GIB_ABI). --write makes DESCRIPTION from the header.
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

FUNCTION = re.compile(r'GIB_API\s+([^;]*?\b(gib_\w+)\([^;]*\));')
STRUCT = re.compile(r'typedef struct (gib_\w+) \{(.*?)\} \1;', re.DOTALL)
MEMBER = re.compile(r'(\w+);')
ENUM = re.compile(r'typedef enum (gib_\w+) \{(.*?)\} \1;', re.DOTALL)
VALUE = re.compile(r'\b(GIB_\w+)\s*=')


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def exported(library):
    """The names that the library defines for others."""
    names = set()
    for line in run('nm', '-D', '--defined-only', library).splitlines():
        name = line.split()[-1].split('@')[0]
        if line.split()[-2] != 'A':  # the names of versions
            names.add(name)
    return names


def description(header, compiler):
    """The interface, one fact a line."""
    text = re.sub(r'/\*.*?\*/', '', header.read_text(encoding='utf-8'), flags=re.DOTALL)
    lines = [' '.join(prototype.split()) for prototype, _ in FUNCTION.findall(text)]
    prints = ['printf("GIB_ABI %u\\n", GIB_ABI);']
    for name, body in STRUCT.findall(text):
        prints.append(f'printf("struct {name}: alignment %zu\\n", _Alignof({name}));')
        for member in MEMBER.findall(body):
            prints.append(f'printf("struct {name}.{member}: at %zu, %zu bytes\\n", offsetof({name}, {member}), '
                          f'sizeof((({name}*)0)->{member}));')
    for name, body in ENUM.findall(text):
        for value in VALUE.findall(body):
            prints.append(f'printf("enum {name}: {value} = %d\\n", (int){value});')
    with tempfile.TemporaryDirectory() as place:
        source = Path(place) / 'facts.c'
        source.write_text('#include "gibbous.h"\n#include <stdio.h>\nint main(void) {\n' + '\n'.join(prints)
                          + '\nreturn 0; }\n', encoding='utf-8')
        run(compiler, '-std=c11', '-Werror', '-Wall', f'-I{header.parent}', '-o', f'{place}/facts', str(source))
        facts = run(f'{place}/facts').splitlines()
    return sorted(lines) + facts


def main():
    library, header, stored, compiler = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]), sys.argv[4]
    now = description(header, compiler)
    if '--write' in sys.argv[5:]:
        stored.write_text('\n'.join(now) + '\n', encoding='utf-8')
    faults = []
    declared = {name for _, name in FUNCTION.findall(header.read_text(encoding='utf-8'))}
    faults += [f'exported, but not declared: {name}' for name in sorted(exported(library) - declared)]
    faults += [f'declared, but not exported: {name}' for name in sorted(declared - exported(library))]
    before = stored.read_text(encoding='utf-8').splitlines()
    same_high = [line for line in before if not line.startswith('GIB_ABI')]
    faults += [f'changed or gone: {line}' for line in same_high if line not in now]
    added = [line for line in now if line not in before and not line.startswith('GIB_ABI')]
    if added and [line for line in before if line.startswith('GIB_ABI')] == [
            line for line in now if line.startswith('GIB_ABI')]:
        faults += [f'added without a new GIB_ABI: {line}' for line in added]
    elif added or before != now:
        faults.append(f'{stored.name} is not up to date: run this with --write')
    for fault in faults:
        print(fault)
    print(f'{len(declared)} functions, {len(now)} facts, {len(faults)} faults')
    return 1 if faults else 0


if __name__ == '__main__':
    sys.exit(main())
