#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Write pysimhash_weights.tsv: fingerprints that simhash 2.1.2 (PyPI, numpy 1.26) gives to features with
weights that have fractions. Rounding decides in those of three features: exact sums give other bits.

Columns: bits, features as "text weight" with commas between, fingerprint.
"""

import itertools
import random
from fractions import Fraction

from simhash import Simhash

WEIGHTS = "0.1 0.2 0.3 0.4 0.5 0.6 0.7 0.8 0.9 1.1 0.01 0.001 3.3".split()
MIXED = WEIGHTS + "1 2 50 51 200 2.5 0.000001".split()


def number(text):
    return float(text) if "." in text else int(text)


def value(bits, features):
    return Simhash([(text, number(weight)) for text, weight in features], f=bits)


def exact(s, features):
    """The same by exact sums."""
    total = sum(Fraction(w) for _, w in features)
    out = 0
    for bit in range(s.f):
        n = sum(Fraction(w) for t, w in features
                if int.from_bytes(s.hashfunc(t.encode())[-s.f_bytes:], "big") >> bit & 1)
        out |= (2 * n > total) << bit
    return out


def rows():
    for weights in itertools.product(WEIGHTS, repeat=3):
        features = list(zip("abc", weights))
        for bits in 64, 128:
            s = value(bits, features)
            if s.value != exact(s, features):
                yield bits, features, s.value
    rng = random.Random(1)
    for n in 1, 2, 4, 8, 30, 199, 200, 201, 420:
        for bits in 8, 64, 128:
            features = [(rng.choice("abcd"), rng.choice(MIXED)) for _ in range(n)]
            yield bits, features, value(bits, features).value
    # Features of weight 0 fill its batches of 200, so that sums are rounded elsewhere.
    found = 0
    for x, y, z in itertools.product(WEIGHTS, repeat=3):
        features = [("a", x), ("b", "2")] + 199 * [("z", "0")] + [("c", y), ("d", z)]
        s = value(64, features)
        if s.value != value(64, [f for f in features if f[1] != "0"]).value and found < 3:
            found += 1
            yield 64, features, s.value


with open("pysimhash_weights.tsv", "w", encoding="utf-8") as out:
    print("#bits", "features", "fingerprint", sep="\t", file=out)
    for bits, features, fp in rows():
        print(bits, ",".join(" ".join(f) for f in features), f"{fp:0{bits // 4}x}",
              sep="\t", file=out)
