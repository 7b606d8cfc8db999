#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The programs give what published systems give: t/vectors/*.tsv. Writes TAP, a test for each table and command.

Rows that differ are comments. The README of the vectors says what each table is."""
import itertools
import os
import re
import subprocess
from fractions import Fraction
from pathlib import Path

VECTORS = Path(os.environ.get("T_DATA", "t/data")).parent / "vectors"
JIEBA = os.environ.get("JIEBA_DATA", "/usr/lib/python3/dist-packages/jieba")
CPPJIEBA = os.environ.get("SIMHASH_CPPJIEBA", "")
ENV = dict(os.environ, LC_ALL="C", PATH=os.environ.get("SHBIN", "bin") + ":" + os.environ["PATH"])

tests = failed = 0


def ok(good, what):
    global tests, failed
    tests += 1
    failed += not good
    print("ok" if good else "not ok", tests, "-", what)


def holds(what, rows):
    """One test of rows (name, wanted, got)."""
    wrong = [row for row in rows if row[1] != row[2]]
    ok(rows and not wrong, f"{what}: {len(rows)} rows")
    for name, want, got in wrong[:10]:
        print(f"# {name}: {got}, expected {want}".encode("utf-8", "replace").decode())


def table(name):
    text = (VECTORS / f"{name}.tsv").read_text("utf-8", "surrogateescape")
    return [line.split("\t") for line in text.split("\n")[1:] if line]


def record(text):
    """The text as in a record, which has no escape for NUL."""
    return re.sub(r"\\(.)", lambda m: "\0" if m[1] == "0" else m[0], text)


def escaped(data):
    """Bytes as the text of a record."""
    text = data.decode("utf-8", "surrogateescape")
    for byte, letter in ("\\", "\\"), ("\t", "t"), ("\n", "n"), ("\r", "r"):
        text = text.replace(byte, "\\" + letter)
    return text


def lines(command, records):
    """The fields of each line that the pipeline writes."""
    data = "".join(r + "\n" for r in records).encode("utf-8", "surrogateescape")
    done = subprocess.run(["bash", "-o", "pipefail", "-c", command], input=data,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=ENV)
    if done.returncode:
        ok(False, f"{command}: {done.stderr.decode(errors='replace')}")
    return [line.split("\t") for line in done.stdout.decode("utf-8", "surrogateescape").split("\n")[:-1]]


def numbered(texts):
    return [f"{i}\t{text}" for i, text in enumerate(texts)]


def firsts(command, records):
    """The first field of each line by its second field, the number of a record."""
    return {int(f[1]): f[0] for f in lines(command, records)}


def check(what, rows, text, want, *commands):
    """Column `want` is what each command makes of column `text`."""
    for command in commands:
        got = firsts(command, numbered(record(r[text]) for r in rows))
        holds(f"{what}: {command}", [(r[text][:60], r[want], got.get(i)) for i, r in enumerate(rows) if r[want] != "-"])


def both(profile, options=""):
    """From documents, and from features."""
    return (f"shfp -p {profile} {options}",
            f"shtok -p {profile} | shweight -p {profile} | shfp --features -p {profile} {options}")


def hashes(what, name, pairs, options="-b 64"):
    """The fingerprint of one feature is its hash. Pairs: the bytes of a feature, and the wanted digits."""
    for empty in True, False:
        some = [p for p in pairs if (p[0] == b"") == empty]
        command = f"shfp --features --bare -H {name} {options} --empty text"
        got = firsts(command, [f"{i}\t{escaped(data)}\t{int(not empty)}" for i, (data, _) in enumerate(some)])
        if some:
            holds(f"{what}: {command}", [(data[:30], want, got.get(i)) for i, (data, want) in enumerate(some)])


def distance(a, b):
    """Of the first bits of two texts of bits, by shjoin."""
    hexes = [f"{int(x[:min(len(a), len(b))] or '0', 2):016x}" for x in (a, b)]
    return lines("shjoin -k 64", [f"{h}\t{i}" for i, h in enumerate(hexes)])[0][2]


def by(rows, column):
    return itertools.groupby(rows, lambda r: r[column])


def can_segment(name):
    return subprocess.run(["shtok", "--segment", name], stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                          env=ENV).returncode == 0


def angelo():
    hashes("angelo_hash_bin", "md5-nibbles", [(r[0].encode(), r[3]) for r in table("angelo_hash_bin")], "-b 32")
    holds("angelo_distance", [(r[0], r[2], distance(*r[:2])) for r in table("angelo_distance")])
    holds("figures, distances", [(r[2], r[3], distance(*r[2].split())) for r in table("figures")
                                 if r[1] == "hamming" and re.fullmatch("[01 ]+", r[2])])
    if not can_segment("jieba"):
        return ok(True, "texts # SKIP no dictionary of jieba")
    check("angelo_published", table("angelo_published"), 1, 4, *both("angelo", "-x bin"))
    rows = table("angelo_simhash")
    # A text without kept words is an error there, and has no fingerprint here.
    rows = [r[:4] + [None if r[4].startswith("ERROR") else r[4]] for r in rows]
    check("angelo_simhash", rows, 1, 4, *both("angelo", "-x bin"))


def clickhouse():
    rows = table("clickhouse_simhash")
    forms = [f"clickhouse-{unit}{utf8}{case}" for unit in ("ngram", "word") for utf8 in ("", "-utf8")
             for case in ("", "-ci")]
    for column, (p, n) in enumerate(itertools.product(forms, (2, 3, 5)), 1):
        check("clickhouse_simhash", rows, 0, column, f"shfp -p {p} -n {n} -x dec",
              f"shtok -p {p} -n {n} | shweight -p {p} | shfp --features -p {p} -x dec")


def datasketch():
    for (scheme, count, seed), some in itertools.groupby(table("datasketch_signatures"), lambda r: r[1:4]):
        options = f"--permutations {count} --scheme {scheme} --seed {seed} --empty ones"
        check("datasketch_signatures", list(some), 0, 4, f"shfp -n 1 --split fields {options}",
              f"shtok -n 1 --split fields | shfp --features {options}")


def gemantic():
    for width, rows in by(table("java_simhash"), 0):
        rows = list(rows)
        check("java_simhash", rows, 1, 3, *both("gemantic", f"-b {width} -x dec"))
        check("java_simhash", rows, 1, 4, f"shfp -p gemantic -b {width} -x bare")
        check("java_simhash", rows, 1, 5, f"shfp -p gemantic -b {width} -x bin")
    rows = [[escaped(bytes.fromhex(r[0]))] + r[1:] for r in table("java_bytes_hex")]
    check("java_bytes_hex", rows, 0, 2, *both("gemantic"))
    for width, rows in by(sorted(table("java_hash"), key=lambda r: int(r[0])), 0):
        digits = int(width) // 4
        hashes("java_hash", "gemantic", [(r[1].encode(), r[4].rjust(digits, "0")[-digits:]) for r in rows],
               f"-p gemantic -b {width}")
    texts = ["This is a test string for testing" + more for more in
             ("", ", This is a test string for testing abcdef", " als")]
    want = ["9227187964509734024", "9227187964518122632", "9227223148898608264"]
    check("output of main()", list(zip(texts, want)), 0, 1, "shfp -p gemantic -x dec")


def sub_distance():
    """Blocks of one fingerprint, as many as fit into the length of the other one."""
    found = []
    for width, rows in by(table("java_sub_distance"), 0):
        rows, width = list(rows), int(width)
        for i, fp in firsts(f"shfp -p gemantic -b {width} -x dec",
                            numbered(record(t) for r in rows for t in r[1:3])).items():
            rows[i // 2].append(int(fp))
        for r in rows:
            a, b = r[-2:]
            each, length, blocks = width // (int(r[3]) + 1), a.bit_length(), "java.lang.ArithmeticException"
            if each:
                blocks = str([int(f"{b >> at & (1 << each) - 1:0{each}b}"[::-1], 2)
                              for at in range(0, length - each + 1, each)])
            found.append((r[1], r[4:8], [str(length), str(each), blocks, str(bin(a ^ b).count("1"))]))
    holds("java_sub_distance", found)


def gomd5():
    rows = table("go_simhash")
    check("go_simhash", rows, 0, 2, *both("gomd5"))
    check("go_simhash", rows, 0, 3, "shfp -p gomd5 -x bare")
    rows = [[escaped(bytes.fromhex(r[0]))] + r[1:] for r in table("go_simhash_bytes_hex")]
    check("go_simhash_bytes_hex", rows, 0, 2, *both("gomd5"))
    rows = table("go_fields_whitespace")
    got = lines("shtok -p gomd5", numbered(escaped(f"a{chr(int(r[0], 16))}b".encode()) for r in rows))
    holds("go_fields_whitespace", [(r[0], 1 + int(r[1]), sum(f[0] == str(i) for f in got))
                                   for i, r in enumerate(rows)])
    for column, name in (2, "md5"), (3, "md5-last"):
        hashes("md5", name, [(bytes.fromhex(r[0]), r[column]) for r in table("md5")])
    # What the article says of its fingerprints contradicts them, and its program.
    for a, b, want in ("8bff35d6ec0a8f76", "8bff75d6ec1b8f76", "3"), ("e0894ccef4509142", "aae62ae822a6608f", "37"):
        ok(distance(bin(int(a, 16)), bin(int(b, 16))) == want, f"{a} and {b} differ in {want} bits")


def mfonda():
    rows = table("mfonda_simhash")
    check("mfonda_simhash", rows, 0, 1, *both("mfonda"))
    check("mfonda_simhash", rows, 0, 3, "shfp -p mfonda --split go-letters")
    check("mfonda_simhash", rows, 0, 5, "shfp -p mfonda --split fields -n 2")
    hashes("fnv1_64", "fnv1", [(r[0].encode(), r[1]) for r in table("fnv1_64")])
    own = table("mfonda_tests")
    hashes("mfonda_tests", "fnv1", [(r[1].encode(), f"{int(r[2]):016x}") for r in own if r[0] == "fnv1-64"])
    check("mfonda_tests", [r for r in own if r[0] == "simhash words"], 1, 2, "shfp -p mfonda")
    for r in own:
        if r[0] == "distance":
            pair = lines("shfp -p mfonda | shjoin -k 64", numbered(r[1].split(" | ")))
            ok(pair[0][2] == r[2], f"mfonda_tests: distance of {r[1]}: {r[2]}")
        elif r[0].startswith("fingerprint of"):
            check("mfonda_tests", [["..."] + r[1:]], 0, 2, "shfp -p mfonda")


def pysimhash():
    rows = table("pysimhash_text")
    for column, bits in enumerate((64, 128, 32, 8), 1):
        check("pysimhash_text", rows, 0, column, *both("pysimhash", f"-b {bits}"))
    # str.lower(), of which \w matches neither marks nor symbols.
    rows = [[r[0], re.sub(r"[\W_]", "", r[1]) or None] for r in table("python_lower")]
    got = {}
    for i, token, _ in lines("shtok -p pysimhash -n 1", numbered(r[0] for r in rows)):
        got[i] = got.get(i, "") + token
    holds("python_lower", [(*r, got.get(str(i)) or None) for i, r in enumerate(rows)])
    texts, features = [], []
    for name, want, _ in table("pysimhash_features"):
        if ": " in name and "sha256" not in name:
            texts.append((name.split(": ", 1)[1], want))
        elif ": " not in name:
            features.append((name, want))
    check("pysimhash_features", texts, 0, 1, "shfp -p pysimhash -x dec")
    records = []
    for i, (name, _) in enumerate(features):
        weight, items = 1, re.sub(r"^list (\[.*\]) f=64$", r"\1", name)
        if items.startswith("("):
            items = [(str(n), 50 * n) for n in range(500)]
        elif items.startswith("list"):
            items = [str(n) for n in range(500)]
        else:
            items = eval(items, {})  # pylint: disable=eval-used
        for item in items or [("", 0)]:
            if isinstance(item, tuple): # a plain string after a pair has its weight there
                item, weight = item
            records.append(f"{i}\t{item}\t{weight}")
    got = firsts("shfp --features -p pysimhash -x dec --empty zero", records)
    holds("pysimhash_features", [(*f, got.get(i)) for i, f in enumerate(features)])
    for bits, rows in by(table("pysimhash_weights"), 0):
        rows = list(rows)
        got = firsts(f"shfp --features -p pysimhash -b {bits}", [
            f"{i}\t{feature.replace(' ', chr(9))}" for i, r in enumerate(rows) for feature in r[1].split(",")])
        holds(f"pysimhash_weights, {bits} bits", [(r[1], r[2], got.get(i)) for i, r in enumerate(rows)])
    # The queries of the project's own test of its index.
    documents = ["q\tHow are you i am fine.ablar ablar xyz blar blar blar blar blar blar blar thank"]
    documents += [f"{i}\t{text}" for i, text in enumerate((
        "How are you? I Am fine. blar blar blar blar blar Thanks.",
        "How are you i am fine. blar blar blar blar blar than", "This is simhash test.",
        "How are you i am fine. blar blar blar blar blar thank1"), 1)]
    holds("pysimhash_index_query", [(f"k {r[0]}", r[1].split(), sorted(
        pair[0] for pair in lines(f"shfp -p pysimhash | shjoin -k {r[0]}", documents) if pair[1] == "q"))
        for r in table("pysimhash_index_query")])


def seomoz():
    check("seomoz_legacy_hash_text", table("seomoz_legacy_hash_text"), 0, 1, *both("seomoz"))
    for i, (_, k, blocks, numbers, pairs, clusters) in enumerate(table("seomoz_find_all")):
        fps = [f"{int(x, 16):016x}" for x in numbers.split()]
        for m in blocks.split():
            got = sorted(p[:2] for p in lines(f"shband -k {k} -M {m} | sort | shjoin -k {k}",
                                              [f"{x}\t{x}" for x in fps]))
            groups = {}
            for member, keeper in sorted(lines("shgroup --link single", ["\t".join(p + ["0"]) for p in got])):
                groups.setdefault(keeper, []).append(f"{int(member, 16):x}")
            holds(f"seomoz_find_all {i}, {m} blocks, distance {k}", [
                ("pairs", pairs.split(), [f"{int(a, 16):x},{int(b, 16):x}" for a, b in got]),
                ("clusters", [c.split() for c in clusters.split(";") if c.strip()], list(groups.values()))])


def permutations():
    """There blocks count from the low end. So the bands of the reversed number have the bits of its tables."""
    inputs = [0x0123456789abcdef, 0xdeadbeefcafebabe, 1, 1 << 63, 0xffff000000000000]
    records = [f"{int(f'{x:064b}'[::-1], 2):016x}\t{i}" for i, x in enumerate(inputs)]
    for (m, k), rows in itertools.groupby(table("seomoz_permutations"), lambda r: (int(r[0]), int(r[1]))):
        keys, found = {}, []
        for key, _, i in lines(f"shband -k {k} -M {m}", records):
            keys.setdefault(int(i), []).append(key)
        tables = list(itertools.combinations(range(m), m - k))
        for r in rows:
            widths = [64 * (b + 1) // m - 64 * b // m for b in tables[int(r[3])]]
            want = []
            for applied in r[5:10]:
                top, bits = f"{int(applied, 16):064b}", ""
                for width in widths:
                    bits, top = bits + top[:width][::-1], top[width:]
                want.append(f"{int(bits.ljust(-(-len(bits) // 4) * 4, '0'), 2):0{-(-len(bits) // 4)}x}")
            number = int(r[3])
            got = [keys[i][number][-len(keys[i][number]) + 4 + len(f"{len(tables) - 1:x}"):][:len(want[i])]
                   for i in range(5)]
            found.append((f"table {number}", [int(r[2]), (1 << 64) - (1 << 64 - sum(widths)), want],
                          [len(tables), int(r[4], 16), got]))
        holds(f"seomoz_permutations, {m} blocks, distance {k}", found)


def tfidf():
    """Weights in millionths; the scheme divides them by the number of words."""
    for name, columns in ("tfidf_formula_001", (0, 1, 2, 3, 5)), ("tfidf128_weights", (3, 4, 5, 6, 8)):
        rows = [[r[c] for c in columns] for r in table(name) if r[columns[0]] != "0"]
        for docs, some in by(sorted(rows, key=lambda r: r[2]), 2):
            some = list(some)
            df = [f"\t{docs}"] + [f"w{i:05}\t{r[3]}" for i, r in enumerate(some)]
            got = {int(f[0]): f[2] for f in lines(
                f"shweight -w tfidf -d <(printf '%s\\n' {' '.join(map(repr, df))})".replace("\\t", "\t"),
                [f"{i}\tw{i:05}\t{r[0]}" for i, r in enumerate(some)])}
            holds(f"{name}, {docs} documents", [
                (r, True, abs(Fraction(got.get(i, "-1")) * 10**6 -
                              Fraction(float.fromhex(r[4])) * int(r[1]) * 10**6) < Fraction(51, 100))
                for i, r in enumerate(some)])
    rows = table("stem_english")
    for column, stemmer in (1, "porter"), (4, "porter"), (5, "english"):
        got = lines(f"shtok --stem {stemmer}", numbered(r[0] for r in rows))
        holds(f"stem_english: shtok --stem {stemmer}", [(r[0], r[column], f[1]) for r, f in zip(rows, got)])
    if not can_segment("jieba"):
        return ok(True, "tfidf128_weights # SKIP no dictionary of jieba")
    # Three documents have their texts: words are counted and ranked as there.
    rows = [r for r in table("tfidf128_weights") if len(r[0]) == 1]
    texts = [f"{r[0]}\t{r[3]}" for r in table("jieba_cut_long") if r[1] == "cut"]
    tokens = [tuple(f[:2]) for f in lines("shtok -p tfidf128 --keep-words han", texts)]
    holds("tfidf128_weights, counts", [(r[2], int(r[3]), tokens.count((r[0], r[2]))) for r in rows])
    df = sorted({f"{r[2]}\t{r[6]}" for r in table("tfidf128_weights")} | {f"\t{rows[0][5]}"},
                key=lambda line: line.encode())
    words = {(r[0], r[2]) for r in rows}
    ranked = [tuple(f[:2]) for f in lines(
        "shtok -p tfidf128 --keep-words han | shweight -p tfidf128 --absent drop -d " +
        "<(printf '%s\\n' " + " ".join(f"'{line}'" for line in df) + ")", texts)]
    holds("tfidf128_weights, ranks", [(w, w, r) for w, r in itertools.zip_longest(
        [(r[0], r[2]) for r in rows], [r for r in ranked if r in words])])


def tags():
    """jieba's keywords, extract_tags()."""
    idf = JIEBA + "/analyse/idf.txt"
    if not os.access(idf, os.R_OK) or not can_segment("jieba"):
        return ok(True, "keywords # SKIP no dictionary and idf.txt of jieba")
    texts = {r[0]: record(r[column]) for name, column in (
        ("angelo_simhash", 1), ("angelo_published", 1), ("jieba_cut_long", 3), ("jieba_cut", 3))
        for r in reversed(table(name)) if r[column] != "TEXT"}
    rows = [r for r in table("jieba_extract_tags") if r[0] in texts]
    for top in "5", "20", "128":
        some = [r for r in rows if r[1] == top]
        got = lines(f"shtok -p jieba-tags | shweight -p jieba-tags --idf {idf} -t {top}",
                    [f"{i}\t{texts[i]}" for i in dict.fromkeys(r[0] for r in some)])
        words = {}
        for i, word, _ in got:
            words.setdefault(i, []).append(word)
        holds(f"jieba_extract_tags, top {top}", [
            (r[:3], r[3], dict(enumerate(words.get(r[0], []))).get(int(r[2]))) for r in some])


