#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The default hash `mix`, written from its definition in lib/fp/mix.h alone.

    python3 t/vectors/mix.py > t/vectors/mix.tsv

Columns: feature text, seed, words 0 to 3, in hexadecimal. t/unit/test_hash.c
holds the C code to them. They are frozen: a change here breaks every stored
fingerprint."""

import random

M = (1 << 64) - 1
GOLDEN = 0x9E3779B97F4A7C15


def moremur(x):
    x ^= x >> 27
    x = x * 0x3C79AC492BA7B653 & M
    x ^= x >> 33
    x = x * 0x1C69B3F74AC4AE35 & M
    return x ^ x >> 27


def fold(a, b):
    b = b * 0x9FB21C651E98DF25 & M
    return a ^ ((b << 32 | b >> 32) & M)


def token(text, seed):
    acc, rest = 0, text
    while len(rest) > 16:
        acc = moremur(acc ^ fold(*halves(rest[:16])))
        rest = rest[16:]
    h = acc ^ fold(*halves(rest)) ^ (len(text) * GOLDEN & M)
    return moremur(h ^ (moremur(seed) if seed else 0))


def halves(sixteen):
    padded = sixteen.ljust(16, b"\0")
    return int.from_bytes(padded[:8], "little"), int.from_bytes(padded[8:], "little")


def feature(text, seed):
    hashes = [token(part, seed) for part in text.split(b" ")]
    if len(hashes) == 1:
        return hashes[0]
    c = hashes[0]
    for h in hashes[1:]:
        c = (c * 0xD6E8FEB86659FD93 + h) & M
    g = (c ^ c >> 32) * 0xAEF17502108EF2D9 & M
    return g ^ g >> 29


def words(h):
    return [h] + [moremur((h + j * GOLDEN) & M) for j in (1, 2, 3)]


def texts(rng):
    yield from ("", "a", "b", "the", "simhash", "0", "é", "中", "中文", "😀", "_", "\x01", "\x7f")
    yield from ("a b", "b a", "to be or not", "to be or not to be", "中 文 分 词", " ", "  ", " a", "a ", "a  b")
    yield from ("a" * n for n in range(1, 70))
    yield from (f"{n}" for n in range(0, 2000, 97))
    letters = "abcdefghijklmnopqrstuvwxyz0123456789éßжあ語"
    for _ in range(200):
        grams = rng.choice((1, 1, 2, 3, 4, 5, 8, 17))
        yield " ".join(
            "".join(rng.choice(letters) for _ in range(rng.randint(1, 24))) for _ in range(grams)
        )


def main():
    rng = random.Random(20240501)
    seeds = (0, 1, 42, 0xDEADBEEF, 1 << 63, M)
    for i, text in enumerate(texts(rng)):
        for seed in (0, seeds[1 + i % 5]):
            row = words(feature(text.encode(), seed))
            print(text, f"{seed:016x}", *(f"{w:016x}" for w in row), sep="\t")


if __name__ == "__main__":
    main()
