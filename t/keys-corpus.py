#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes a random corpus with near-copies, as id<TAB>text lines. Ids are distinct.

usage: keys-corpus.py KIND SEED DOCUMENTS
"""

import random
import sys

WORDS = {"words": 900, "short": 60, "repeats": 12, "chinese": 400, "template": 3000}


def token(kind, r):
    n = int(r.random() ** 2 * WORDS[kind])
    return chr(0x4E00 + n) if kind == "chinese" else "w" + str(n)


def length(kind, r):
    if kind == "short":
        return r.randrange(0, 26)
    if kind == "repeats":
        return r.choice([r.randrange(1, 30), r.randrange(20, 90)])
    return r.choice([r.randrange(1, 30), r.randrange(15, 60), r.randrange(60, 200)])


def fresh(kind, r):
    text = [token(kind, r) for _ in range(length(kind, r))]
    if kind == "repeats" and text:
        part = text[: r.randrange(1, 4)]
        text = text[: r.randrange(0, 12)] + part * r.randrange(1, 25)
    return text


def edited(text, kind, r):
    text = list(text)
    for _ in range(r.choice([0, 1, 1, 2, 4, 8])):
        at = r.randrange(len(text) + 1)
        how = r.randrange(4)
        if how == 0 or at == len(text):
            text.insert(at, token(kind, r))
        elif how == 1:
            text[at] = token(kind, r)
        elif how == 2:
            del text[at]
        else:
            text = text[at:] + text[:at] if r.random() < 0.3 else text
    return text


def main():
    kind, seed, n = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    r = random.Random(kind + str(seed))
    frame = [token(kind, r) for _ in range(60)]
    texts = []
    for _ in range(n):
        if kind == "template":
            text = edited(frame, kind, r) + [token(kind, r) for _ in range(r.randrange(12))]
        elif texts and r.random() < 0.6:
            text = edited(r.choice(texts[-8:]), kind, r)
        else:
            text = fresh(kind, r)
        texts.append(text)
    ids = r.sample(range(1000 * n), n)
    for i, text in zip(ids, texts):
        print("d%d\t%s" % (i, ("" if kind == "chinese" else " ").join(text)))


main()
