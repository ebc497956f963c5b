#!/usr/bin/env python3
"""Checks snippets of the documentation that other tests do not run.

    check_snippets.py ROOT GIBBOUS COMPILER

The C++ of README.md and docs/embedding.md must compile against the public headers; the tools of README.md and
docs/scripting.md must load, as must the configuration of docs/configuration.md; README.md's tool must end a server that
does not get ready. Prints what is wrong, exits with 1.
"""

import json
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

LIMIT_S = 120
BLOCK = r'^```{}[^\n]*\n(.*?)^```$'
HEAD = """#include <chrono>
#include <cstdio>
#include <string>
#include "gibbous/runtime.h"
using namespace std::chrono_literals;
void draw(); void show(const std::string&); void log(const std::string&);
void host(bool running, bool playing) {
"""


def blocks(root, page, language):
    text = (root / page).read_text(encoding='utf-8')
    found = re.findall(BLOCK.format(language), text, re.MULTILINE | re.DOTALL)
    if not found:
        raise ValueError(f'{page} has no {language}')
    return found


def faults_of(page, command, directory):
    done = subprocess.run(command, cwd=directory, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          timeout=LIMIT_S, check=False)
    return [f'{page}: {done.stdout}'] if done.returncode else []


def left_behind(gibbous, scripts, workspace):
    """Calls README.md's tool with a server that listens nowhere; returns what is wrong."""
    (workspace / 'Makefile').write_text('serve:\n\t@sleep 600\n', encoding='utf-8')
    with socket.socket() as free:
        free.bind(('127.0.0.1', 0))
        port = free.getsockname()[1]
    told = []
    with subprocess.Popen([gibbous, 'session', '--mode', 'dangerous', '--scripts', scripts, '--workspace', workspace,
                           '--state', workspace / 'state'], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          text=True) as session:
        patience = threading.Timer(LIMIT_S, session.kill)
        patience.start()
        print(json.dumps({'id': 1, 'tool': 'deploy', 'args': {'port': port}}), file=session.stdin, flush=True)
        for line in session.stdout:
            told.append(json.loads(line))
            failed = any(each.get('error', {}).get('code') == 'not_ready' for each in told)
            if failed and any(each.get('event', {}).get('event') == 'run_ended' for each in told):
                session.stdin.close()
                break
        else:
            patience.cancel()
            return [f'README.md: the tool leaves a server that is not ready: {told}']
        session.stdout.read()
        patience.cancel()
    return []


def main():
    root, gibbous, compiler = Path(sys.argv[1]).resolve(), str(Path(sys.argv[2]).resolve()), sys.argv[3]
    faults = []
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        for page in ('README.md', 'docs/embedding.md'):
            (place / 'host.cc').write_text(HEAD + '\n'.join(blocks(root, page, 'cpp')) + '}\n', encoding='utf-8')
            faults += faults_of(page, [compiler, '-std=c++20', '-fsyntax-only', f'-I{root}/bindings/include',
                                       f'-I{root}/runtime/include', 'host.cc'], place)
        for page, start in (('README.md', 'local deploy = tool'), ('docs/scripting.md', 'local greet = tool')):
            tool = next(block for block in blocks(root, page, 'lua') if block.startswith(start))
            scripts = place / Path(page).stem
            scripts.mkdir()
            is_whole = 'toolsets = {' in tool
            (scripts / ('init.lua' if is_whole else 'greet.lua')).write_text(tool, encoding='utf-8')
            if not is_whole:
                (scripts / 'init.lua').write_text("return { toolsets = { require 'greet' } }\n", encoding='utf-8')
            faults += faults_of(page, [gibbous, 'check', scripts], place)
        ready = place / 'README' / 'init.lua'
        ready.write_text(ready.read_text(encoding='utf-8').replace('60000', '300'), encoding='utf-8')
        faults += left_behind(gibbous, place / 'README', place)
        (place / 'gibbous.lua').write_text(blocks(root, 'docs/configuration.md', 'lua')[0], encoding='utf-8')
        for directory, shipped in (('tools', 'scripts'), ('policies', 'policies')):
            (place / directory).mkdir()
            shutil.copy(root / shipped / 'init.lua', place / directory)
        faults += faults_of('docs/configuration.md', [gibbous, 'tools', '--config', 'gibbous.lua', '--toolset', 'bg',
                                                      '--toolset', 'process'], place)
    for fault in faults:
        print(fault)
    return 1 if faults else 0


if __name__ == '__main__':
    sys.exit(main())
