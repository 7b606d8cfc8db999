# SPDX-License-Identifier: MIT
"""The rows of the benchmark: two sides, our programs and another program, and the goal for their ratio."""
import lzma
import os
import random
import shlex
import subprocess


class Skip(Exception):
    """A side cannot be run. The text names it."""


class Long(Exception):
    """The row takes too long for --smoke."""


class Side:
    """A pipeline. counted: the stages whose CPU time and memory count; None: all. net: the time of the pipeline on
    empty input (start, loading a dictionary) is subtracted. keeps: the number of documents of the input, if the output
    has a line for each kept document; the table then has the number of removed documents. tells: a pattern; its group is
    a number in the messages of the last stage, which the row compares in place of times."""

    def __init__(self, name, *stages, stdin=None, counted=None, net=False, keeps=0, tells=None):
        self.name, self.stages, self.stdin, self.tells = name, stages, stdin, tells
        self.counted, self.net, self.keeps = counted, net, keeps
        self.lines = None  # lines of the last output, if keeps

    def on_nothing(self):
        return Side(self.name, *self.stages, counted=self.counted)

    def title(self):
        return self.name if self.lines is None else f"{self.name}, {self.keeps - self.lines:,} removed"


class Row:
    """ours / other must be at most `goal`. --smoke measures the rows with a `guard`, and reports a ratio above
    it. A guard is some 1.8 times the usual ratio, so that a loop of twice the time exceeds it. With a third side, the
    divisor of ours is `rule` of the seconds of the second and the third side."""

    def __init__(self, name, size, ours, other, goal=None, wall=False, guard=None, third=None,
                 rule=None):
        self.name, self.size = name, size
        self.sides = (ours, other, third) if third else (ours, other)
        self.goal, self.guard, self.rule = goal, guard, rule
        # What is compared: CPU seconds, wall seconds, or the number that each side tells.
        self.unit = 3 if ours.tells else 1 if wall else 0

    def allowed(self, seconds):
        """The divisor of ours, from the seconds of the other sides."""
        return self.rule(*seconds) if self.rule else seconds[0]


class World:
    """The programs, the inputs and the other programs. An input is made at its first use, and kept."""

    def __init__(self, here, folder, smoke, peers):
        self.here, self.folder, self.smoke, self.peers = here, folder, smoke, peers
        self.bin, self.build = os.environ["SHBIN"], os.environ["BUILD"]
        self.inputs = os.path.join(folder, "inputs")
        os.makedirs(self.inputs, exist_ok=True)

    def our(self, name, *args):
        return [os.path.join(self.bin, name), *args]

    def helper(self, name, *args):
        return [os.path.join(self.build, "t", "bench", name), *args]

    def make(self, name, argv):
        path = os.path.join(self.inputs, name)
        if not os.path.exists(path):
            with open(path + ".part", "wb") as out:
                done = subprocess.run(argv, stdout=out, check=False)
            if done.returncode:
                raise Skip(f"{name}: {argv[0]} failed")
            os.rename(path + ".part", path)
        return path

    def text(self, language, size):
        """The path of documents, and their name in the table. --smoke uses a tenth of the English documents."""
        if self.smoke and language == "en":
            size = min(size, 10)
        path = self.make(f"{language}{size}.tsv", [
            os.path.join(self.here, "corpus"), "-l", language, "-s", str(size), "-c", self.folder])
        return path, f"{'English' if language == 'en' else 'Chinese'}, " \
                     f"{os.path.getsize(path) / 1e6:.3g} MB"

    def head(self, path, lines):
        return self.make(f"{os.path.basename(path)}.{lines}", ["head", "-n", str(lines), path])

    def prints(self, n, bits=64, planted=5, skew=0):
        if self.smoke and n > 1000000:
            raise Long
        path = self.make(f"fp-{n}-{bits}-{planted}-{skew}",
                         self.helper("genfp", str(n), str(bits), str(planted), str(skew)))
        return path, f"{n:,} fingerprints"

    def peer(self, module, command=None, program="peer"):
        if self.smoke:
            raise Long
        python = self.peers.python(self.folder, module)
        if not python:
            raise Skip(f"cannot install {module} of PyPI")
        return [python, os.path.join(self.here, program), command or module]

    def hamming(self, *args):
        if self.smoke:
            raise Long
        binary = self.peers.hamming(self.folder, self.here)
        if not binary:
            raise Skip("cannot build the crate all-pairs-hamming")
        return [binary, *args]

    def debian(self, package, path):
        if self.smoke:
            raise Long
        binary = self.peers.debian(self.folder, package, path)
        if not binary:
            raise Skip(f"cannot download {package} of Debian")
        return binary


