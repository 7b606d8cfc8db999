"""Puts the shared library into the package, where there is one to put.

The sources of the library are the folder above, or $SIMHASH_SOURCES: `make` builds it there, as it
builds all else. $SIMHASH_LIBRARY names a library that is built already; when it is empty, or the
sources are not there (an sdist), the package has none and loads the system's libsimhash.so.0.
"""
import glob
import os
import shutil
import subprocess

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py

try:
    from setuptools.command.bdist_wheel import bdist_wheel
except ImportError:  # before setuptools 70.1
    from wheel.bdist_wheel import bdist_wheel

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCES = os.environ.get("SIMHASH_SOURCES") or os.path.dirname(HERE)
HAVE_SOURCES = os.path.exists(os.path.join(SOURCES, "lib", "simhash.h"))


def library():
    """The path of the library to put in, or None."""
    given = os.environ.get("SIMHASH_LIBRARY")
    if given is not None:
        return given or None
    if not HAVE_SOURCES:
        return None
    subprocess.check_call(["make", "-s", "-C", SOURCES, "BUILD=build", "shared"])
    return glob.glob(os.path.join(SOURCES, "build", "libsimhash.so.*"))[0]


class Build(build_py):
    def run(self):
        super().run()
        path = library()
        if path:
            # Under the name that it is loaded by, whatever file it is.
            name = os.path.basename(path)
            shutil.copyfile(os.path.realpath(path), os.path.join(self.build_lib, "simhash_utils", name))


class Wheel(bdist_wheel):
    def get_tag(self):
        python, abi, platform = super().get_tag()
        return ("py3", "none", platform)  # no part of Python is compiled in


class WithLibrary(Distribution):
    def has_ext_modules(self):
        return os.environ.get("SIMHASH_LIBRARY", str(int(HAVE_SOURCES))) not in ("", "0")


setup(cmdclass={"build_py": Build, "bdist_wheel": Wheel}, distclass=WithLibrary)
