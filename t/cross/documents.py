#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Print N documents: texts of t/data in two languages, and copies of them with some words changed. The seed is fixed.
The documents have pairs at every distance.

    t/cross/documents.py N >docs.tsv
"""
import os
import random
import sys

SEED = 20261121
HERE = os.path.dirname(os.path.abspath(__file__))


def texts(name):
    with open(os.path.join(HERE, "..", "data", name), encoding="utf-8") as lines:
        return [line.rstrip("\n").split("\t", 1)[1] for line in lines]


def changed(rng, text):
    """Changes one to eight words or characters of the text. With probability 0.3, keeps only its beginning."""
    words = text.split(" ") if text.count(" ") > 20 else list(text)
    glue = " " if text.count(" ") > 20 else ""
    if rng.random() < 0.3:
        words = words[: 1 + rng.randrange(60)]
    for _ in range(1 + rng.randrange(8)):
        at = rng.randrange(len(words))
        way = rng.randrange(3)
        if way == 0:
            words[at] = words[rng.randrange(len(words))]
        elif way == 1 and len(words) > 1:
            del words[at]
        else:
            words.insert(at, rng.choice(["new", "Ünïcode", "字", "ﬁ", "42", "\ufffd", "-"]))
    # A split escape becomes two other characters, which are valid, too.
    return glue.join(words)


def main():
    rng = random.Random(SEED)
    bases = texts("en_dev.tsv") + texts("zh_dev.tsv")
    for i in range(int(sys.argv[1])):
        text = bases[rng.randrange(len(bases))] if rng.random() < 0.5 else bases[i % len(bases)]
        if rng.random() < 0.9:
            text = changed(rng, text[:3000] if rng.random() < 0.7 else text[:120])
        sys.stdout.write("d%d\t%s\n" % (i, text))


sys.stdout.reconfigure(encoding="utf-8", newline="\n")
main()
