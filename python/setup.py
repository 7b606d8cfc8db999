# SPDX-License-Identifier: MIT
"""Build the package, with the shared library and the programs when the sources are present.

The sources are in the parent folder, or in $SIMHASH_SOURCES. `make python` builds library and programs there. The
programs go to the folder `bin` of the installation, where the module looks for them.
$SIMHASH_LIBRARY names a library that is already built; the package then has no programs. Without sources (in an
sdist), or when $SIMHASH_LIBRARY is empty, the package has only the module. It then loads libsimhash.so.0 of the
system, and runs the programs of the system.
"""
import glob
import os
import shutil
import subprocess
import sys

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py

try:
    from setuptools.command.bdist_wheel import bdist_wheel
except ImportError:  # before setuptools 70.1
    from wheel.bdist_wheel import bdist_wheel

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCES = os.environ.get("SIMHASH_SOURCES") or os.path.dirname(HERE)
HAVE_SOURCES = os.path.exists(os.path.join(SOURCES, "lib", "simhash.h"))
LIBRARY = os.environ.get("SIMHASH_LIBRARY")
BUILDS = LIBRARY is None and HAVE_SOURCES
PROGRAMS = os.path.join(HERE, "build", "programs")  # the files of bin and share

# The one binary is called by its path here, because a wheel holds no links.
SCRIPT = """#!/bin/sh
dir=${0%%/*}
[ -x "$dir/simhash-utils" ] || dir=$(dirname "$(readlink -f "$0")")
exec "$dir/simhash-utils" %s "$@"
"""


def make():
    """Builds library and programs, or ends with the packages that are missing."""
    try:
        subprocess.check_call(["make", "-s", f"-j{os.cpu_count() or 1}", "-C", SOURCES, "BUILD=build", "python"])
    except (OSError, subprocess.CalledProcessError) as error:
        deps = os.path.join(SOURCES, "share", "deps")
        missing = subprocess.run(["sh", deps, "-n", "build"], stdout=subprocess.PIPE).stdout.decode().split()
        sys.exit(
            f"simhash-utils: cannot build the programs and the library ({error}). "
            + (f"Missing packages, by their names in Debian: {' '.join(missing)}\n"
               f"Install them: sudo apt-get install {' '.join(missing)}" if missing else "See the messages above."))


def place_programs():
    """Puts the programs and jieba's dictionary where setuptools finds them, and returns what goes where."""
    folder = os.path.join(PROGRAMS, "bin")
    shutil.rmtree(PROGRAMS, ignore_errors=True)
    os.makedirs(folder)
    shutil.copy(os.path.join(SOURCES, "build", "simhash-utils"), folder)
    for source in glob.glob(os.path.join(SOURCES, "bin", "sh*.c")):
        name = os.path.basename(source)[:-2]
        with open(os.path.join(folder, name), "w") as file:
            file.write(SCRIPT % name)
        os.chmod(file.name, 0o755)
    dictionary = os.path.join(SOURCES, "bin", "jieba.dict")
    files = [("bin", sorted(glob.glob(os.path.join(folder, "*"))))]
    if os.path.exists(dictionary):
        files.append(("share/simhash-utils", [dictionary]))
    return [(to, [os.path.relpath(path, HERE) for path in paths]) for to, paths in files]


class Build(build_py):
    def run(self):
        super().run()
        path = glob.glob(os.path.join(SOURCES, "build", "libsimhash.so.*"))[0] if BUILDS else LIBRARY
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
        return bool(BUILDS or LIBRARY)


os.chdir(HERE)
commands = {"build", "bdist_wheel", "install", "build_py", "develop"}
data_files = []
if BUILDS and commands.intersection(sys.argv):
    make()
    data_files = place_programs()
setup(cmdclass={"build_py": Build, "bdist_wheel": Wheel}, distclass=WithLibrary, data_files=data_files)
