#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Print datasketch_signatures.tsv: MinHash signatures made by datasketch 2.0.0 (PyPI).

    pip install datasketch==2.0.0
    t/vectors/datasketch_signatures.py >t/vectors/datasketch_signatures.tsv

The features are the words between single spaces. An empty text has no feature.
"""
from datasketch import MinHash

TEXTS = [
    "",
    "a",
    "one two three",
    "three two one two",
    "the quick brown fox jumps over the lazy dog",
    "机器 学习 和 自然 语言 处理",
    "na\u00efve caf\u00e9 \U0001f600 \u0130stanbul",
    " ".join("w%d" % i for i in range(300)),
    " ".join("x" * n for n in (1, 54, 55, 56, 57, 63, 64, 65, 118, 119, 120, 121, 127, 128, 129)),
]
SETTINGS = [
    ("affine32", 1, 1),
    ("affine32", 128, 1),
    ("affine32", 256, 42),
    ("affine32", 64, 0),
    ("affine32", 330, 4294967295),
    ("affine64", 1, 1),
    ("affine64", 128, 1),
    ("affine64", 200, 42),
    ("affine64", 330, 4294967295),
    ("legacy", 1, 1),
    ("legacy", 128, 1),
    ("legacy", 200, 7),
    ("legacy", 330, 4294967295),
]

print("#text\tscheme\tpermutations\tseed\tsignature (computed)")
for scheme, permutations, seed in SETTINGS:
    for text in TEXTS:
        m = MinHash(num_perm=permutations, seed=seed, scheme=scheme)
        for word in text.split():
            m.update(word.encode())
        digits = 16 if scheme == "affine64" else 8
        signature = "".join("%0*x" % (digits, value) for value in m.hashvalues)
        print(text, scheme, permutations, seed, signature, sep="\t")
