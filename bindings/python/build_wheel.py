#!/usr/bin/env python3
"""Builds a wheel that includes libgibbous, its keeper and its scripts.

    build_wheel.py PREFIX DIRECTORY

PREFIX is where Gibbous is installed. The wheel is put into DIRECTORY, and its path is printed. Its version is that of
the library. It is built in a temporary directory, without a network, by pip, setuptools and wheel.
"""

import argparse
import ctypes
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SOURCE = Path(__file__).resolve().parent
FILES = ('pyproject.toml', 'setup.py', 'README.md')
VERSION = re.compile(r'^version = ".*"$', re.MULTILINE)


def library_in(prefix: Path) -> Path:
    """Returns the library of an installation, which lies in lib, lib64 or lib/<triplet>."""
    found = [*prefix.glob('lib*/libgibbous.so'), *prefix.glob('lib/*/libgibbous.so')]
    if not found:
        sys.exit(f'{prefix}: there is no lib/libgibbous.so; name the prefix where Gibbous is installed')
    return found[0].resolve()


def version_of(library: Path) -> str:
    """Returns the version that the library says it has."""
    loaded = ctypes.CDLL(str(library))
    loaded.gib_version.restype = ctypes.c_char_p
    return loaded.gib_version().decode()


def stage(prefix: Path, stage_dir: Path) -> None:
    """Copies the package, and the library, keeper and scripts that it includes, into a directory for pip."""
    for name in FILES:
        shutil.copy2(SOURCE / name, stage_dir)
    shutil.copytree(SOURCE / 'gibbous', stage_dir / 'gibbous', ignore=shutil.ignore_patterns('__pycache__', '_lib'))
    bundle = stage_dir / 'gibbous' / '_lib'
    bundle.mkdir()
    library = library_in(prefix)
    shutil.copy2(library, bundle / 'libgibbous.so')
    shutil.copy2(prefix / 'libexec' / 'gibbous' / 'gibbous-keeper', bundle)
    shutil.copytree(prefix / 'share' / 'gibbous', bundle / 'share' / 'gibbous')
    project = stage_dir / 'pyproject.toml'
    project.write_text(VERSION.sub(f'version = "{version_of(library)}"', project.read_text()))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('prefix', type=Path, metavar='PREFIX')
    parser.add_argument('directory', type=Path, metavar='DIRECTORY')
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix='gibbous_wheel_') as temporary:
        made = Path(temporary) / 'made'
        stage_dir = Path(temporary) / 'stage'
        stage_dir.mkdir()
        stage(given.prefix, stage_dir)
        subprocess.run([sys.executable, '-m', 'pip', 'wheel', '--quiet', '--disable-pip-version-check',
                        '--no-cache-dir', '--no-build-isolation', '--no-deps', '--no-index', '--wheel-dir', made,
                        stage_dir],
                       check=True, stdout=sys.stderr)
        wheel = next(made.glob('*.whl'))
        given.directory.mkdir(parents=True, exist_ok=True)
        print(shutil.move(wheel, given.directory / wheel.name))


if __name__ == '__main__':
    main()