def yanyiwu():
    for seed, rows in by(sorted(table("jenkins_lookup3_64"), key=lambda r: r[2]), 2):
        hashes("jenkins_lookup3_64", "jenkins", [(bytes.fromhex(r[0]), f"{int(r[3]):016x}") for r in rows],
               f"-b 64 --seed {int(seed, 16)}")
    records, want = [], []
    for i, (name, value, _) in enumerate(table("yanyiwu_predefined_keywords")):
        count = int(re.search("fake_0..fake_(.*) each", name)[1]) + 1 if "fake" in name else 0
        # 1/3 is no decimal: in the scale of records, which loses no bit of it.
        weight = (1 << 50) // 3 if count == 3 else (10**6 + (count - 1) // 2) // max(count, 1)
        records += [f"{i}\tfake_{j}\t{weight // 10**6}.{weight % 10**6:06}" for j in range(count)] or [f"{i}\t\t0"]
        want.append((name, value))
    got = firsts("shfp --features -p yanyiwu -x dec --empty zero", records)
    holds("yanyiwu_predefined_keywords", [(*w, got.get(i)) for i, w in enumerate(want)])
    if not CPPJIEBA:
        return ok(True, "texts # SKIP no dictionaries of cppjieba: t/cppjieba found none")
    modes = {"mix_hmm": "", "mix_nohmm": "-nohmm", "query": "-search", "full": "-all", "hmm": "-hmm"}
    for mode, rows in by(sorted(table("cppjieba_cut")), 0):
        rows, words = list(rows), {}
        for i, word, _ in lines(f"shtok -n 1 --segment cppjieba{modes[mode]} --no-fold --keep-words any",
                                numbered(record(r[1]) for r in rows)):
            words.setdefault(int(i), []).append(word)
        # Most white space is no word here.
        holds(f"cppjieba_cut, {mode}", [
            (r[1], *([w for w in some if not re.fullmatch(r"(\s|\\[tnr])*", w)]
                     for some in (map(record, r[3:]), words[i]))) for i, r in enumerate(rows)])
    keywords = "shtok -p yanyiwu --stop {0}/stop_words.utf8 | shweight -p yanyiwu --idf {0}/idf.utf8 -t {1} | ".replace(
        "{0}", CPPJIEBA)
    for top, rows in by(sorted(table("yanyiwu_simhash"), key=lambda r: int(r[1])), 1):
        check(f"yanyiwu_simhash, top {top}", list(rows), 0, 3, keywords.replace("{1}", top) + "shfp -p yanyiwu")
    published = {r[0]: r for r in table("yanyiwu_published")}
    for top, name, text in ("5", "README demo simhash top5", "README demo keywords top5"), \
            ("3", "simhash top3", "simhash top3"):
        check(f"yanyiwu_published, {name}", [(published[text][1], published[name][2])], 0, 1,
              keywords.replace("{1}", top) + "shfp -p yanyiwu -x dec")


for system in angelo, clickhouse, datasketch, gemantic, sub_distance, gomd5, mfonda, pysimhash, seomoz, \
        permutations, tfidf, tags, yanyiwu:
    system()
print(f"1..{tests}")
raise SystemExit(failed > 0)