SIZES = (1, 10, 100)


def fingerprints(w):
    """Documents to fingerprints."""
    def against_md5(name, size, goal, guard, *args):
        def row():
            path, size_text = w.text("en", size)
            return Row(name, size_text, Side(name, w.our("shfp", *args), stdin=path),
                       Side("md5sum", ["md5sum"], stdin=path), goal, guard=guard)
        return row

    for size in SIZES:
        yield against_md5("words, tf", size, *((0.9, 0.85) if size == 100 else (None, None)),
                          "-w", "tf")
    yield against_md5("word 3-grams, tf", 100, 1.1, 0.85, "-n", "3", "-w", "tf")
    yield against_md5("character 5-grams, tf", 100, 1.9, 1.4, "-u", "char", "-n", "5", "-w", "tf")

    def distinct(name, scheme, guard, *args):
        def row():
            path, size_text = w.text("en", 100)
            plain = Side("-w tf", w.our("shfp", "-w", "tf", *args), stdin=path)
            return Row(f"{name}, {scheme}", size_text,
                       Side("", w.our("shfp", "-w", scheme, *args), stdin=path), plain, 2.2,
                       guard=guard)
        return row

    for scheme in ("set", "log"):
        yield distinct("words", scheme, 3)
        yield distinct("word 3-grams", scheme, 3, "-n", "3")

    def chinese(scheme, goal, guard):
        def row():
            path, size_text = w.text("zh", 100)
            return Row(f"characters, 3-grams, {scheme}", size_text,
                       Side("", w.our("shfp", "-n", "3", "-w", scheme), stdin=path),
                       Side("utf8proc_map alone", w.helper("utf8map"), stdin=path), goal,
                       guard=guard)
        return row
    yield chinese("tf", 0.1, 0.16)
    yield chinese("log", None, 0.25)

    def against(module, command, goal, size, *args):
        def row():
            path, size_text = w.text("en", size)
            return Row(f"as {command}", size_text,
                       Side("", w.our("shfp", *args), stdin=path, net=True),
                       Side(f"PyPI {module}", w.peer(module, command), stdin=path, net=True), goal)
        return row

    # The package weighs the n-grams of a text by their counts, and adds the words of a list one by one. On 2 MB, a third
    # of our time is spent once a run, to fill tables.
    yield against("simhash", "simhash", 1 / 200, 1, "-u", "char", "-n", "4", "-w", "tf")
    # Both sides compute the same fingerprints, and spend most of their time in MD5.
    yield against("simhash", "simhash", None, 1, "-p", "pysimhash")
    yield against("simhash", "simhash_words", 1 / 200, 1, "-w", "tf")
    yield against("simhash", "simhash_words", 1 / 200, 10, "-w", "tf")
    yield against("simhash", "simhash_words", None, 10, "-w", "set")
    yield against("datasketch", "datasketch", 1 / 200, 1, "-n", "3", "-w", "set")
    yield against("datasketch", "datasketch", 1 / 200, 10, "-n", "3", "-w", "set")
    yield against("rensa", "rensa", 1 / 20, 10, "-n", "3", "-w", "set")

    def debian():
        path, size_text = w.text("en", 10)
        return Row("one signature of all bytes", size_text,
                   Side("", w.our("shfp", "-u", "char", "-n", "8", "-w", "tf"), stdin=path),
                   Side("Debian's simhash", [w.debian("simhash", "usr/bin/simhash")], stdin=path))
    yield debian

    def threads(name, *args):
        def sides():
            path, size_text = w.text("en", 100)
            ours = [Side(f"-j {j}", ["cat", path], w.our("shfp", "-j", str(j), *args), counted=[1])
                    for j in (2, 1)]
            return f"-j 2 from a pipe, wall seconds, {name}", path, size_text, *ours

        def row():
            name, _, size_text, two, one = sides()
            return Row(name, size_text, two, one, 1 / 1.8, wall=True)

        def apart():
            """The largest gain that the processors allow: two processes that share nothing."""
            name, path, size_text, two, _ = sides()
            middle = line_after_middle(path)
            shfp = shlex.join(w.our("shfp", "-j", "1", *args))
            halves = [f"{half} {shlex.quote(path)} | {shfp}"
                      for half in (f"head -c {middle}", f"tail -c +{middle + 1}")]
            script = f"{halves[0]} & other=$!; {halves[1]} && wait $other"
            return Row(name, size_text, two, Side("two of -j 1, half each", ["sh", "-c", script]),
                       wall=True)
        return row, apart
    # cat and the thread that reads the pipe use the same processors. So a second processor gains little when reading is
    # most of the work.
    yield from threads("word 3-grams", "-n", "3")
    yield from threads("character 5-grams", "-u", "char", "-n", "5")


