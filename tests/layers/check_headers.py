#!/usr/bin/env python3
"""Each header compiles alone: it includes what it needs, in any order of includes.

A header with a source of its own is the first thing that the source includes, so that the build of the preset `dev`
compiles it alone; that order is checked here. The headers without a source are compiled here, without code being
made. What passed is kept in build/headers.json, by a hash of the header and of all of ours that it includes.
"""
import hashlib
import json
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ('runtime', 'bindings')
INCLUDE_FOLDERS = (ROOT, ROOT / 'runtime/include', ROOT / 'bindings/include')
PACKAGES = ('luajit', 'libuv', 're2', 'libseccomp', 'sqlite3', 'vterm')
PASSED = ROOT / 'build/headers.json'
INCLUDE = re.compile(r'^\s*#\s*include\s+["<]([^">]+)[">]', re.MULTILINE)


def ours(name):
    """The header of the tree that this include names, if it is one."""
    return next((folder / name for folder in INCLUDE_FOLDERS if (folder / name).is_file()), None)


def closure(header, seen):
    if header not in seen:
        seen.add(header)
        for name in INCLUDE.findall(header.read_text(encoding='utf-8')):
            found = ours(name)
            if found:
                closure(found, seen)
    return seen


def digest(header, salt):
    text = hashlib.sha256(salt)
    for path in sorted(closure(header, set())):
        text.update(str(path.relative_to(ROOT)).encode() + b'\0' + path.read_bytes())
    return text.hexdigest()


def main():
    headers = sorted(path for folder in FOLDERS for path in (ROOT / folder).rglob('*.h'))
    faults, alone = [], []
    for header in headers:
        source = header.with_suffix('.cc')
        if not source.is_file():
            alone.append(header)
            continue
        first = INCLUDE.search(source.read_text(encoding='utf-8'))
        if not first or ours(first[1]) != header:
            faults.append(f'{source.relative_to(ROOT)}: its own header must be the first that it includes')
    flags = subprocess.run(['pkg-config', '--cflags', *PACKAGES], check=True, capture_output=True, text=True)
    command = [os.environ.get('CXX', 'c++'), '-std=c++20', '-fsyntax-only', '-Wall', '-Wextra', '-Werror',
               '-x', 'c++', *flags.stdout.split(),
               *(f'-I{folder}' for folder in INCLUDE_FOLDERS)]
    passed = set(json.loads(PASSED.read_text(encoding='utf-8'))) if PASSED.is_file() else set()
    salt = ' '.join(command[1:]).encode()
    digests = {header: digest(header, salt) for header in alone}

    def check(header):
        # A file that includes it, as the warning about `#pragma once` in a main file has no switch.
        text = f'#include "{header.relative_to(ROOT)}"\n'
        done = subprocess.run([*command, '-'], input=text, capture_output=True, text=True, check=False)
        return header, done.returncode, done.stderr

    todo = [header for header in alone if digests[header] not in passed]
    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        for header, status, said in pool.map(check, todo):
            if status == 0:
                passed.add(digests[header])
            else:
                faults.append(f'{header.relative_to(ROOT)} does not compile alone:\n{said}')
    PASSED.parent.mkdir(exist_ok=True)
    PASSED.write_text(json.dumps(sorted(passed & set(digests.values()))), encoding='utf-8')
    print('\n'.join(faults), end='\n' if faults else '')
    return 1 if faults else 0


sys.exit(main())
