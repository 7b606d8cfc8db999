# SPDX-License-Identifier: MIT
"""Measure recall and precision of the programs, beside other programs. t/quality/run calls this script.

It writes quality.md to the folder of its argument. Each table is a function that yields lines.
"""
import collections
import lzma
import os
import re
import resource
import subprocess
import sys
import tempfile

import peers

BIN, DATA, OUT = os.environ["SHBIN"], os.environ["T_DATA"], sys.argv[1]
HERE = os.path.dirname(os.path.abspath(__file__))
WORK = tempfile.mkdtemp(prefix="simhash-quality.")
SEEDS = int(os.environ.get("QUALITY_SEEDS", "8"))
LANGUAGES = {"English": ("en", "jac3"), "Chinese": ("zh", "jac4")}


def sh(command):
    """Runs a pipeline. Returns the fields of its output lines and its CPU seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    env = dict(os.environ, PATH=BIN + ":" + os.environ["PATH"], LC_ALL="C")
    done = subprocess.run(["bash", "-c", "set -o pipefail; " + command], env=env, check=True, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True, encoding="utf-8", errors="surrogateescape")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return ([line.split("\t") for line in done.stdout.splitlines()],
            after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def has_option(program, option):
    text = subprocess.run([f"{BIN}/{program}", "--help"], stdout=subprocess.PIPE, check=True, text=True).stdout
    return option in text


def make(name, *args):
    """Writes the output of a script of this folder to a file, and returns the path."""
    path = f"{WORK}/{name}"
    if not os.path.exists(path):
        with open(path, "wb") as f:
            subprocess.run([sys.executable, f"{HERE}/{args[0]}", *args[1:]], stdout=f, check=True)
    return path


def unpack(name):
    path = f"{WORK}/{name}"
    with lzma.open(f"{DATA}/{name}.xz") as packed, open(path, "wb") as f:
        f.write(packed.read())
    return path


def rows_of(path):
    with open(path, encoding="utf-8", newline="\n") as f:
        return [line.rstrip("\n").split("\t") for line in f]


def shdedup(options, path):
    """Returns the pairs (dropped document, keeper), and the CPU seconds."""
    rows, cpu = sh(f"shdedup -q --dry-run --report - {options} {path}")
    return [tuple(row[:2]) for row in rows], cpu


def command(options):
    return f"`{('shdedup ' + options).strip()}`"


def table(*columns):
    return ["| " + " | ".join(columns) + " |", "|" + "---|" * len(columns)]


def row(*cells):
    return "| " + " | ".join(f"{c:.3f}" if isinstance(c, float) else str(c) for c in cells) + " |"


# ---- labelled documents, and the two pipes ----

SIMHASH = "--simhash " if has_option("shfp", "--simhash") else ""
KEYS = ("shfp --keys {0} | sort -s -k 1,1 | shjoin" if has_option("shfp", "--keys[") else
        "shfp -n 3 --keys 16x4 {0} | sort -s -k 1,1 | shjoin --keys") + " | sort -u"
FINGERPRINTS = ((1, 8), (1, 10), (2, 12), (3, 14))


def by_fingerprints(n, k, path):
    return f"shfp {SIMHASH}-w log -n {n} {path} | shjoin -k {k}"


def by_pipe(candidates, path):
    """Returns the pairs (dropped document, keeper) of a pipe, its candidates and its CPU seconds."""
    n = len(sh(candidates)[0])
    rows, cpu = sh(f"{candidates} | shverify -T 0.8,0.89 --measure any -n 3 -d {path} | shgroup --link star -d {path}")
    return [tuple(r[:2]) for r in rows if r[0] != r[1]], n, cpu


def score_pairs(labels, dropped):
    """Recall: the share of the labelled pairs with a similarity of at least 0.8 of which one is dropped. Wrong: the
    dropped documents whose similarity to their keeper is below 0.5."""
    gone = {doc for doc, _ in dropped}
    alike = [pair for pair, s in labels.items() if s >= 0.8]
    return (sum(a in gone or b in gone for a, b in alike) / len(alike),
            sum(1 for pair in dropped if tuple(sorted(pair)) not in labels))


def labelled():
    yield from ["## Labelled documents", "",
                "Recall is the share of the pairs with a Jaccard similarity of at least 0.8, of which at least one is dropped. Wrong",
                "counts dropped documents whose similarity to their keeper is below 0.5. Labels: t/data/README.md.", ""]
    yield from table("documents", "way", "candidates", "dropped", "recall", "wrong", "CPU s")
    for name, (language, labels) in LANGUAGES.items():
        path = f"{DATA}/{language}_dev.tsv"
        pairs = {tuple(sorted((a, b))): float(s) for a, b, s in rows_of(f"{DATA}/{language}_dev.{labels}.tsv")}
        dropped, cpu = shdedup("", path)
        yield row(name, command(""), "", len(dropped), *score_pairs(pairs, dropped), cpu)
        for way, candidates in (("keys, in the pipe", KEYS.format(path)), ("fingerprints, in the pipe", by_fingerprints(1, 10, path))):
            dropped, n, cpu = by_pipe(candidates, path)
            yield row(name, way, n, len(dropped), *score_pairs(pairs, dropped), cpu)
        for way, dropped, cpu in peers.drops(rows_of(path), 0.8):
            yield row(name, way, "", len(dropped), *score_pairs(pairs, dropped), cpu)
    yield ""


def settings_of_fingerprints():
    yield from ["## Fingerprints: n-grams and distance", "",
                "Documents that the pipe `shfp | shjoin -k K | shverify | shgroup -d` drops, as a share of those that `shdedup` drops with",
                "the same thresholds, and of those that it drops by Jaccard similarity alone. $QUALITY_CORPUS names a folder with larger",
                "corpora, en.tsv and zh.tsv.", ""]
    yield from table("documents", "n, K", "candidates", "dropped by both", "of those by Jaccard alone")
    folder = os.environ.get("QUALITY_CORPUS", "")
    for name, (language, _) in LANGUAGES.items():
        larger = f"{folder}/{language}.tsv"
        path = larger if folder and os.path.exists(larger) else f"{DATA}/{language}_dev.tsv"
        every = {doc for doc, _ in shdedup("", path)[0]}
        jaccard = {doc for doc, _ in shdedup("--measure jaccard -T 0.8", path)[0]}
        for n, k in FINGERPRINTS:
            dropped, candidates, _ = by_pipe(by_fingerprints(n, k, path), path)
            gone = {doc for doc, _ in dropped}
            yield row(name, f"{n}, {k}", candidates, *(f"{100 * len(gone & docs) / max(1, len(docs)):.1f} %" for docs in (every, jaccard)))
    yield ""


# ---- copies of a number: ids are NUMBER-KIND ----

def score_copies(path, dropped, kinds):
    """For each kind, the share of copies that were dropped for a text of their number; and the wrong drops, in %."""
    of_kind = collections.Counter(r[0].split("-")[1] for r in rows_of(path))
    found, wrong = collections.Counter(), 0
    for doc, keeper in dropped:
        number, kind = doc.split("-")
        if keeper.split("-")[0] == number:
            found[kind] += 1
        else:
            wrong += 1
    return [found[k] / of_kind[k] for k in kinds], f"{100 * wrong / max(1, len(dropped)):.2f} %"


EDITS = {"c01": "1 % of characters", "c03": "3 %", "w05": "5 % of words", "w10": "10 %", "w20": "20 %"}


def edited_copies():
    yield from ["## Edited copies", "",
                "Each original has one copy of each kind: 1 or 3 % of its characters, or 5, 10 or 20 % of its words, a third left out, a third",
                "replaced, a third inserted (t/quality/edited.py). A figure is the share of the copies whose keeper is their own original or",
                f"another copy of it: the least and the mean of {SEEDS} values of `--seed`. Wrong is the share of the dropped documents whose",
                "keeper has another origin. CPU seconds of other programs do not include shingles.", ""]
    yield from table("documents", "way", *EDITS.values(), "wrong", "CPU s")
    for name, (language, _) in LANGUAGES.items():
        path = make(f"{language}_edited.tsv", "edited.py", language, DATA)
        for options in ("", "--measure edit -T 0.75"):
            runs = [shdedup(f"{options} --seed {seed}", path) for seed in range(SEEDS)]
            shares = [score_copies(path, dropped, EDITS) for dropped, _ in runs]
            cells = [f"{min(column):.3f}, {sum(column) / SEEDS:.3f}" for column in zip(*(s for s, _ in shares))]
            yield row(name, command(options), *cells, max(wrong for _, wrong in shares), min(cpu for _, cpu in runs))
        for way, dropped, cpu in peers.drops(rows_of(path), 0.6):
            shares, wrong = score_copies(path, dropped, EDITS)
            yield row(name, way, *shares, wrong, cpu)
    yield ""


SENTENCES = {"slip": "one slip", "slips": "two slips", "word": "one word", "words": "two words", "moved": "part moved",
             "form": "case, punctuation"}


def sentences():
    yield from ["## Sentences", "",
                "Sentences of 5 to 20 words, or of 8 to 40 Chinese characters, with one copy of each kind (t/quality/short.py).", ""]
    yield from table("documents", "way", *SENTENCES.values(), "wrong", "CPU s")
    for name, (language, _) in LANGUAGES.items():
        path = make(f"{language}_short.tsv", "short.py", language, DATA)
        for options in ("", "--measure edit -T 0.75", "-u char -n 2 -T 0.8,0.9", "--measure edit -u char -n 3 -T 0.8"):
            dropped, cpu = shdedup(f"--raw -f 1,2 {options}", path)
            shares, wrong = score_copies(path, dropped, SENTENCES)
            yield row(name, command(options), *shares, wrong, cpu)
    yield ""


TITLES = {"slip": "one slip", "slips": "two slips", "case": "case, punctuation", "short": "abbreviated", "moved": "parts exchanged"}


def real_titles(language):
    """Titles of the labelled documents. An id is NUMBER-0 for the first title of a cluster, NUMBER-copy for the others."""
    pattern = r"(?:^|\\n)[Tt]itle: *(.*?)\\n" if language == "en" else r'^(?:# |title: *"?)(.*?)"?\\n'
    path, numbers = f"{WORK}/{language}_titles.tsv", {}
    cluster = dict(rows_of(f"{DATA}/{language}_dev.truth.tsv"))
    with open(path, "w", encoding="utf-8") as f:
        for doc, text in rows_of(f"{DATA}/{language}_dev.tsv"):
            title, origin = re.search(pattern, text), cluster.get(doc, doc)
            if title:
                f.write(f"{numbers.setdefault(origin, len(numbers))}-{'copy' if origin in numbers and f.tell() else 0}\t{title[1]}\n")
    return path


def catalogues():
    yield from ["## Titles", "",
                "A catalogue of 3,000 titles made from templates, where another number, part or colour is another thing, and 1,500 copies",
                "(t/quality/catalogue.py); then the titles of the labelled documents: dropped, and dropped for another document's title.", ""]
    yield from table("way", *TITLES.values(), "wrong", "English: dropped, wrong", "Chinese: dropped, wrong")
    made = make("catalogue.tsv", "catalogue.py")
    real = [real_titles(language) for language, _ in LANGUAGES.values()]
    for options in ("", "-n 1 --measure jaccard -T 0.9", "-n 1 -T 0.8,0.89", "-u char -n 2 -T 0.8,0.9", "-u char -n 2 -T 0.6,0.75",
                    "--measure edit -u char -n 3 -T 0.95"):
        shares, wrong = score_copies(made, shdedup(options, made)[0], TITLES)
        cells = []
        for path in real:
            dropped = shdedup(options, path)[0]
            cells.append(f"{len(dropped)}, {sum(a.split('-')[0] != b.split('-')[0] for a, b in dropped)}")
        yield row(command(options), *shares, wrong, *cells)
    yield ""


MADE = (("pages", 20000, "--measure jaccard -T 0.9"), ("lines", 20000, "--measure edit -T 0.75"), ("repeats", 300, ""),
        ("repeats", 300, "--measure edit -T 0.75"), ("slips", 20000, "-u char -n 2 -T 0.8,0.9"),
        ("slips", 20000, "--measure edit -u char -n 3 -T 0.9"), ("short", 20000, ""), ("short", 20000, "--measure edit -T 0.75"))
NAMES = {"pages": "pages of three templates", "lines": "log lines of 20 templates", "repeats": "a few words, repeated",
         "slips": "titles of 5 to 7 words, slips of the pen", "short": "4 to 18 words, one changed"}


def made_up():
    yield from ["## Templates, repeats, short texts", "",
                "Made-up documents with planted copies (t/quality/made.py). Pairs: those of a copy and its original that reach the",
                "threshold, by `shverify`. Found: the share of them of which one is dropped. Wrong: dropped documents that do not reach the",
                "threshold against their own keeper.", ""]
    yield from table("documents", "way", "pairs", "found", "wrong", "CPU s")
    for kind, n, options in MADE:
        path = make(f"{kind}.tsv", "made.py", kind, str(n))
        verify = ("" if "--measure" in options else "--measure any ") + (options or "-T 0.8,0.89") + ("" if "-n " in options else " -n 3")
        with open(f"{WORK}/pairs", "w", encoding="utf-8") as f:
            f.writelines(f"{doc}\t{doc.split('-')[0]}-0\t0\n" for doc, _ in rows_of(path) if doc.endswith("-copy"))
        reached = [r[:2] for r in sh(f"shverify {verify} -d {path} {WORK}/pairs")[0]]
        dropped, cpu = shdedup(options, path)
        gone = {doc for doc, _ in dropped}
        with open(f"{WORK}/pairs", "w", encoding="utf-8") as f:
            f.writelines(f"{doc}\t{keeper}\t0\n" for doc, keeper in dropped)
        wrong = len(dropped) - len(sh(f"shverify {verify} -d {path} {WORK}/pairs")[0])
        found = sum(a in gone or b in gone for a, b in reached) / max(1, len(reached))
        yield row(f"{n:,}: {NAMES[kind]}", command(options), len(reached), f"{found:.4f}", wrong, cpu)
    yield ""


# ---- variants of one text ----

def score_groups(labels, dropped):
    """Recall, precision and F1 of the pairs within groups, and the adjusted Rand index."""
    group = {doc: doc for doc in labels}
    group.update(dropped)

    def pairs(values):
        return sum(n * (n - 1) // 2 for n in collections.Counter(values).values())
    both = pairs((group[d], labels[d]) for d in labels)
    found, true = pairs(group[d] for d in labels), pairs(labels.values())
    expected = found * true / (len(labels) * (len(labels) - 1) / 2)
    return both / true, both / max(found, 1), 2 * both / (found + true), (both - expected) / ((found + true) / 2 - expected)


def licences():
    path, labels = unpack("licences_dev.tsv"), dict(rows_of(f"{DATA}/licences_dev.labels.tsv"))
    yield from ["## Licences", "",
                f"{len(labels)} texts of {len(set(labels.values()))} licences. A pair is found when both are in one group, and true when both are the",
                "same licence.", ""]
    yield from table("way", "recall", "precision", "F1", "ARI", "CPU s")
    for options in ("", "--measure edit -T 0.9", "--measure edit -T 0.9 --link single", "--measure jaccard -T 0.8"):
        dropped, cpu = shdedup(options, path)
        yield row(command(options), *score_groups(labels, dropped), cpu)
    yield ""


HEAD = """# Recall and precision

