"""Recall of shdedup, datasketch, rensa and gaoya on edited copies and on variants of one text. quality.py imports this
module."""
import collections
import lzma
import os
import re
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
KINDS = {"w05": "5 % of words", "w10": "10 %", "w20": "20 %", "c01": "1 % of characters", "c03": "3 %", "c05": "5 %"}
COPIES = ("", "-T 0.6", "--measure edit -T 0.75", "--measure edit -T 0.7",
          "--measure edit -u char -n 8 -T 0.75", "--measure any -T 0.8,0.75")
VARIANTS = ("", "-T 0.7", "--measure edit -T 0.88", "--measure edit -T 0.89 --link single", "--measure edit -T 0.9 --link single",
            "--measure edit -T 0.91 --link single", "--measure edit -u char -T 0.91 --link single")


def documents(path):
    for line in open(path, encoding="utf-8", newline="\n"):
        yield line.rstrip("\n").split("\t")


def score_copies(path, dropped, kinds=KINDS):
    """For each kind, the share of copies that were dropped for their own original; and the share of wrong drops."""
    of_kind = collections.Counter(doc.split("-")[1] for doc, *_ in documents(path))
    found, wrong = collections.Counter(), 0
    for doc, keeper in dropped:
        origin, kind = doc.split("-")
        if keeper.split("-")[0] == origin:
            found[kind] += 1
        else:
            wrong += 1
    return [found[k] / of_kind[k] for k in kinds] + [wrong / len(dropped) if dropped else 0]


def shingles(path):
    """Word 3-grams. A Chinese character is a word, as in shtok."""
    for doc, text in documents(path):
        tokens = re.findall(r"[\u3400-\u9fff]|[^\W_\u3400-\u9fff]+", text.lower())
        yield doc, {" ".join(tokens[i:i + 3]) for i in range(max(1, len(tokens) - 2))}


def first_alike(sets, query, insert, threshold):
    """Drops each document for the first earlier document that is similar enough."""
    dropped, kept = [], {}
    for doc, features in sets:
        near = [k for k in query(doc, features) if k in kept]
        near = [k for k in near if len(features & kept[k]) >= threshold * len(features | kept[k])]
        if near:
            dropped.append((doc, min(near)))
        else:
            kept[doc] = features
            insert(doc, features)
    return dropped


def by_datasketch(sets, threshold):
    import datasketch
    lsh, made = datasketch.MinHashLSH(threshold=threshold, num_perm=128), {}

    def query(doc, features):
        made[doc] = datasketch.MinHash(num_perm=128)
        made[doc].update_batch([f.encode() for f in features])
        return lsh.query(made[doc])
    return first_alike(sets, query, lambda doc, _: lsh.insert(doc, made[doc]), threshold)


def by_rensa(sets, threshold):
    import rensa
    lsh, made, ids = rensa.RMinHashLSH(threshold, 128, 32), {}, []

    def query(doc, features):
        made[doc] = rensa.RMinHash(128, 42)
        made[doc].update(list(features))
        return [ids[i] for i in lsh.query(made[doc])]

    def insert(doc, _):
        lsh.insert(len(ids), made[doc])
        ids.append(doc)
    return first_alike(sets, query, insert, threshold)


def by_gaoya(sets, threshold):
    import gaoya
    index, ids = gaoya.minhash.MinHashStringIndex(32, threshold, 32, 4), []

    def text(features):
        return " ".join(f.replace(" ", "_") for f in sorted(features))

    def insert(doc, features):
        index.insert_document(len(ids), text(features))
        ids.append(doc)
    return first_alike(sets, lambda _, f: [ids[i] for i in index.query(text(f))], insert, threshold)


def rivals(path):
    for name, way in (("datasketch", by_datasketch), ("rensa", by_rensa), ("gaoya", by_gaoya)):
        try:
            sets = list(shingles(path))
            begun = time.process_time()
            dropped = way(sets, 0.6)
        except ImportError:
            continue
        yield f"{name}, 3-grams, J >= 0.6 verified", dropped, time.process_time() - begun


