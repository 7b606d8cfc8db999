#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compare the C segmenter with Python's jieba, word by word, on a large and varied set of Chinese texts.

    check-jieba.py --cut PROGRAM --dict COMPILED [--megabytes N] [--rjieba PYTHON] [FILE...]

PROGRAM is t/bench/jieba_cut. The text is that of the FILEs, and of Chinese documentation in Debian packages unless
--no-packages is given. `apt-get download` fetches the packages into a temporary folder (TMPDIR). Every word of every
mode must be equal. The CPU times of both are printed, and those of rjieba if --rjieba names a Python that has it. The
exit status is 1 after a difference.
"""

import argparse
import gzip
import html
import logging
import os
import random
import re
import subprocess
import sys
import tempfile
import time

import jieba

PACKAGES = """manpages-zh fortunes-zh debian-handbook debian-reference-zh-cn debian-reference-zh-tw
debian-faq-zh-cn maint-guide-zh-cn debian-edu-doc-zh-cn libreoffice-help-zh-cn gimp-help-zh-cn
kicad-doc-zh linuxcnc-doc-zh-cn""".split()

MODES = {
    "cut": lambda t: jieba.lcut(t),
    "cut_nohmm": lambda t: jieba.lcut(t, HMM=False),
    "cut_all": lambda t: jieba.lcut(t, cut_all=True),
    "search": lambda t: jieba.lcut_for_search(t),
    "search_nohmm": lambda t: jieba.lcut_for_search(t, HMM=False),
}

RJIEBA = """
import sys, time, rjieba
text = sys.stdin.buffer.read().decode().split("\\n")
rjieba.cut("warm up")
best = 1e9
for _ in range(3):
    start = time.process_time()
    for line in text:
        rjieba.cut(line)
    best = min(best, time.process_time() - start)
print(best)
"""

HAN = re.compile("[\u4e00-\u9fd5]")


def fetch(folder):
    """Unpack the packages that apt offers; report and skip the others."""
    for name in PACKAGES:
        got = subprocess.run(["apt-get", "-q", "download", name], cwd=folder,
                             stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        if got.returncode:
            print(f"# {name}: not to be had")
    for deb in sorted(os.listdir(folder)):
        if deb.endswith(".deb"):
            subprocess.run(["dpkg", "-x", deb, deb[:-4]], cwd=folder, check=True)


def text_of(path):
    """The readable text of a file, None when it is not a Chinese text."""
    with (gzip.open if path.endswith(".gz") else open)(path, "rb") as f:
        try:
            text = f.read().decode()
        except (UnicodeDecodeError, OSError, EOFError):
            return None
    if path.endswith((".html", ".xhtml")):
        text = re.sub(r"(?s)<(script|style).*?</\1>|<[^>]*>", "", text)
        text = html.unescape(text)
    return text if len(HAN.findall(text)) * 20 > len(text) else None


def files_below(folder):
    for root, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            path = os.path.join(root, name)
            if os.path.isfile(path) and not os.path.islink(path) and not name.endswith(".deb"):
                yield path


def corpus(paths, limit):
    """One text of at most `limit` bytes: new lines only, the packages taking turns."""
    seen, groups, size = set(), {}, 0
    for group, path in paths:
        groups.setdefault(group, []).append(path)
    parts = []
    while groups and size < limit:
        for group in list(groups):
            if not groups[group]:
                del groups[group]
                continue
            text = text_of(groups[group].pop(0))
            if text is None:
                continue
            lines = [l for l in text.split("\n") if l.strip() and l not in seen]
            seen.update(lines)
            # Carriage returns, blanks and line breaks of all kinds belong to the test.
            end = random.choice(["\n", "\n", "\n", "\r\n", "\r", " \n\n", "\u3000", "\x1f\u2028"])
            part = end.join(lines) + "\n"
            parts.append(part)
            size += len(part.encode())
    return "".join(parts).encode()[:limit].decode(errors="ignore")


def c_words(args, mode, data):
    out = subprocess.run([args.cut, args.dict, mode] + args.user, input=data,
                         stdout=subprocess.PIPE, check=True).stdout
    return [w.decode() for w in out.split(b"\xff")[:-1]]


def c_time(args, mode, data):
    out = subprocess.run([args.cut, "-t", "5", args.dict, mode] + args.user, input=data,
                         stdout=subprocess.PIPE, check=True).stdout
    return float(out)


def compare(args, mode, text):
    """Python's CPU time, the C program's, the words, and whether all are equal."""
    python = c = words = 0
    equal = True
    for at in range(0, len(text), args.chunk):
        part = text[at:at + args.chunk]
        start = time.process_time()
        theirs = MODES[mode](part)
        python += time.process_time() - start
        data = part.encode()
        ours = c_words(args, mode, data)
        c += c_time(args, mode, data)
        words += len(theirs)
        if ours != theirs:
            first = next((i for i, (a, b) in enumerate(zip(ours, theirs)) if a != b),
                         min(len(ours), len(theirs)))
            print(f"not ok - {mode}: word {first} from character {at}:",
                  ours[first:first + 5], "jieba:", theirs[first:first + 5])
            equal = False
    return python, c, words, equal


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--cut", required=True, help="the program t/bench/jieba_cut")
    p.add_argument("--dict", required=True, help="the dictionary compiled by shdict")
    p.add_argument("--megabytes", type=float, default=20)
    p.add_argument("--chunk", type=int, default=1000000, help="characters cut at a time")
    p.add_argument("--modes", default=",".join(MODES))
    p.add_argument("--user-dict", help="a user dictionary for both")
    p.add_argument("--rjieba", metavar="PYTHON", help="a Python that has rjieba")
    p.add_argument("--no-packages", action="store_true")
    p.add_argument("--unpacked", metavar="DIR", help="packages unpacked earlier, for --no-packages")
    p.add_argument("--save", metavar="FILE", help="write the text there too")
    p.add_argument("file", nargs="*")
    args = p.parse_args()

    jieba.setLogLevel(logging.ERROR)
    jieba.initialize()
    args.user = [args.user_dict] if args.user_dict else []
    if args.user_dict:
        jieba.load_userdict(args.user_dict)
    random.seed(1)
    with tempfile.TemporaryDirectory() as scratch:
        paths = [(f, f) for f in args.file]
        folder = args.unpacked or scratch
        if not args.no_packages:
            fetch(folder)
        paths += [(os.path.relpath(f, folder).split("/")[0], f) for f in files_below(folder)]
        text = corpus(paths, int(args.megabytes * 1e6))
    size = len(text.encode())
    print(f"# {size} bytes, {len(text)} characters, {len(HAN.findall(text))} of them Han")
    if args.save:
        with open(args.save, "w", encoding="utf-8", newline="") as f:
            f.write(text)

    failed = 0
    for mode in args.modes.split(","):
        python, c, words, equal = compare(args, mode, text)
        failed += not equal
        print(f"{'ok' if equal else 'not ok'} - {mode}: {words} words, Python {python:.2f} s "
              f"({size / python / 1e6:.2f} MB/s), C {c:.4f} s ({size / c / 1e6:.1f} MB/s), "
              f"{python / c:.0f} times as fast", flush=True)
        if args.rjieba and mode == "cut":
            theirs = float(subprocess.run([args.rjieba, "-c", RJIEBA], input=text.encode(),
                                          stdout=subprocess.PIPE, check=True).stdout)
            print(f"# cut: rjieba {theirs:.3f} s, C {theirs / c:.1f} times as fast")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