| texts | command | see |
|---|---|---|
| articles, pages, documentation, training data: copies with small changes | `shdedup docs.tsv` | [labelled](#labelled-documents) |
| copies with up to 20 % of the words or 3 % of the characters changed: rewritten, scanned, translated back | \
`shdedup --measure edit -T 0.75 docs.tsv` | [edited copies](#edited-copies) |
| variants of one text that differ in a sentence: licences, contracts | `shdedup --measure edit -T 0.9 --link single docs.tsv` | \
[licences](#licences) |
| titles, products, records: another number or word is another thing | `shdedup -n 1 --measure jaccard -T 0.9 titles.tsv` | \
[titles](#titles) |
| messages, comments, headlines, with slips of the pen | `shdedup -u char -n 2 -T 0.8,0.9 messages.tsv` | [sentences](#sentences) |
| test questions in training data | `shspan --pairs -d questions.tsv docs.tsv` | [questions](#test-questions-in-documents) |

Without options two documents are near-duplicates when they share 0.8 of their word triples (Jaccard similarity), or 0.89 of their
words in the same order (edit similarity). `-T J,E` changes both thresholds. A document is dropped only after its text was compared
with the text of its keeper.

Measured by `make quality` at commit {commit}. Times are CPU seconds of one run, with the starts of programs.
"""


def main():
    commit = subprocess.run(["git", "-C", HERE, "rev-parse", "--short", "HEAD"], stdout=subprocess.PIPE, text=True).stdout.strip()
    text = HEAD.format(commit=commit).split("\n")
    for part in (labelled, settings_of_fingerprints, edited_copies, licences, made_up, sentences, catalogues):
        text += part()
    with open(f"{OUT}/quality.md", "w", encoding="utf-8") as f:
        f.write("\n".join(text).rstrip("\n") + "\n")


main()
