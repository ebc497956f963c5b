#!/usr/bin/env python3
"""How libgibbous is found, and what is said when it is missing or does not fit."""

import os
import subprocess
import sys

import support
from support import gibbous
from gibbous._library import ABI, check_abi


class Library(support.TempDirs):
    def test_the_library_that_is_named_is_loaded_once(self):
        self.assertRegex(gibbous.version(support.library), r'^\d+\.\d+\.\d+$')
        self.assertEqual(gibbous.version(support.library), gibbous.version(os.path.relpath(support.library)))

    def test_a_file_that_is_missing_or_no_library_is_named(self):
        text = self.base / 'text.so'
        text.write_text('no library')
        for wrong, named in [(self.base / 'nothing.so', 'library: there is no file .*nothing.so'),
                             (self.base, 'library: there is no file'), (text, 'text.so cannot be loaded')]:
            with self.subTest(named), self.assertRaisesRegex(gibbous.LibraryError, named):
                gibbous.version(wrong)

    def test_another_library_is_refused(self):
        with open('/proc/self/maps', encoding='utf-8') as maps:
            other = next(line.split()[-1] for line in maps if '/libc.so.6' in line or '/libc-' in line)
        with self.assertRaisesRegex(gibbous.LibraryError, 'is not libgibbous'):
            gibbous.version(other)

    def test_without_any_library_it_says_what_to_do(self):
        program = 'import gibbous\ntry:\n    gibbous.version()\nexcept gibbous.LibraryError as error:\n    print(error)'
        run = subprocess.run([sys.executable, '-B', '-c', program], capture_output=True, text=True, check=True,
                             env={'PATH': os.environ['PATH'], 'PYTHONPATH': str(support.ROOT / 'bindings' / 'python')})
        if run.stdout:  # otherwise the system has one
            self.assertRegex(run.stdout, r'libgibbous.so.0 cannot be loaded.*Install a wheel.*library=')

    def test_the_library_of_dev_install_is_found(self):
        installed = self.base / '.local' / 'lib' / 'libgibbous.so.0'
        installed.parent.mkdir(parents=True)
        installed.symlink_to(os.path.abspath(support.library))
        run = subprocess.run([sys.executable, '-B', '-c', 'import gibbous; print(gibbous.version())'], capture_output=True,
                             text=True, check=True, env={'PATH': os.environ['PATH'], 'HOME': str(self.base),
                                                         'PYTHONPATH': str(support.ROOT / 'bindings' / 'python')})
        self.assertRegex(run.stdout, r'^\d+\.\d+\.\d+$')

    def test_a_name_of_an_option_that_is_nearly_right_is_named(self):
        with self.assertRaisesRegex(gibbous.GibbousError, "scripts.*did you mean 'scripts_dir'"):
            gibbous.SyncRuntime(library=support.library, scripts='tools')

    def test_an_interface_of_the_same_kind_with_at_least_our_functions_fits(self):
        check_abi(ABI, 'it', '0.2.0')
        check_abi(ABI + 1, 'it', '0.3.0')

    def test_another_interface_says_which_side_is_older(self):
        with self.assertRaisesRegex(gibbous.LibraryError, r'interface 2\.0.*needs 1\.2.*newer Python package'):
            check_abi(0x20000, 'it', '9.0.0')
        with self.assertRaisesRegex(gibbous.LibraryError, r'interface 0\.9.*needs 1\.2.*newer library'):
            check_abi(0x00009, 'it', '0.0.1')


if __name__ == '__main__':
    support.main()
