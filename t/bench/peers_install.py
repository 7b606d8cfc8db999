# SPDX-License-Identifier: MIT
"""Install the programs of other projects, from their registries into a folder."""
import os
import subprocess
import sys

# Packages whose requirements conflict with those of other packages. Each has a virtual environment of its own.
# --no-deps omits packages that the measured command does not import (pyspark, unisim).
CONFLICTING = {
    "datatrove": (["datatrove[io]", "orjson", "regex", "spacy", "tokenizers", "xxhash<4"],),
    "text_dedup": (["bitarray", "click", "click-option-group", "datasets", "ftfy", "numpy", "regex", "rich",
                    "scipy", "setuptools", "tqdm", "xxhash", "zstandard"],
                   ["--no-deps", "text-dedup==0.4.0"]),
}


def _quietly(argv, **keys):
    print("installing:", " ".join(argv), file=sys.stderr)
    done = subprocess.run(argv, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                          check=False, **keys)
    if done.returncode:
        print(done.stderr[-2000:], file=sys.stderr)
    return done.returncode == 0


def python(folder, module):
    """The path of a Python that has the module; None if the module cannot be installed."""
    at = os.path.join(folder, f"venv-{module}" if module in CONFLICTING else "venv")
    binary = os.path.join(at, "bin", "python")
    if not os.path.exists(binary) and not _quietly([sys.executable, "-m", "venv", at]):
        return None
    have = [binary, "-c", f"import {module}"]
    if subprocess.run(have, stderr=subprocess.DEVNULL, check=False).returncode == 0:
        return binary
    steps = CONFLICTING.get(module) or (["numpy<2", module],)
    good = all(_quietly([binary, "-m", "pip", "install", "-q", *packages]) for packages in steps)
    return binary if good else None


def hamming(folder, here):
    """A program around the crate all-pairs-hamming that reads and writes text; None if it cannot be built."""
    target = os.path.join(folder, "hamming")
    binary = os.path.join(target, "release", "hamming")
    source = os.path.join(here, "hamming", "src", "main.rs")
    if os.path.exists(binary) and os.path.getmtime(binary) >= os.path.getmtime(source):
        return binary
    try:
        good = _quietly(["cargo", "build", "-q", "--release", "--target-dir", target,
                         "--manifest-path", os.path.join(here, "hamming", "Cargo.toml")])
    except FileNotFoundError:
        good = False
    return binary if good else None


def debian(folder, package, path):
    """A program of an unpacked Debian package; None if the package cannot be downloaded."""
    at = os.path.join(folder, "debian", package)
    binary = os.path.join(at, path)
    if os.path.exists(binary):
        return binary
    os.makedirs(at, exist_ok=True)
    try:
        if not _quietly(["apt-get", "-qq", "download", package], cwd=at):
            return None
        deb = next(f for f in os.listdir(at) if f.endswith(".deb"))
        subprocess.run(["dpkg-deb", "-x", deb, "."], cwd=at, check=True)
    except (OSError, StopIteration, subprocess.CalledProcessError):
        return None
    return binary if os.path.exists(binary) else None