def report(sh, path, options):
    lines, _ = sh(f"shdedup -q --dry-run --report - {options} {path}")
    return [tuple(line.split("\t")[:2]) for line in lines]


def table_of_copies(sh, alone, data, work):
    text = ["## Edited copies", "",
            "Each original has one copy of each kind: 5, 10 and 20 % of its words, or 1, 3 and 5 % of its characters,",
            "a third left out, a third replaced, a third inserted. No two originals have much in common",
            "(t/quality/edited.py). A figure is the share of the copies whose keeper is their own original or another copy",
            "of it. Wrong is the share of the dropped documents whose keeper has another origin. CPU seconds of other",
            "tools do not include cutting the texts into shingles.", "",
            "| documents | way | " + " | ".join(KINDS.values()) + " | wrong | CPU s |", "|---|---|" + "---|" * (len(KINDS) + 2)]
    for name, language in (("English", "en"), ("Chinese", "zh")):
        path = f"{work}/{language}_edited.tsv"
        with open(path, "wb") as f:
            subprocess.run([sys.executable, f"{HERE}/edited.py", language, data], stdout=f, check=True)
        rows = [(f"`{('shdedup ' + o).strip()}`", report(sh, path, o), alone("shdedup", "-q", "--dry-run", *o.split(), path))
                for o in COPIES]
        for way, dropped, cpu in rows + list(rivals(path)):
            *shares, wrong = score_copies(path, dropped)
            text.append(f"| {name} | {way} | " + " | ".join(f"{s:.3f}" for s in shares) + f" | {100 * wrong:.2f} % | {cpu:.3f} |")
    return text + [""]


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


def table_of_variants(sh, alone, data, work):
    path, labels = f"{work}/licences.tsv", dict(documents(f"{data}/licences_dev.labels.tsv"))
    with lzma.open(f"{data}/licences_dev.tsv.xz") as packed, open(path, "wb") as f:
        f.write(packed.read())
    text = ["## Variants of one text", "",
            f"{len(labels)} texts of {len(set(labels.values()))} licences, at most 60 of one (licences_dev in t/data). A pair is found when both",
            "are in one group, and true when both are the same licence.", "",
            "| way | recall | precision | F1 | ARI | CPU s |", "|---|---|---|---|---|---|"]
    for options in VARIANTS:
        scores = score_groups(labels, report(sh, path, options))
        cpu = alone("shdedup", "-q", "--dry-run", *options.split(), path)
        text.append(f"| `{('shdedup ' + options).strip()}` | " + " | ".join(f"{s:.3f}" for s in scores) + f" | {cpu:.3f} |")
    return text + [""]


def table_of_settings():
    return ["## Which settings for my texts", "",
            "| texts | command | see |", "|---|---|---|",
            "| articles, pages, documentation: copies with small changes | `shdedup docs.tsv` | [verified](#verified-next-to-minhash-lsh) |",
            "| copies with up to 20 % of the words or 3 % of the characters changed: rewritten, scanned, translated back; English, Chinese | "
            "`shdedup --measure edit -T 0.75 docs.tsv` | [edited copies](#edited-copies) |",
            "| variants of one text that differ in a sentence: licences, contracts | `shdedup --measure edit -T 0.9 --link single docs.tsv` | "
            "[variants](#variants-of-one-text) |",
            "| paragraphs moved as well as words changed | `shdedup --measure any -T 0.8,0.75 docs.tsv` | [edited copies](#edited-copies) |",
            "| titles, short messages, records: compare the field that tells them apart | "
            "`shdedup -f 1,2 --measure any -u char -n 2 -T 0.6,0.75 records.tsv` | [short texts](#short-texts) |", "",
            "Without other options the measure is `any`, the thresholds are 0.8 (Jaccard) and 0.89 (edit), and groups are stars. `-T` and",
            "`--measure` change the measure and its thresholds, `--link single` the groups. `-k` follows `-T`.", ""]
