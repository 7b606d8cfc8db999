#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Write documents and edited copies of them: t/quality/edited.py en|zh DATA >edited.tsv

The originals are stretches of different documents of DATA/en_dev.tsv or DATA/zh_dev.tsv, 50 to 500 words
of English or 100 to 1,000 characters of Chinese. Each original has one copy of each kind of edit. An id is
ORIGIN-KIND; the original's KIND is 0. No two originals have much in common. The order of lines is random, with the originals first. The same DATA
gives the same bytes.
"""
import random
import re
import sys

KINDS = {  # kind of edit, and the share of edited units
    "w05": ("words", 0.05), "w10": ("words", 0.10), "w20": ("words", 0.20),
    "c01": ("characters", 0.01), "c03": ("characters", 0.03), "c05": ("characters", 0.05),
}


def unescape(text):
    return re.sub(r"\\([tnr\\])", lambda m: {"t": " ", "n": " ", "r": " ", "\\": "\\"}[m[1]], text)


def texts(language, data):
    """The text of the first document of each cluster."""
    cluster = dict(line.rstrip("\n").split("\t") for line in open(f"{data}/{language}_dev.truth.tsv"))
    seen = set()
    for line in open(f"{data}/{language}_dev.tsv", encoding="utf-8", newline="\n"):
        doc, text = line.rstrip("\n").split("\t")
        if cluster.get(doc, doc) not in seen:
            seen.add(cluster.get(doc, doc))
            yield re.sub(r"\s+", " ", unescape(text)).strip()


def units(rng, language, text):
    """Splits the text into units: English words, or one to three Chinese characters. The units cover the text."""
    if language == "en":
        return text.split()
    out = []
    for run in re.findall(r"[\u4e00-\u9fff]+|[^\u4e00-\u9fff]+", text):
        if not is_han(run[0]):
            out.append(run)
            continue
        while run:
            n = rng.choice((1, 2, 2, 2, 3))
            out.append(run[:n])
            run = run[n:]
    return out


def is_han(c):
    return "\u4e00" <= c <= "\u9fff"


def originals(rng, language, data):
    low, high = (50, 500) if language == "en" else (60, 550)
    for text in texts(language, data):
        words, at = units(rng, language, text), 0
        while True:
            n = rng.randint(low, high)
            if at + n > len(words):
                break
            text = "".join(words[at:at + n])
            if language == "en" or sum(map(is_han, text)) >= 0.75 * len(text):
                yield words[at:at + n]
            at += 2 * n  # two consecutive passages of a document share nothing


def apart(docs, n):
    """The passages that share less than a tenth of their runs of n words with an earlier passage."""
    seen = set()
    for words in docs:
        runs = {tuple(words[i:i + n]) for i in range(len(words) - n + 1)}
        if len(runs & seen) < 0.1 * len(runs):
            yield words
        seen |= runs


def edit(rng, items, share, other):
    """Deletes, replaces and inserts units, a third of the changes each."""
    items = list(items)
    for _ in range(max(1, round(share * len(items)))):
        i, what = rng.randrange(len(items)), rng.randrange(3)
        if what == 0 and len(items) > 1:
            del items[i]
        elif what == 1:
            items[i] = rng.choice(other)
        else:
            items.insert(i, rng.choice(other))
    return items


def main():
    language, data = sys.argv[1:3]
    rng = random.Random(20261123)
    docs = list(originals(rng, language, data))
    rng.shuffle(docs)
    docs = list(apart(docs, 4))[:1000]
    glue = " " if language == "en" else ""
    vocabulary = [word for doc in docs for word in doc]
    letters = "abcdefghijklmnopqrstuvwxyz" if language == "en" else "".join(w for w in vocabulary if is_han(w[0]))
    copies = []
    for i, words in enumerate(docs):
        print(f"{i:04}-0\t{glue.join(words)}".replace("\\", "\\\\"))
        for kind, (what, share) in KINDS.items():
            if what == "words":
                text = glue.join(edit(rng, words, share, vocabulary))
            else:
                text = "".join(edit(rng, glue.join(words), share, letters))
            copies.append(f"{i:04}-{kind}\t{text}".replace("\\", "\\\\"))
    rng.shuffle(copies)
    print("\n".join(copies))


if __name__ == "__main__":
    main()