def line_after_middle(path):
    """The offset in bytes of the first line that begins after the middle of the file."""
    with open(path, "rb") as f:
        f.seek(os.path.getsize(path) // 2)
        f.readline()
        return f.tell()


def pipes(w):
    """shtok | shweight | shfp, compared with shfp alone."""
    def row(weight, *args):
        def make():
            path, size_text = w.text("en", 10)
            fused = Side("shfp alone", w.our("shfp", "-w", weight, *args), stdin=path)
            return Row(f"shtok {' '.join(args)} | shweight -w {weight} | shfp", size_text,
                       Side("", w.our("shtok", *args), w.our("shweight", "-w", weight),
                            w.our("shfp"), stdin=path), fused, 8, guard=12)
        return make
    yield row("tf", "-n", "1")
    yield row("log", "-n", "1")
    yield row("log", "-n", "3")


def join(w):
    """Fingerprints to pairs in memory."""
    def sort(n):
        def row():
            path, size_text = w.prints(n)
            return Row("K = 3", size_text, Side("", w.our("shjoin", "-k", "3", path)),
                       Side("sort -S4G --parallel=1", ["sort", "-S4G", "--parallel=1", path]),
                       1 / 6 if n == 10000000 else None, guard=0.4 if n == 1000000 else None)
        return row

    def crate(n, k, blocks, goal):
        def row():
            path, size_text = w.prints(n)
            name = f"all-pairs-hamming, {blocks} blocks" if blocks else "all-pairs-hamming"
            return Row(f"K = {k}", size_text, Side("", w.our("shjoin", "-k", str(k), path)),
                       Side(name, w.hamming(path, str(k), str(blocks))), goal)
        return row

    for n in (100000, 1000000, 10000000):
        yield sort(n)
    for n in (100000, 1000000, 10000000):
        yield crate(n, 3, 0, 1 / 8 if n == 10000000 else None)
        yield crate(n, 3, 4 if n < 10000000 else 5, None)
    # Blocks: the crate's default, and the number at which the crate was fastest.
    for k, blocks in ((5, 7), (6, 9), (8, 11), (10, 13)):
        if k < 8:
            yield crate(1000000, k, 0, None)
        yield crate(1000000, k, blocks, 1 / 5)

    def brute(k, guard):
        def row():
            path, size_text = w.prints(100000)
            return Row(f"K = {k}", size_text, Side("", w.our("shjoin", "-k", str(k), path)),
                       Side("every pair compared", w.helper("brute", path, str(k))), 1,
                       guard=guard)
        return row
    for k, guard in ((4, 0.07), (8, 0.1), (12, 0.22), (16, 0.65)):
        yield brute(k, guard)

    def wide(k):
        def row():
            if w.smoke:
                raise Long
            path, size_text = w.prints(1000000, bits=128)
            return Row(f"128 bits, K = {k}", size_text,
                       Side("", w.our("shjoin", "-k", str(k), path)),
                       Side("64 bits", w.our("shjoin", "-k", str(k), w.prints(1000000)[0])))
        return row
    yield wide(3)
    yield wide(10)


def skew(w):
    """30 % of the fingerprints are in ten groups of identical ones, and 30 % in groups of near-identical ones. The
    divisor is three times the time of uniform fingerprints, and the time of cat to copy the output."""
    def row(n):
        def make():
            if w.smoke and n > 100000:
                raise Long
            path, size_text = w.prints(n, planted=0, skew=1)
            even = w.prints(n)[0]
            ours = w.our("shjoin", "--collapse", path)
            pairs = w.make(f"pairs-{n}-skew", ours)
            return Row("--collapse", size_text, Side("", ours),
                       Side("3 × uniform + cat of the output",
                            w.our("shjoin", "--collapse", even)), 1,
                       guard=2, third=Side("cat", ["cat", pairs]),
                       rule=lambda even, cat: 3 * even + cat)
        return make
    for n in (100000, 1000000):
        yield row(n)


def stream(w):
    """shband and shjoin, compared with the sort between them."""
    def row(n, k):
        def make():
            if w.smoke and n > 100000:
                raise Long
            path, size_text = w.prints(n)
            # Our programs and the sort run separately, with input from files.
            bands = w.make(f"bands-{n}-{k}", w.our("shband", "-k", str(k), path))
            grouped = w.make(f"sorted-{n}-{k}", ["sort", "-S50M", bands])
            both = ["sh", "-c", '"$1" -k "$2" "$3" >/dev/null && "$4" "$5"', "sh",
                    *w.our("shband"), str(k), path, *w.our("shjoin"), grouped]
            return Row(f"shband + shjoin, K = {k}", size_text, Side("", both),
                       Side("sort -S50M", ["sort", "-S50M", "--parallel=1", bands]), 0.35,
                       guard=0.7)
        return make
    yield row(100000, 3)
    yield row(1000000, 3)
    yield row(1000000, 6)


def whole(w):
    """Documents to kept documents: each program reads and writes English texts, 100,000 of them."""
    def against(module, command, name, goal, *args):
        def row():
            if w.smoke:
                raise Long
            path, n = w.head(w.text("en", 100)[0], 100000), 100000
            ours = " ".join(("shdedup", *args))
            return Row(ours, f"{os.path.getsize(path) / 1e6:.3g} MB, {n:,} documents",
                       Side("", w.our("shdedup", "-q", *args), stdin=path, keeps=n),
                       Side(name, w.peer(module, command, "dedup_peer"), stdin=path, keeps=n), goal)
        return row

    # The other programs search by Jaccard similarity 0.8, so shdedup does, too. It also verifies the similarity.
    jaccard = ("--measure", "jaccard", "-T", "0.8")
    for module, command, name, goal in (
            ("gaoya", "gaoya_simhash", "gaoya SimHash, K = 3", 1 / 20),
            ("gaoya", "gaoya_minhash", "gaoya MinHash", 1 / 20),
            ("rensa", "rensa", "rensa R-MinHash", 1 / 20),
            ("datasketch", "datasketch", "datasketch MinHashLSH", 1 / 100),
            ("datatrove", "datatrove", "datatrove MinHash", 1 / 100),
            ("text_dedup", "text_dedup", "text-dedup MinHash", 1 / 100)):
        yield against(module, command, name, goal, *jaccard)
    yield against("rensa", "rensa", "rensa R-MinHash", None)


def growth(w):
    """Twice the documents of one kind: the pairs that shdedup compares. Time is in proportion to them."""
    def row(kind, name, *args):
        def make():
            n = 2000 if w.smoke else 20000
            sides = []
            for size in (2 * n, n):
                path = w.make(f"{kind}-{size}", ["python3", os.path.join(w.here, "..", "quality", "made.py"), kind, str(size)])
                sides.append(Side(f"{size:,}", w.our("shdedup", "--dry-run", "--report", os.devnull, *args), stdin=path,
                                  tells=r"([\d,]+) pairs compared"))
            return Row(name, " ".join(("shdedup", *args)), *sides, 2.3, guard=2.3)
        return make
    yield row("pages", "pages of three templates", "--measure", "jaccard", "-T", "0.9")
    yield row("lines", "log lines of 20 templates", "--measure", "edit", "-T", "0.75")


def edits(w):
    """The alignment of `shverify --measure edit` only. The input is the candidates of edited copies that neither lengths
    nor bags of tokens exclude. Both sides align all pairs forty times. A token is a number."""
    def row(language, name, threshold="0.75", times="40"):
        def make():
            rapidfuzz = w.peer("rapidfuzz", program="align_peer")
            docs = w.make(f"edited-{language}.tsv", [
                "python3", os.path.join(w.here, "..", "quality", "edited.py"), language,
                os.path.join(w.here, "..", "data")])
            tokens = w.make(f"edited-{language}.tokens", w.our("shtok", "-n", "1", docs))
            shared = " | ".join((
                shlex.join(w.our("shfp", "--keys", "--measure", "edit", "-T", threshold, docs)),
                "LC_ALL=C sort -s -k1,1", shlex.join(w.our("shjoin")), "sort -u"))
            peer = os.path.join(w.here, "align_peer")
            pairs = w.make(f"edited-{language}.pairs", [
                "sh", "-c", f"{shared} | {shlex.join((peer, 'pairs', threshold, tokens))}"])
            with open(pairs, "rb") as lines:
                n = sum(1 for _ in lines)
            millionths = str(round(float(threshold) * 1e6))
            return Row("shverify --measure edit: the alignment", f"{name}, {n:,} pairs",
                       Side("", w.helper("align", millionths, times), stdin=pairs, net=True),
                       Side("rapidfuzz cpdist()", [*rapidfuzz, threshold, times],
                            stdin=pairs, net=True), 1 / 3)
        return make
    yield row("en", "English edited copies")
    yield row("zh", "Chinese edited copies")


def made_up(archive, lines, n):
    """Yields n questions that mostly occur nowhere. Each two consecutive words are consecutive in some question of the
    archive, or in these lines of documents."""
    chance = random.Random(21)
    with lzma.open(archive, "rt", encoding="utf-8") as f:
        texts = [line.split("\t", 1)[1].split() for line in f]
    starts, follow = [words[0] for words in texts], {}
    for words in texts + [line.split("\t", 1)[1].replace("\\n", " ").split() for line in lines]:
        for a, b in zip(words, words[1:]):
            follow.setdefault(a, []).append(b)
    for i in range(n):
        words, length = [chance.choice(starts)], chance.randrange(8, 60)
        while len(words) < length:
            words.append(chance.choice(follow.get(words[-1], starts)))
        yield f"m{i}\t{' '.join(words)}\n"


def passages(w):
    """Passages that documents share, and questions that occur in documents."""
    def against_md5(name, goal, guard, *args):
        def row():
            path, size_text = w.text("en", 100)
            return Row(name, size_text, Side(name, w.our("shspan", *args), stdin=path),
                       Side("md5sum", ["md5sum"], stdin=path), goal, guard=guard)
        return row

    def questions():
        archive = os.path.join(w.here, "..", "data", "evals_dev.tsv.xz")
        queries = w.make("evals.tsv", ["xz", "-dc", archive])
        return against_md5("609 questions", 1.6, 1.5, "--pairs", "-d", queries)()

    def many_questions():
        if w.smoke:
            raise Long
        archive = os.path.join(w.here, "..", "data", "evals_dev.tsv.xz")
        queries = os.path.join(w.inputs, "made-up.tsv")
        with open(w.text("en", 100)[0], encoding="utf-8") as f:
            lines = f.readlines()[::30]
        with open(queries, "w", encoding="utf-8") as out:
            out.writelines(made_up(archive, lines, 10000))
        return against_md5("10,000 questions", 1.6, None, "--pairs", "-d", queries)()

    yield questions
    yield many_questions
    yield against_md5("--exact 50", 4, None, "--exact", "50")
    yield against_md5("--first", 8, None)
    yield against_md5("--all", 12, None, "--all")


def segment(w):
    """Segmentation of Chinese."""
    def row(module, goal):
        def make():
            path, size_text = w.text("zh", 1 if module == "jieba" else 10)
            return Row("shtok --segment jieba", size_text,
                       Side("", w.our("shtok", "--segment", "jieba"), stdin=path, net=True),
                       Side(f"PyPI {module}", w.peer(module), stdin=path, net=True), goal)
        return make
    yield row("jieba", 1 / 50)
    yield row("rjieba", 1)

    def short():
        if not w.smoke:
            raise Long
        path, size_text = w.text("zh", 10)
        return Row("shtok --segment jieba", size_text,
                   Side("", w.our("shtok", "--segment", "jieba"), stdin=path, net=True),
                   Side("utf8proc_map alone", w.helper("utf8map"), stdin=path), guard=4)
    yield short


def start(w):
    """The start of a program on empty input."""
    def row(name):
        def make():
            return Row(name, "nothing", Side("", w.our(name)), Side("cat", ["cat"]),
                       guard=3.5)
        return make
    for name in ("shfp", "shjoin"):
        yield row(name)


SECTIONS = (
    ("Documents to fingerprints", "One thread reads text on standard input, and writes hexadecimal lines.",
     fingerprints),
    ("Feature records through pipes", "`shtok | shweight | shfp`; all three programs count.", pipes),
    ("Fingerprints to pairs, in memory",
     "The programs read text lines and write pairs. The fingerprints are uniformly random; 5 % are copies of others with "
     "0 to 6 bits changed.", join),
    ("Skew", "The other time is three times that of as many uniform fingerprints, and that of `cat` to copy the output.",
     skew),
    ("Bands", "`shband` and `shjoin` together, compared with the `sort` between them.", stream),
    ("Documents to documents without near-duplicates", "Each program reads texts and writes the kept documents, as "
     "its README shows: word 3-grams, Jaccard similarity 0.8. `shdedup` compares the texts of each pair; the others "
     "estimate.", whole),
    ("Growth", "Pairs compared for twice the documents, and for the documents: templates must not make it quadratic. The "
     "columns of CPU seconds hold numbers of pairs.", growth),
    ("Edit distances", "The alignment only, on pairs that neither lengths nor bags of tokens exclude. Tokens are numbers, "
     "and the threshold is edit similarity 0.75. Each pair is aligned forty times. The start of the program is "
     "subtracted.", edits),
    ("Passages", "`shspan`, compared with `md5sum` of the same documents.", passages),
    ("Segmentation", "The time to load the dictionary is subtracted.", segment),
    ("Start", "", start),
)
