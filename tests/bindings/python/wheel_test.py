#!/usr/bin/env python3
"""The wheel: built offline, installed into a fresh environment, and used there with nothing but PATH set.

    wheel_test.py PREFIX

PREFIX is where Gibbous is installed. Run it with a Python that has pip, setuptools and wheel.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
PACKAGE = ROOT / 'bindings' / 'python'
LIMIT_S = 300
PROGRAM = """
import asyncio
import sys
import gibbous

@gibbous.tool(permission='read')
def greet(name: str) -> str:
    "Greets."
    return f'Hello {name}.'

async def main():
    options = {'mode': 'auto', 'workspace': sys.argv[1], 'state_dir': sys.argv[2]}
    async with gibbous.Runtime(**options, tools=[greet]) as rt:
        print((await rt.call('greet', name='you')).text)
        run = (await rt.call('bg_start', command='echo from the wheel')).data['id']
        print(b''.join([piece async for piece in rt.output(run)]).decode().strip())
    with gibbous.SyncRuntime(**options) as rt:
        print(rt.info()['version'] == gibbous.version())

print(gibbous.__file__)
asyncio.run(main())
"""


def files_of(directory):
    """What lies in a directory, with the time of its last change."""
    return {path: path.stat().st_mtime_ns for path in directory.rglob('*') if '__pycache__' not in path.parts}


class Wheel(unittest.TestCase):
    prefix = ''

    def setUp(self):
        self.base = Path(tempfile.mkdtemp(prefix='gibbous_wheel_test_'))
        self.addCleanup(shutil.rmtree, self.base, True)

    def run_here(self, *command, **options):
        done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT_S, check=False, **options)
        self.assertEqual(done.returncode, 0, done.stderr + done.stdout)
        return done.stdout

    def test_a_program_in_a_fresh_environment_needs_nothing_but_the_wheel(self):
        before = files_of(PACKAGE)
        wheel = self.run_here(sys.executable, '-B', PACKAGE / 'build_wheel.py', self.prefix, self.base).strip()
        self.assertEqual(files_of(PACKAGE), before, 'the source tree was written to')
        self.assertRegex(wheel, r'gibbous-\d+\.\d+\.\d+-py3-none-linux_\w+\.whl$')
        with zipfile.ZipFile(wheel) as archive:
            names = archive.namelist()
        for name in ('py.typed', '_lib/libgibbous.so', '_lib/gibbous-keeper', '_lib/share/gibbous/scripts/init.lua',
                     '_lib/share/gibbous/policies/init.lua'):
            self.assertIn(f'gibbous/{name}', names)

        self.run_here(sys.executable, '-m', 'venv', '--without-pip', self.base / 'venv')
        python = self.base / 'venv' / 'bin' / 'python3'
        site = self.run_here(python, '-c', 'import sysconfig; print(sysconfig.get_path("platlib"))').strip()
        self.run_here(sys.executable, '-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--no-index',
                      '--no-deps', '--no-compile', '--target', site, wheel)
        workspace = self.base / 'workspace'
        workspace.mkdir()
        (self.base / 'program.py').write_text(PROGRAM)
        printed = self.run_here('env', '-i', f'PATH={os.environ["PATH"]}', python, '-W', 'error', '-B',
                                self.base / 'program.py', workspace, self.base / 'state', cwd=self.base)
        self.assertEqual(printed.splitlines(),
                         [f'{site}/gibbous/__init__.py', 'Hello you.', 'from the wheel', 'True'])

    def test_the_version_of_the_package_is_that_of_the_project(self):
        project = re.search(r'project\(gibbous VERSION ([\d.]+)', (ROOT / 'CMakeLists.txt').read_text())
        package = re.search(r'^version = "([\d.]+)"', (PACKAGE / 'pyproject.toml').read_text(), re.MULTILINE)
        self.assertEqual(package[1], project[1])


if __name__ == '__main__':
    if len(sys.argv) < 2 or not os.path.isdir(sys.argv[1]):
        sys.exit(f'usage: {sys.argv[0]} PREFIX [UNITTEST ARGUMENTS]')
    Wheel.prefix = sys.argv.pop(1)
    unittest.main()
