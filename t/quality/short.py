#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Write short texts and edited copies of them: t/quality/short.py en|zh DATA >short.tsv

The originals are sentences of different documents of DATA/en_dev.tsv or DATA/zh_dev.tsv: 5 to 20 words of
English, or 8 to 40 characters of Chinese. Each original has one copy of each kind of edit. An id is
ORIGIN-KIND; the original's KIND is 0. A third field holds people; copies write their names in another way.
The order of lines is random, with the originals first. The same DATA gives the same bytes.
"""
import random
import re
import sys

import edited

KINDS = {"slip": "one slip", "slips": "two slips", "word": "one word", "words": "two words", "moved": "part moved",
         "form": "case, punctuation"}
SYLLABLES = "al ber cor den fal gor han il jen kar lin mor nes ol per ros sen tor ul vas wen xi yor zim".split()


def sentences(language, data):
    for text in edited.texts(language, data):
        of_one = 0
        for sentence in re.split(r"(?<=[.!?])\s|[。！？；]", text):
            words = edited.units(random.Random(0), language, sentence.strip())
            if language == "en":
                fits = 5 <= len(words) <= 20 and all(re.fullmatch(r"[\w'(),;:.!?-]+", w) for w in words)
            else:
                fits = 8 <= len(sentence) <= 40 and sum(map(edited.is_han, sentence)) >= 0.9 * len(sentence)
            if fits and of_one < 30:
                of_one += 1
                yield words


def form(rng, language, text):
    text = re.sub(r"[,;:.!?，、：]", lambda m: rng.choice(["", m[0], " - "]), text)
    return text.upper() if rng.random() < 0.3 else text.title() if rng.random() < 0.5 else text


def copy_of(rng, language, words, kind, vocabulary, letters):
    glue = " " if language == "en" else ""
    if kind == "moved":
        at = rng.randint(1, len(words) - 1)
        return glue.join(words[at:] + words[:at])
    if kind == "form":
        return form(rng, language, glue.join(words))
    items = words if kind.startswith("word") else glue.join(words)
    for _ in range(2 if kind.endswith("s") else 1):
        items = edited.edit(rng, items, 0, vocabulary if kind.startswith("word") else letters)
    return (glue if kind.startswith("word") else "").join(items)


def people(rng):
    """The names of people in the spellings of two catalogues."""
    names = [("".join(rng.choices(SYLLABLES, k=2)).title(), "".join(rng.choices(SYLLABLES, k=2)).title()) for _ in range(rng.randint(2, 4))]
    return "; ".join(f"{last}, {first}" for first, last in names), " and ".join(f"{first[0]}. {last}" for first, last in names)


def write(language, data):
    rng = random.Random(20261123)
    docs = list(sentences(language, data))
    rng.shuffle(docs)
    docs = list(edited.apart(docs, 2))[:1000]
    vocabulary = [word for doc in docs for word in doc]
    letters = "abcdefghijklmnopqrstuvwxyz" if language == "en" else "".join(w for w in vocabulary if edited.is_han(w[0]))
    changed = []
    for i, words in enumerate(docs):
        one, other = people(rng)
        text = (" " if language == "en" else "").join(words)
        print(f"{i:04}-0\t{text}\t{one}")
        changed += [f"{i:04}-{kind}\t{copy_of(rng, language, words, kind, vocabulary, letters)}\t{other}" for kind in KINDS]
    rng.shuffle(changed)
    print("\n".join(changed))


if __name__ == "__main__":
    write(*sys.argv[1:3])
