"""Names the wheel for one platform when it includes libgibbous in gibbous/_lib, and else for any (build_wheel.py)."""

from pathlib import Path

from setuptools import Distribution, setup

try:
    from setuptools.command.bdist_wheel import bdist_wheel
except ImportError:  # setuptools before 70.1
    from wheel.bdist_wheel import bdist_wheel

BUNDLES = (Path(__file__).parent / 'gibbous' / '_lib' / 'libgibbous.so').is_file()


class PlatformDistribution(Distribution):
    def has_ext_modules(self) -> bool:
        return BUNDLES


class AnyPython(bdist_wheel):
    """The library is loaded with ctypes: it needs a platform, but no particular Python."""

    def get_tag(self) -> tuple[str, str, str]:
        return ('py3', 'none', super().get_tag()[2])


setup(distclass=PlatformDistribution, cmdclass={'bdist_wheel': AnyPython})
