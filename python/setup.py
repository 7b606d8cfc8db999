# SPDX-License-Identifier: MIT
"""Build the package, with the shared library when its sources are present.

The sources of the library are in the parent folder, or in $SIMHASH_SOURCES. `make` builds the library there.
$SIMHASH_LIBRARY names a library that is already built. Without sources (in an sdist), or when $SIMHASH_LIBRARY
is empty, the package has no library. It then loads libsimhash.so.0 of the system.
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
    """The path of the library for the package, or None."""
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
            # The copy has the name that the module loads; `path` may be a symbolic link.
            name = os.path.basename(path)
            shutil.copyfile(os.path.realpath(path), os.path.join(self.build_lib, "simhash_utils", name))


class Wheel(bdist_wheel):
    def get_tag(self):
        python, abi, platform = super().get_tag()
        return ("py3", "none", platform)  # the library does not depend on the version of Python


class WithLibrary(Distribution):
    def has_ext_modules(self):
        return os.environ.get("SIMHASH_LIBRARY", str(int(HAVE_SOURCES))) not in ("", "0")


setup(cmdclass={"build_py": Build, "bdist_wheel": Wheel}, distclass=WithLibrary)
