#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Measure the recall of shspan on test questions and passages that are planted into documents with words changed.

    t/quality/passages.py            tables in Markdown on standard output

The programs are in $SHBIN, and the documents in $T_DATA. The planted passages are the same in every run.
"""
import lzma
import math
import os
import random
import re
import subprocess
import tempfile

SHBIN, DATA = os.environ["SHBIN"], os.environ["T_DATA"]
WORD = re.compile(r"[a-z]+")


def shspan(*args):
    got = subprocess.run([SHBIN + "/shspan", *args], stdout=subprocess.PIPE, check=True, encoding="utf-8")
    return [line.split("\t") for line in got.stdout.splitlines()]


def read(name):
    opened = lzma.open if name.endswith(".xz") else open
    with opened(os.path.join(DATA, name), "rt", encoding="utf-8", newline="\n") as f:
        return [line.rstrip("\n").split("\t", 1) for line in f]


class Changer:
    """Replaces, inserts and deletes words."""

    def __init__(self, random_, words):
        self.random, self.words = random_, words

    def change(self, words, share):
        out = []
        for word in words:
            if self.random.random() >= share:
                out.append(word)
                continue
            what = self.random.randrange(3)
            if what < 2:
                out.append(self.random.choice(self.words))
            if what == 1:
                out.append(word)
        return out


def write(name, documents):
    with open(name, "w", encoding="utf-8", newline="\n") as f:
        f.writelines("%s\t%s\n" % document for document in documents)


def plant(random_, documents, text):
    """Plants the text into 400 words of a document."""
    words = random_.choice(documents)[1].split(" ")
    at = random_.randrange(len(words))
    return " ".join(words[max(0, at - 200):at] + [text] + words[at:at + 200])


def ways(changer):
    def wrapped(text):
        words = text.split()
        return "\\n".join(" ".join(words[i:i + 7]) for i in range(0, len(words), 7))

    return [
        ("verbatim", lambda t: t),
        ("re-wrapped", wrapped),
        ("lower case", str.lower),
        ("punctuation", lambda t: re.sub(r"[.,?!]", " -", t)),
        ("10 % changed", lambda t: " ".join(changer.change(t.split(), .1))),
        ("20 % changed", lambda t: " ".join(changer.change(t.split(), .2))),
        ("first 70 %", lambda t: " ".join(t.split()[:round(.7 * len(t.split()))])),
    ]


def questions(random_, documents, changer, queries, *options):
    """The recall of each method, and the number of pairs that were not planted."""
    plants, planted = [], {}
    for way, edit in ways(changer):
        for id_, text in queries:
            name = "%d" % len(plants)
            planted[name] = (way, id_)
            plants.append((name, plant(random_, documents, edit(text))))
    write("queries", queries)
    write("plants", plants)
    found, wrong = {way: set() for way, _ in ways(changer)}, 0
    for document, query, *_ in shspan("--pairs", *options, "-d", "queries", "plants"):
        way, id_ = planted[document]
        if query == id_:
            found[way].add(document)
        else:
            wrong += 1
    return [len(found[way]) / len(queries) for way, _ in ways(changer)] + [wrong]


def short_questions(queries):
    """The first sentence of 10 to 19 words of each document."""
    for id_, text in queries:
        for sentence in re.split(r"(?<=[.?!])\s+", text):
            if 10 <= len(sentence.split()) <= 19:
                yield id_, sentence
                break


def passages(random_, documents, changer, length, share, query, n=300):
    """The share of planted passages of which at least half is found with its source."""
    sources, plants = [], []
    while len(plants) < n:
        words = [w for w in random_.choice(documents)[1].split(" ") if WORD.fullmatch(w)]
        if len(words) < length + 10:
            continue
        at = random_.randrange(len(words) - length)
        number = len(plants)
        own = " ".join("s%dx%d" % (number, i) for i in range(20))
        sources.append(("s%d" % number, own + " " + " ".join(words[at:at + length]) + " " + own))
        text = " ".join(changer.change(words[at:at + length], share))
        around = ["p%dx%d" % (number, i) for i in range(60)]
        plants.append(("p%d" % number, " ".join(around[:30]) + " " + text + " " + " ".join(around[30:])))
    write("sources", sources)
    write("plants", plants)
    spans = shspan("-d", "sources", "plants") if query else shspan("--all", "sources", "plants")
    found = {f[0] for f in spans if f[0][0] == "p" and f[3] == "s" + f[0][1:] and int(f[6]) * 2 >= length * (1 - share)}
    return len(found) / n


# ---- passages reused in other documents, with their offsets ----


def shuffled(random_, words):
    """Puts pieces of 5 to 20 words into another order."""
    parts, at = [], 0
    while at < len(words):
        n = random_.randrange(5, 21)
        parts.append(words[at:at + n])
        at += n
    random_.shuffle(parts)
    return [word for part in parts for word in part]


SIZE = 1200  # words of a text
REUSE = {  # the number of passages of each kind of reuse
    "verbatim": (11, lambda r, c, w: w),
    "parts shuffled": (14, lambda r, c, w: shuffled(r, w)),
    "10 % of words changed": (18, lambda r, c, w: c.change(w, .1)),
    "20 % of words changed": (18, lambda r, c, w: c.change(w, .2)),
    "30 % of words changed": (18, lambda r, c, w: c.change(w, .3)),
    "40 % changed, parts shuffled": (14, lambda r, c, w: shuffled(r, c.change(w, .4))),
}


def reuse(random_, documents, changer):
    """Writes 30 sources and 35 documents. Returns the cases (document, start, end, source, start, end, kind)."""
    words = [word for _, text in documents for word in text.replace("\\n", " ").split()
             if re.fullmatch("[A-Za-z]+[.,]?", word)]
    texts = [[random_.choice(words) for _ in range(SIZE)] for _ in range(65)]
    sources, targets, cases = texts[:30], texts[30:], []
    kinds = [kind for kind, (n, _) in REUSE.items() for _ in range(n)]
    random_.shuffle(kinds)
    places = [[] for _ in targets]
    for kind in kinds:
        places[random_.randrange(len(targets))].append(kind)
    written = []
    for number, (target, here) in enumerate(zip(targets, places)):
        cuts = sorted(random_.sample(range(0, len(target), SIZE // 20), len(here)))
        out, size, before = [], 0, 0
        for cut, kind in zip(cuts, here):
            source = random_.randrange(len(sources))
            n = random_.randrange(50, SIZE // 3)
            at = random_.randrange(len(sources[source]) - n)
            mine = " ".join(REUSE[kind][1](random_, changer, sources[source][at:at + n]))
            out.append(" ".join(target[before:cut]))
            start = len(" ".join(out)) + 1
            out.append(mine)
            from_ = len(" ".join(sources[source][:at])) + (at > 0)
            cases.append(("d%d" % number, start, start + len(mine), "s%d" % source, from_,
                          from_ + len(" ".join(sources[source][at:at + n])), kind))
            before = cut
        written.append(("d%d" % number, " ".join(out + [" ".join(target[before:])])))
    write("sources", [("s%d" % i, " ".join(text)) for i, text in enumerate(sources)])
    write("targets", written)
    return cases


def area(a, b):
    """The offsets that are in both a and b."""
    if a[0] != b[0] or a[3] != b[3]:
        return set()
    if min(a[2], b[2]) <= max(a[1], b[1]) or min(a[5], b[5]) <= max(a[4], b[4]):
        return set()
    return {("d", i) for i in range(max(a[1], b[1]), min(a[2], b[2]))} | \
        {("s", i) for i in range(max(a[4], b[4]), min(a[5], b[5]))}


def size(a):
    return a[2] - a[1] + a[5] - a[4]


def plagdet(cases, found):
    """Recall, precision, granularity and plagdet (Potthast et al. 2010), and the recall of each kind."""
    touches = {case: [f for f in found if area(case, f)] for case in cases}
    share = {case: len(set().union(*(area(case, f) for f in touches[case]))) / size(case) for case in cases}
    recall = sum(share.values()) / len(cases)
    precision = sum(len(set().union(*(area(c, f) for c in cases))) / size(f) for f in found) / max(len(found), 1)
    detected = [len(t) for t in touches.values() if t]
    granularity = sum(detected) / len(detected) if detected else 1
    f1 = 2 * recall * precision / (recall + precision) if recall + precision else 0
    kinds = [sum(share[c] for c in cases if c[6] == kind) / n for kind, (n, _) in REUSE.items()]
    return [recall, precision, granularity, f1 / math.log2(1 + granularity)] + kinds


def reused(cases, *arguments):
    spans = [(f[0], int(f[1]), int(f[2]), f[3], int(f[4]), int(f[5]))
             for f in shspan(*arguments) if f[0][0] == "d" and f[3][0] == "s"]
    return plagdet(cases, spans)


def row(*cells):
    print("| " + " | ".join(c if isinstance(c, str) else "%.3f" % c if isinstance(c, float) else str(c)
                            for c in cells) + " |")


def main():
    random_ = random.Random(21)
    documents = read("en_dev.tsv")
    evals = [tuple(q) for q in read("evals_dev.tsv.xz")]
    changer = Changer(random_, WORD.findall(" ".join(text for _, text in documents[:50]).lower()))
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        print("## Test questions in documents\n")
        print("Questions are planted into 400 words of a document. The share of the plants whose question is\n"
              "found, and pairs of a plant with another question (t/quality/passages.py).\n")
        row("shspan --pairs -d", *(way for way, _ in ways(changer)), "wrong pairs")
        row(*["---"] * 9)
        row("%d questions" % len(evals), *questions(random_, documents, changer, evals))
        short = list(short_questions(evals))
        row("%d of 10 to 19 words" % len(short), *questions(random_, documents, changer, short))
        row("the same, -T 0.6", *questions(random_, documents, changer, short, "-T", "0.6"))
        print("\n## Passages in documents\n")
        print("The share of the passages that are found with their source, by the share of their words that are\n"
              "changed: replaced, inserted or deleted, a third each.\n")
        changes = (0, .02, .05, .1, .2)
        row("tokens", *("%d %%" % round(100 * c) for c in changes))
        row(*["---"] * 6)
        for query in (True, False):
            for length in (15, 25, 50, 100):
                row("%d, %s" % (length, "queries" if query else "--all"),
                    *(passages(random_, documents, changer, length, c, query) for c in changes))
        print("\n## Reused passages\n")
        print("Passages of 50 to 400 words of 30 sources stand in 35 documents of 1200 other words. The texts are\n"
              "English words in random order. Measures of Potthast et al. (2010) over the bytes of both sides, and\n"
              "the recall of each kind.\n")
        cases = reuse(random_, documents, changer)
        row("shspan", "recall", "precision", "granularity", "plagdet", *REUSE)
        row(*["---"] * (5 + len(REUSE)))
        for options in ((), ("--merge", "0"), ("--merge", "150"), ("-n", "4", "--merge", "150"), ("-n", "3"),
                        ("-n", "3", "--merge", "150"), ("-n", "3", "--merge", "400")):
            row(" ".join(("--all",) + options), *reused(cases, "--all", *options, "sources", "targets"))
        for options in ((), ("-n", "3")):
            row(" ".join(("-d",) + options), *reused(cases, *options, "-d", "sources", "targets"))


main()
