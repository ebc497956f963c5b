#!/usr/bin/env python3
"""The programs in the README run as they stand, and the example does what it says."""

import os
import re
import shutil
import subprocess
import sys

import support

README = support.ROOT / 'bindings' / 'python' / 'README.md'
EXAMPLE = support.ROOT / 'examples' / 'python_agent' / 'agent.py'
BLOCK = re.compile(r'^```python\n(.*?)^```$', re.MULTILINE | re.DOTALL)
PRINTED = ['working\nrun_ended 3\n', "Progress(progress=1.0, total=2.0, message='reading the index')\n"
           "{'found': ['policy.md'], 'order': 'best'}\n", 'touch made\n', '[]\n', 'run_started\n']


class Programs(support.TempDirs):
    def setUp(self):
        super().setUp()
        package = self.base / 'package' / 'gibbous'
        shutil.copytree(support.ROOT / 'bindings' / 'python' / 'gibbous', package,
                        ignore=shutil.ignore_patterns('__pycache__', '_lib'))
        (package / '_lib').mkdir()
        (package / '_lib' / 'libgibbous.so').symlink_to(os.path.abspath(support.library))

    def run_program(self, *arguments):
        environment = {'PATH': os.environ['PATH'], 'HOME': str(self.base),
                       'PYTHONPATH': str(self.base / 'package')}
        done = subprocess.run([sys.executable, '-B', '-W', 'error', *arguments], env=environment, cwd=self.workspace,
                              capture_output=True, text=True, timeout=support.LIMIT_S, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ''))
        return done.stdout

    def test_each_program_of_the_readme_prints_what_it_should(self):
        programs = BLOCK.findall(README.read_text(encoding='utf-8'))
        self.assertEqual(len(programs), len(PRINTED))
        for program, expected in zip(programs, PRINTED):
            with self.subTest(expected):
                (self.base / 'program.py').write_text(program)
                printed = self.run_program(self.base / 'program.py')
                self.assertIn(expected, printed)

    def test_the_example_mends_its_program(self):
        printed = self.run_program(EXAMPLE)
        self.assertIn('FAILED (failures=1)', printed)
        self.assertTrue(printed.endswith('I changed ["prices.py"].\nThe tests pass.\n'), printed)


if __name__ == '__main__':
    support.main()
