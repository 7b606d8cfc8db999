# SPDX-License-Identifier: MIT
"""Duplicates by MinHash LSH of other programs: datasketch, rensa and gaoya. quality.py imports this module."""
import re
import time


def shingles(rows):
    """Word 3-grams. A Chinese character is a word, as in shtok."""
    for doc, text, *_ in rows:
        tokens = re.findall(r"[\u3400-\u9fff]|[^\W_\u3400-\u9fff]+", re.sub(r"\\[tnr\\]", " ", text).lower())
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


def drops(rows, threshold):
    """Yields a name, the pairs (dropped document, keeper) and the CPU seconds of each program that is installed."""
    sets = list(shingles(rows))
    for name, way in (("datasketch", by_datasketch), ("rensa", by_rensa), ("gaoya", by_gaoya)):
        begun = time.process_time()
        try:
            dropped = way(sets, threshold)
        except ImportError:
            continue
        yield f"{name}, 3-grams, J ≥ {threshold}, verified", dropped, time.process_time() - begun
