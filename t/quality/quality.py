"""Measure recall and precision of the programs and of MinHash LSH. t/quality/run calls this script."""
import os, random, re, resource, subprocess, sys, tempfile, time, unicodedata

import copies
import short

BIN, DATA, OUT = os.environ["SHBIN"], os.environ["T_DATA"], sys.argv[1]
SETS = {"English": ("en_dev", "jac3", "3"), "Chinese": ("zh_dev", "jac4", "3")}
K_MAX, K_SHOWN = 16, (3, 6, 8, 10, 12, 14)
WORK = tempfile.mkdtemp(prefix="simhash-quality.")
try:
    import datasketch
except ImportError:
    datasketch = None


def sh(command, **files):
    """Runs a pipeline. Returns its output lines and its CPU seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    env = dict(os.environ, PATH=BIN + ":" + os.environ["PATH"], **files)
    done = subprocess.run(["bash", "-c", "set -o pipefail; " + command], env=env, check=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return done.stdout.splitlines(), after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def alone(program, *args):
    """The least CPU seconds of five runs of one program, without a shell."""
    least = float("inf")
    for _ in range(5):
        child = subprocess.Popen([os.path.join(BIN, program), *args], stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode:
            sys.exit(f"{program} ended with status {child.returncode}")
        least = min(least, usage.ru_utime + usage.ru_stime)
    return least


def key(a, b):
    return (a, b) if a < b else (b, a)


def truth(name):
    stem, labels, _ = SETS[name]
    pairs = (line.rstrip("\n").split("\t") for line in open(f"{DATA}/{stem}.{labels}.tsv"))
    return {key(a, b): float(s) for a, b, s in pairs}


def score(found, labels):
    """Recall, precision and F1. A pair is a duplicate from similarity 0.8 on, and wrong below 0.5. Pairs between these
    bounds are not counted."""
    true = sum(1 for s in labels.values() if s >= 0.8)
    hit = sum(1 for p in found if labels.get(p, 0) >= 0.8)
    wrong = sum(1 for p in found if labels.get(p, 0) < 0.5)
    r, p = hit / true, hit / (hit + wrong) if hit + wrong else 1.0
    return r, p, 2 * r * p / (r + p) if r + p else 0.0


def distances(docs, how, k=K_MAX):
    lines, cpu = sh(f"shfp {how} {docs} 2>/dev/null | shjoin -k {k}")
    rows = (line.split("\t") for line in lines)
    return {key(a, b): int(d) for a, b, d in rows}, cpu


def over_k(found, labels, step=1):
    return [score({p for p, d in found.items() if d <= k * step}, labels) for k in range(K_MAX + 1)]


# ---- every combination, without verification ----

def combinations():
    for unit, sizes in (("word", "1 1-2 2 3 4"), ("char", "3 4 5")):
        for n in sizes.split():
            for w in ("set", "tf", "log"):
                yield f"-u {unit} -n {n} -w {w}", 1
    for n in ("1", "2", "3"):
        yield f"-u word -n {n} -w log -b 128", 2


def table_of_combinations():
    text = ["## Without verification", "",
            "Recall and precision of all pairs within distance K (2K of 128 bits), before anything is verified; ",
            "the last column is the best F1 at any K up to 16.", ""]
    curves = {}
    for name in SETS:
        labels, docs = truth(name), f"{DATA}/{SETS[name][0]}.tsv"
        text += [f"### {name}", "", "| options of shfp | " + " | ".join(f"K = {k}" for k in K_SHOWN) + " | best F1 (K) |",
                 "|---|" + "---|" * (len(K_SHOWN) + 1)]
        for how, step in combinations():
            found, _ = distances(docs, how, K_MAX * step)
            rows = over_k(found, labels, step)
            curves[name, how] = rows
            best = max(range(K_MAX + 1), key=lambda k: rows[k][2])
            cells = (f"R {rows[k][0]:.2f} P {rows[k][1]:.2f}" for k in K_SHOWN)
            text.append(f"| `{how}` | " + " | ".join(cells) + f" | {rows[best][2]:.3f} ({best}) |")
        text.append("")
    return text, curves


# ---- verified, next to MinHash LSH ----

def shingles(docs):
    lines, _ = sh(f"shtok -n 3 {docs}")
    sets = {}
    for line in lines:
        doc, feature, _ = line.split("\t")
        sets.setdefault(doc, set()).add(feature)
    return sets


def minhash_lsh(sets, verify):
    begun = time.process_time()
    lsh = datasketch.MinHashLSH(threshold=0.8, num_perm=128)
    made, found = {}, set()
    for doc, features in sets.items():
        m = datasketch.MinHash(num_perm=128)
        m.update_batch([f.encode() for f in features])
        made[doc] = m
        for other in lsh.query(m):
            if not verify or len(features & sets[other]) >= 0.8 * len(features | sets[other]):
                found.add(key(doc, other))
        lsh.insert(doc, m)
    return found, time.process_time() - begun


def minhash_whole(docs, batch):
    """MinHash LSH on the file of documents, with shingles made in Python."""
    begun = time.process_time()
    lsh, found = datasketch.MinHashLSH(threshold=0.8, num_perm=128), set()
    for line in open(docs, encoding="utf-8", newline="\n"):
        doc, text = line.rstrip("\n").split("\t")
        text = unicodedata.normalize("NFKC", unescape(text)).casefold()
        words = re.findall(r"[\u3400-\u9fff\u3040-\u30ff]|[^\W_]+", text)
        m = datasketch.MinHash(num_perm=128)
        features = {" ".join(words[i:i + 3]).encode() for i in range(max(1, len(words) - 2))}
        if batch:
            m.update_batch(list(features))
        else:
            for f in features:
                m.update(f)
        found.update(key(doc, other) for other in lsh.query(m))
        lsh.insert(doc, m)
    return found, time.process_time() - begun


def seconds(t):
    return f"{t:.3f}" if t < 1 else f"{t:.1f}"


def table_of_verified():
    text = ["## Verified, next to MinHash LSH", "",
            "Pairs within distance K of 64 bits whose Jaccard similarity of word 3-grams is at least 0.8.",
            "MinHash LSH is datasketch's, with 128 permutations and threshold 0.8, over the same shingles. They are",
            "made beforehand, so its time is that of signatures and lookups. \"As a whole\" it reads the",
            "file and cuts the text itself, in Python. Times are CPU seconds; pipelines include the starts",
            "of programs.", "",
            "| documents | way | candidates | recall | precision | F1 | CPU s |", "|---|---|---|---|---|---|---|"]
    for name in SETS:
        labels, docs = truth(name), f"{DATA}/{SETS[name][0]}.tsv"
        rows = []
        for how in ("-n 1", "-n 3"):
            for k in (3, 6, 8, 10, 12, 14, 16):
                candidates, _ = distances(docs, how, k)
                lines, cpu = sh(f"shfp {how} {docs} | shjoin -k {k} | shverify -n 3 -T 0.8 -d {docs}")
                found = {key(*line.split("\t")[:2]) for line in lines}
                rows.append((f"`shfp {how}`, K = {k}", len(candidates), *score(found, labels), cpu))
        if datasketch:
            sets = shingles(docs)
            for verify in (False, True):
                found, cpu = minhash_lsh(sets, verify)
                rows.append(("MinHash LSH" + (", verified" if verify else ""), len(found), *score(found, labels), cpu))
            for batch in (True, False):
                found, cpu = minhash_whole(docs, batch)
                how = "update_batch()" if batch else "update() for each shingle"
                rows.append((f"MinHash LSH as a whole, {how}", len(found), *score(found, labels), cpu))
        cpu = alone("shdedup", "-q", docs)
        rows.append(("`shdedup`, as a whole", "", None, None, None, cpu))
        for way, n, r, p, f, cpu in rows:
            marks = " | ".join("" if x is None else f"{x:.4f}" for x in (r, p, f))
            text.append(f"| {name} | {way} | {n} | {marks} | {seconds(cpu)} |")
    if not datasketch:
        text += ["", "(datasketch could not be installed: no rows of MinHash LSH.)"]
    return text + [""]


# ---- the pipe of fingerprints beside shdedup ----

def dropped_by_fingerprints(docs, n, k):
    """The number of candidates, and the documents that the pipe drops."""
    candidates, _ = sh(f"shfp -n {n} {docs} | shjoin -k {k}")
    lines, _ = sh(f"shfp -n {n} {docs} | shjoin -k {k} | shverify -d {docs} | shgroup -d {docs}")
    rows = [line.split("\t")[:2] for line in lines]
    return len(candidates), {doc for doc, keeper in rows if doc != keeper}


def table_of_distances():
    text = ["## Which fingerprints, which distance", "",
            "`shfp -n N | shjoin -k K | shverify | shgroup -d` beside `shdedup`: documents that both drop, as a share of",
            "those that either drops.", "", "| documents | N, K | candidates | dropped | by both |", "|---|---|---|---|---|"]
    for name in SETS:
        docs = f"{DATA}/{SETS[name][0]}.tsv"
        lines, _ = sh(f"shdedup -q --dry-run --report - {docs}")
        others = {line.split("\t")[0] for line in lines}
        for n, k in ((1, 8), (1, 10), (2, 12), (3, 14)):
            candidates, found = dropped_by_fingerprints(docs, n, k)
            share = len(found & others) / len(found | others)
            text.append(f"| {name} | {n}, {k} | {candidates} | {len(found)} | {100 * share:.1f} % |")
    return text + [""]


# ---- edited copies ----

def unescape(text):
    return re.sub(r"\\([tnr\\])", lambda m: {"t": " ", "n": " ", "r": " ", "\\": "\\"}[m[1]], text)


def bases(rng):
    """Passages of documents of different origin, in three lengths."""
    seen, out = set(), {"short (20-60 words)": [], "medium (60-300)": [], "long (300-1500)": []}
    cluster = dict(line.rstrip("\n").split("\t") for line in open(f"{DATA}/en_dev.truth.tsv"))
    for line in open(f"{DATA}/en_dev.tsv", encoding="utf-8", newline="\n"):
        doc, text = line.rstrip("\n").split("\t")
        if cluster.get(doc, doc) in seen:
            continue
        seen.add(cluster.get(doc, doc))
        words, at = unescape(text).split(), 0
        for length, (low, high) in zip(out, ((20, 60), (60, 300), (300, 1500))):
            n = rng.randint(low, high)
            if at + n <= len(words):
                out[length].append(words[at:at + n])
                at += n
    return out


def changed(rng, words, share, vocabulary):
    """Deletes, replaces and inserts words, a third of the changes each."""
    words = list(words)
    for _ in range(max(1, round(share * len(words)))):
        i, what = rng.randrange(len(words)), rng.randrange(3)
        if what == 0 and len(words) > 1:
            del words[i]
        elif what == 1:
            words[i] = rng.choice(vocabulary)
        else:
            words.insert(i, rng.choice(vocabulary))
    return words


def reordered(rng, words):
    cuts = [i + 1 for i, w in enumerate(words) if w[-1] in ".!?"] or list(range(12, len(words), 12))
    parts = [words[a:b] for a, b in zip([0] + cuts, cuts + [len(words)])]
    rng.shuffle(parts)
    return sum(parts, [])


def punctuated(rng, words):
    def one(w):
        w = w.upper() if rng.random() < 0.3 else w.capitalize() if rng.random() < 0.3 else w
        return w.rstrip(".,;:!?") + rng.choice(["", "", ",", ";", "!"]) if rng.random() < 0.3 else w
    return [one(w) for w in words]


def edits(vocabulary):
    for share in (0.01, 0.02, 0.05, 0.1, 0.2):
        yield f"{share:.0%} of words", lambda r, w, s=share: changed(r, w, s, vocabulary)
    for share in (0.9, 0.75, 0.5):
        yield f"cut to {share:.0%}", lambda r, w, s=share: w[:max(1, round(s * len(w)))]
    yield "10% added", lambda r, w: w + [r.choice(vocabulary) for _ in range(max(1, len(w) // 10))]
    yield "sentences reordered", reordered
    yield "case, punctuation", punctuated


WAYS = (("3-grams K=3", "-n 3", 3), ("3-grams K=8", "-n 3", 8), ("3-grams K=12", "-n 3", 12),
        ("words K=3", "-n 1", 3), ("words K=8", "-n 1", 8), ("char 4-grams K=8", "-u char -n 4", 8))


def of_copies(originals, copies):
    """For each method, the share of copies that are within K of their original."""
    path = f"{WORK}/edited.tsv"
    with open(path, "w", encoding="utf-8") as f:
        for i, (a, b) in enumerate(zip(originals, copies)):
            f.write(f"a{i}\t{' '.join(a)}\nb{i}\t{' '.join(b)}\n")
    pairs = f"{WORK}/pairs.tsv"
    with open(pairs, "w") as f:
        f.writelines(f"a{i}\tb{i}\t0\n" for i in range(len(copies)))
    out = []
    for _, how, k in WAYS:
        fps = {}
        for line in sh(f"shfp --raw {how} {path}")[0]:
            fp, doc = line.split("\t")[:2]
            fps[doc] = int(fp, 16)
        near = sum(bin(fps[f"a{i}"] ^ fps[f"b{i}"]).count("1") <= k for i in range(len(copies)))
        out.append(near / len(copies))
    lines, _ = sh(f"shverify --raw -n 3 -T 0.8 -d {path} {pairs}")
    out.append(len(lines) / len(copies))
    # all copies of one edit in one corpus: b is dropped, and for its a
    lines, _ = sh(f"shdedup -q --raw --dry-run --report - {path}")
    kept_for = dict(line.split("\t")[:2] for line in lines)
    out.append(sum(kept_for.get(f"b{i}") == f"a{i}" for i in range(len(copies))) / len(copies))
    return out


def table_of_edits():
    rng = random.Random(20261121)
    text = ["## Kinds of edits, by distance", "",
            "Stretches of English documents of different origin and an edited copy of each: percentages of copies that",
            "lie within K of their original (64 bits, weight log); whose Jaccard similarity of 3-grams is at least 0.8,",
            "which is all that any way to find such pairs can find; and that `shdedup` drops for their original.", ""]
    every = bases(rng)
    vocabulary = [w for docs in every.values() for d in docs for w in d]
    for length, docs in every.items():
        text += [f"### {length}, {len(docs)} documents", "",
                 "| edit | " + " | ".join(w[0] for w in WAYS) + " | J >= 0.8 | shdedup |", "|---|" + "---|" * (len(WAYS) + 2)]
        for name, edit in edits(vocabulary):
            shares = of_copies(docs, [edit(rng, d) for d in docs])
            text.append(f"| {name} | " + " | ".join(f"{100 * s:.0f}" for s in shares) + " |")
        text.append("")
    return text


# ---- the picture ----

def draw(curves):
    shown = (("-u word -n 1 -w log", "#c0392b"), ("-u word -n 3 -w log", "#2c6fbb"), ("-u char -n 4 -w log", "#3a9d5d"))
    width, height, left, out = 360, 220, 46, []
    for panel, name in enumerate(SETS):
        x0, y0 = left + panel * (width + 70), 40

        def at(k, v):
            return f"{x0 + k * width / K_MAX:.1f},{y0 + (1 - v) * height:.1f}"

        out.append(f'<text x="{x0}" y="24" class="title">{name}</text><path class="axis" d="M{at(0, 1)} L{at(0, 0)} L{at(K_MAX, 0)}"/>')
        for k in range(0, K_MAX + 1, 2):
            out.append(f'<text x="{x0 + k * width / K_MAX:.0f}" y="{y0 + height + 16}">{k}</text>')
        for v in (0, 0.2, 0.4, 0.6, 0.8, 1):
            out.append(f'<text x="{x0 - 16}" y="{y0 + (1 - v) * height + 4:.0f}">{v:.1f}</text>')
        for i, (how, colour) in enumerate(shown):
            rows = curves[name, how]
            for which, dash in ((0, ""), (1, ' stroke-dasharray="5 4"')):
                d = " L".join(at(k, row[which]) for k, row in enumerate(rows))
                out.append(f'<path d="M{d}" stroke="{colour}"{dash}/>')
            if panel == 0:
                out.append(f'<text x="{x0 + 200 * i + 8}" y="{y0 + height + 58}" class="key" style="fill:{colour}">{how[3:]}</text>')
        out.append(f'<text x="{x0 + width / 2}" y="{y0 + height + 34}">distance K; recall whole, precision dashed</text>')
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{2 * width + 170}" height="{height + 110}">'
            '<style>path{fill:none;stroke-width:2}.axis{stroke:#444;stroke-width:1}'
            'text{font:11px sans-serif;text-anchor:middle;fill:#222}.title{font-size:14px;text-anchor:start}'
            '.key{text-anchor:start}</style>\n' + "\n".join(out) + "\n</svg>\n")


def main():
    combos, curves = table_of_combinations()
    text = ["# Recall and precision", "",
            "Made by `make quality`. A pair of documents counts as a duplicate when the Jaccard similarity of their",
            "shingles is at least 0.8, as wrong when it is below 0.5, and neither way between; see t/data/README.md", "for the documents and their labels.", "",
            "![recall and precision over K](quality.svg)", ""]
    text = text[:2] + copies.table_of_settings() + text[2:] + table_of_distances() + table_of_verified()
    text += copies.table_of_copies(sh, alone, DATA, WORK) + short.table_of_chinese(sh, alone, DATA, WORK)
    text += short.table_of_short(sh, alone, DATA, WORK) + copies.table_of_variants(sh, alone, DATA, WORK)
    text += table_of_edits() + combos
    open(f"{OUT}/quality.svg", "w").write(draw(curves))
    open(f"{OUT}/quality.md", "w").write("\n".join(line.rstrip() for line in text).rstrip("\n") + "\n")


main()
