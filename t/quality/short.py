#!/usr/bin/env python3
"""Write short texts and edited copies of them: t/quality/short.py en|zh DATA >short.tsv

The originals are sentences of different documents of DATA/en_dev.tsv or DATA/zh_dev.tsv: 5 to 20 words of
English, or 8 to 40 characters of Chinese. Each original has one copy of each kind of edit. An id is
ORIGIN-KIND; the original's KIND is 0. A third field holds people; copies write their names in another way.
The order of lines is random, with the originals first. The same DATA gives the same bytes.
"""
import random
import re
import subprocess
import sys

import copies
import edited

KINDS = {"slip": "one slip", "slips": "two slips", "word": "one word", "words": "two words", "moved": "part moved",
         "form": "case, punctuation"}
WAYS = ("", "--few 0", "--few 100", "-n 1 -T 0.6", "-u char -n 2 -T 0.6", "-u char -n 3 -T 0.5", "--measure edit -T 0.7",
        "--measure edit -u char -T 0.75", "--measure any -u char -n 2 -T 0.6,0.75")
RECORDS = ("", "--measure edit -u char -T 0.75", "--measure any -u char -n 2 -T 0.6,0.75", "--measure any -u char -n 2 -T 0.5,0.6")
CHINESE = ("-n 2", "-n 3", "-n 4", "-n 1 --segment jieba", "-n 2 --segment jieba", "-n 3 --segment jieba", "-n 2 -T 0.6", "-n 3 -T 0.6",
           "-n 1 -T 0.6 --segment jieba", "-n 2 -T 0.6 --segment jieba", "--measure edit -T 0.75", "--measure edit -T 0.75 --segment jieba")
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


def make(program, language, data, path):
    with open(path, "wb") as f:
        subprocess.run([sys.executable, f"{copies.HERE}/{program}", language, data], stdout=f, check=True)


def rows(sh, alone, path, ways, kinds, form=""):
    for way in ways:
        options = " ".join((form + " " + way).split())
        *shares, wrong = copies.score_copies(path, copies.report(sh, path, "--raw " + options), kinds)
        cpu = alone("shdedup", "-q", "--dry-run", "--raw", *options.split(), path)
        yield f"`{('shdedup ' + options).strip()}` | " + " | ".join(f"{s:.3f}" for s in shares) + f" | {100 * wrong:.2f} % | {cpu:.3f} |"


def table_of_short(sh, alone, data, work):
    text = ["## Short texts", "",
            "Sentences of 5 to 20 words, or of 8 to 40 Chinese characters, with one copy of each kind: one or two slips of the",
            "pen (a character left out, replaced or inserted), one or two words changed, the sentence turned around at a place,",
            "other case and punctuation (t/quality/short.py). Shares as under [edited copies](#edited-copies).", "",
            "| documents | way | " + " | ".join(KINDS.values()) + " | wrong | CPU s |", "|---|---|" + "---|" * (len(KINDS) + 2)]
    for name, language in (("English", "en"), ("Chinese", "zh")):
        path = f"{work}/{language}_short.tsv"
        make("short.py", language, data, path)
        text += [f"| {name} | {row}" for row in rows(sh, alone, path, WAYS, KINDS, "-f 1,2")]
    whole = f"{work}/en_records.tsv"
    with open(whole, "w", encoding="utf-8") as f:
        f.writelines(f"{doc}\t{title} {names}\n" for doc, title, names in copies.documents(f"{work}/en_short.tsv"))
    text += ["", "`--few` makes little difference: the measure excludes short copies, not the choice of candidates.",
             "", "The same English sentences as titles of records with two to four people, whom the copies write in another way",
             "(`Smith, Anna` as `A. Smith`), title and people compared as one text:", "",
             "| way | " + " | ".join(KINDS.values()) + " | wrong | CPU s |", "|---|" + "---|" * (len(KINDS) + 2)]
    text += [f"| {row}" for row in rows(sh, alone, whole, RECORDS, KINDS)]
    return text + [""]


def table_of_chinese(sh, alone, data, work):
    path = f"{work}/zh_units.tsv"
    make("edited.py", "zh", data, path)
    text = ["## Chinese: characters or words", "",
            "The Chinese [edited copies](#edited-copies) by n-grams of characters (the default, n = 3), by n-grams of jieba's words",
            "and by edit similarity.", "",
            "| way | " + " | ".join(copies.KINDS.values()) + " | wrong | CPU s |", "|---|" + "---|" * (len(copies.KINDS) + 2)]
    return text + [f"| {row}" for row in rows(sh, alone, path, CHINESE, copies.KINDS)] + [""]


if __name__ == "__main__":
    write(*sys.argv[1:3])
