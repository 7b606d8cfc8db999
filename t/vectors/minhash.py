#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Print minhash.tsv: minwise fingerprints by their definition in lib/fp/minhash.h.

    t/vectors/minhash.py >t/vectors/minhash.tsv
"""
M = (1 << 64) - 1


def moremur(x):
    x ^= x >> 27
    x = x * 0x3C79AC492BA7B653 & M
    x ^= x >> 33
    x = x * 0x1C69B3F74AC4AE35 & M
    return x ^ x >> 27


def word(h, j):
    return moremur(h + j * 0x9E3779B97F4A7C15 & M)


def minhash(hashes, bits):
    bins = [None] * bits
    for r in range(bits):
        if None not in bins:
            break
        for h in hashes:
            x = word(h, r + 1)
            j = (x >> 32) * bits >> 32
            value = (r, x & (1 << 48) - 1)
            if bins[j] is None or value < bins[j]:
                bins[j] = value
    for j in range(bits):
        if bins[j] is None:
            bins[j] = (bits, min(word(h, bits + j + 1) & (1 << 48) - 1 for h in hashes))
    out = 0
    for r, value in bins:
        out = out << 1 | value & 1
    return "%0*x" % (bits // 4, out)


def main():
    print("#features\tbits\tseed\tfingerprint")
    for bits in (64, 128, 192, 256, 1024):
        for n in (1, 2, 3, 5, 10, 30, 64, 100, 1000, 5000):
            seed = n * 1000 + bits
            hashes = [moremur(seed << 32 | i) for i in range(n)]
            print(n, bits, seed, minhash(hashes, bits), sep="\t")


main()
