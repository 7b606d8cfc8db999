#!/usr/bin/env python3
"""Recall of shspan: test questions and passages planted into documents, with words changed.

    t/quality/passages.py            tables in Markdown on standard output

Programs are those in $SHBIN, documents those in $T_DATA. The same plants each time.
"""
import lzma
import os
import random
import re
import subprocess
import tempfile

SHBIN, DATA = os.environ["SHBIN"], os.environ["T_DATA"]
WORD = re.compile(r"[a-z]+")


def shspan(*args):
    got = subprocess.run([SHBIN + "/shspan", *args], check=True, capture_output=True, encoding="utf-8")
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
    """The text inside 400 words of a document."""
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
    """Recall of each way, and the pairs that are no plant."""
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
    """The first sentence of 10 to 19 words of each."""
    for id_, text in queries:
        for sentence in re.split(r"(?<=[.?!])\s+", text):
            if 10 <= len(sentence.split()) <= 19:
                yield id_, sentence
                break


def passages(random_, documents, changer, length, share, query, n=300):
    """The share of plants of which half is found with its source."""
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


main()
