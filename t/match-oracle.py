#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Random documents, and what shdedup must do with them.

match-oracle.py make SEED KIND N         writes N documents of a kind: words, characters, chinese, repeats, long
match-oracle.py check DOCS UNIT N JACCARD EDIT LINK RANKS REPORT
                                         checks a report against the comparison of all pairs

A threshold of 0 stands for a measure that makes no match. RANKS has the ids, the best first. Exact fractions, no
rounding: a threshold is a decimal number.
"""
import random
import sys
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction


def make(seed, kind, n):
    r = random.Random(f"{seed} {kind}")
    chinese = [chr(0x4E00 + i) for i in range(60)]
    words = ["w%d" % i for i in range(40)]
    vocabulary = chinese if kind == "chinese" else words
    texts = []
    for i in range(n):
        if texts and r.random() < 0.7:
            text = list(r.choice(texts))
            for _ in range(r.choice((0, 1, 1, 2, 3))):
                at = r.randrange(len(text) + 1)
                if r.random() < 0.5 or at == len(text):
                    text[at:at + r.randrange(2)] = [r.choice(vocabulary)]
                elif len(text) > 1:
                    del text[at]
            if kind == "repeats" and r.random() < 0.5:
                text += [r.choice(text)] * r.randrange(40)
        elif kind == "repeats":
            phrase = [r.choice(vocabulary) for _ in range(r.randrange(1, 4))]
            text = [r.choice(vocabulary) for _ in range(r.randrange(12))] + phrase * r.randrange(1, 20)
        else:
            text = [r.choice(vocabulary) for _ in range(r.randrange(30, 70) if kind == "long" else r.randrange(1, 26))]
        texts.append(text)
        print("d%d\t%s" % (i, ("" if kind == "chinese" else " ").join(text)))


def tokens(text, unit):
    if unit == "char":
        return list("_".join(text.split()))
    return [t for w in text.split() for t in ([w] if w.isascii() else w)]


def grams(t, n):
    return {tuple(t[i:i + n]) for i in range(len(t) - n + 1)} if len(t) >= n else {tuple(t)} - {()}


def distance(x, y):
    row = list(range(len(y) + 1))
    for i, a in enumerate(x, 1):
        before, row = row, [i]
        for j, b in enumerate(y, 1):
            row.append(min(before[j] + 1, row[-1] + 1, before[j - 1] + (a != b)))
    return row[-1]


def rounded(x):
    return str((Decimal(x.numerator) / Decimal(x.denominator)).quantize(Decimal("0.0001"), ROUND_HALF_UP))


class Pairs:
    def __init__(self, docs, unit, n, jaccard, edit):
        self.token = {i: tokens(text, unit) for i, text in docs}
        self.set = {i: grams(t, n) for i, t in self.token.items()}
        self.jaccard, self.edit, self.known = Fraction(jaccard), Fraction(edit), {}

    def verdict(self, x, y):
        """Whether the documents are similar, the similarity to report, and its measure."""
        key = (min(x, y), max(x, y))
        if key not in self.known:
            self.known[key] = self.compare(x, y)
        return self.known[key]

    def compare(self, x, y):
        a, b, j = self.set[x], self.set[y], Fraction(0)
        if not a or not b:
            return False, Fraction(0), "jaccard"
        if self.jaccard:
            j = Fraction(len(a & b), len(a | b))
            if j >= self.jaccard or not self.edit:
                return j >= self.jaccard, j, "jaccard"
        longer = max(len(self.token[x]), len(self.token[y]))
        e = 1 - Fraction(distance(self.token[x], self.token[y]), longer)
        return e >= self.edit, e, "edit"


def stars(order, pairs):
    keeper = {}
    for i, x in enumerate(order):
        keeper[x] = next((y for y in order[:i] if keeper[y] == y and pairs.verdict(x, y)[0]), x)
    return keeper


def chains(order, pairs):
    keeper = {x: x for x in order}
    for i, x in enumerate(order):
        for y in order[:i]:
            if keeper[x] != keeper[y] and pairs.verdict(x, y)[0]:
                best = min(keeper[x], keeper[y], key=order.index)
                worse = keeper[y] if best == keeper[x] else keeper[x]
                keeper = {z: best if k == worse else k for z, k in keeper.items()}
    return keeper


def check(docs, unit, n, jaccard, edit, link, ranks, report):
    docs = [line.rstrip("\n").split("\t") for line in open(docs, encoding="utf-8")]
    order = [line.split("\t")[0].rstrip("\n") for line in open(ranks)]
    pairs = Pairs(docs, unit, int(n), jaccard, edit)
    keeper = (chains if link == "single" else stars)(order, pairs)
    expected = []
    for i, _ in docs:
        if keeper[i] != i:
            _, similarity, measure = pairs.verdict(i, keeper[i])
            expected.append("\t".join((i, keeper[i], rounded(similarity), measure)))
    found = open(report).read().splitlines()
    for line in sorted(set(expected) ^ set(found)):
        print("missing" if line in expected else "wrong", line)
    sys.exit(expected != found)


{"make": lambda seed, kind, n: make(seed, kind, int(n)), "check": check}[sys.argv[1]](*sys.argv[2:])
