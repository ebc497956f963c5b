#!/usr/bin/env python3
"""Runs the first spec of docs/testing.md against the tool of README.md, as a reader would.

    run_testing.py ROOT GIBBOUS
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

BLOCK = re.compile(r'^```lua\n(.*?)^```$', re.MULTILINE | re.DOTALL)


def first_block(page, text):
    """The first block of Lua in the page that holds the text."""
    return next(block for block in BLOCK.findall(page.read_text(encoding='utf-8')) if text in block)


def main():
    root, gibbous = Path(sys.argv[1]), sys.argv[2]
    with tempfile.TemporaryDirectory() as name:
        scripts = Path(name) / 'scripts'
        (scripts / 'tools').mkdir(parents=True)
        (scripts / 'init.lua').write_text(first_block(root / 'README.md', 'local deploy = tool'), encoding='utf-8')
        (scripts / 'tools' / 'deploy_spec.lua').write_text(
            first_block(root / 'docs' / 'testing.md', "describe('deploy'"), encoding='utf-8')
        ran = subprocess.run([gibbous, 'test'], cwd=name, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                             check=False)
    print(ran.stdout)
    return ran.returncode


if __name__ == '__main__':
    sys.exit(main())
