#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Write made-up documents with planted copies: t/quality/made.py KIND N >docs.tsv

    pages     web pages of three templates: 160 words of the template and 40 words of their own; every tenth page has a
              copy with three words changed
    lines     log lines of 20 templates: 16 words of the template and 8 words of their own; every tenth line has a copy with
              one word changed
    repeats   texts of a few different words, which are repeated; each has a copy with one word at its end
    slips     titles of 5 to 7 words; every tenth has a copy with one or two slips of the pen
    short     texts of 4 to 18 words; every tenth has a copy with one word changed

N is the number of originals. An id is NUMBER-0, or NUMBER-copy for the copy. Originals come first. The same arguments
give the same bytes.
"""
import random
import sys

from catalogue import slip

SYLLABLES = "al ber cor den fal gor han il jen kar lin mor nes ol per ros sen tor ul vas wen xi yor zim".split()


def word(rng):
    return "".join(rng.choices(SYLLABLES, k=rng.randint(1, 3)))


def words(rng, n):
    return [word(rng) for _ in range(n)]


def changed(rng, text, n):
    text = list(text)
    for at in rng.sample(range(len(text)), n):
        text[at] = word(rng) + "q"
    return text


def templates(rng, layouts, edits):
    """layouts: the templates, in which None is a word of the document's own."""
    def one():
        text = [w or word(rng) + str(rng.randrange(10)) for w in rng.choice(layouts)]
        return " ".join(text), lambda: " ".join(changed(rng, text, edits))
    return one


def pages(rng):
    return templates(rng, [words(rng, 80) + [None] * 40 + words(rng, 80) for _ in range(3)], 3)


def lines(rng):
    layouts = [words(rng, 16) + [None] * 8 for _ in range(20)]
    for layout in layouts:
        rng.shuffle(layout)
    return templates(rng, layouts, 1)


def repeats(rng):
    def one():
        what = rng.randrange(3)
        unit = [rng.choice("哈嘿呵啦哇呀") * 2] if what == 0 else words(rng, 1 if what == 1 else 4)
        text = (" ".join(unit) + " ") * rng.randint(40, 80)
        return text.strip(), lambda: text + word(rng)
    return one


def slips(rng):
    def one():
        title = " ".join(words(rng, rng.randint(5, 7))).capitalize()
        return title, lambda: slip(rng, slip(rng, title) if rng.random() < 0.5 else title)
    return one


def short(rng):
    def one():
        text = words(rng, rng.randint(4, 18))
        return " ".join(text), lambda: " ".join(changed(rng, text, 1))
    return one


KINDS = {"pages": (pages, 10), "lines": (lines, 10), "repeats": (repeats, 1), "slips": (slips, 10), "short": (short, 10)}


def main():
    kind, n = sys.argv[1], int(sys.argv[2])
    rng = random.Random(20261128)
    make, every = KINDS[kind][0](rng), KINDS[kind][1]
    copies = []
    for number in range(n):
        text, copy = make()
        print(f"{number:06}-0\t{text}")
        if number % every == 0:
            copies.append(f"{number:06}-copy\t{copy()}")
    rng.shuffle(copies)
    print("\n".join(copies))


if __name__ == "__main__":
    main()
