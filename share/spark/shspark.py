#!/usr/bin/env python3
"""Near-duplicates on a Spark cluster, by the same filters as on one machine.

    spark-submit --master URL share/spark/shspark.py [options] DOCS... OUT

With --deploy-mode cluster, also --py-files share/cluster/shcluster.py.

OUT/pairs and OUT/groups hold, line for line when sorted, what this writes on one machine:

    shfp DOCS | shband | LC_ALL=C sort | shjoin | shverify -d DOCS >pairs; shgroup pairs >groups

or with --keys KxR

    shfp --keys KxR DOCS | LC_ALL=C sort | shjoin --keys | sort -u | shverify -d DOCS >pairs; shgroup pairs >groups

With --passages, OUT/spans holds the passages that documents share. Documents are in the order of their ids:

    LC_ALL=C sort -t "$(printf '\\t')" -k 1,1 DOCS | shspan >spans

Messages are written to standard error, which spark-submit hands on as its standard output.
"""

import argparse
import operator
import os
import re
import sys

try:
    import shcluster  # from --py-files
    SHCLUSTER = None
except ImportError:  # from the tree, and to be sent to the workers
    sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cluster"))
    import shcluster
    SHCLUSTER = shcluster.__file__

PROGRAMS = ["shfp", "shband", "shjoin", "shverify", "shseed", "shspan"]


def arguments(argv):
    p = argparse.ArgumentParser(
        prog="shspark.py", formatter_class=argparse.RawDescriptionHelpFormatter,
        description=__doc__.split("\n", 1)[0],
        usage="spark-submit [...] shspark.py [options] DOCS... OUT")
    p.add_argument("docs", nargs="+", metavar="DOCS",
                   help="documents, id<TAB>text, where all workers can read them")
    p.add_argument("out", metavar="OUT", help="folder for pairs and groups; must not be there yet")
    p.add_argument("--fingerprints", action="store_true", help="DOCS are fingerprints, as shfp writes")
    for program in PROGRAMS:
        p.add_argument("--" + program, metavar="OPTIONS", default=None if program == "shverify" else "",
                       help=f"options of {program}, as --{program}='-n 3'" +
                            (" (maybe ''); without it pairs are not verified"
                             if program == "shverify" else ""))
    p.add_argument("--keys", default="", metavar="KxR",
                   help="candidates share one of K keys of R minwise values (shfp --keys), as 16x4; no bands")
    p.add_argument("--passages", action="store_true",
                   help="write passages that documents share (shseed, shspan --first), no pairs and groups")
    p.add_argument("--collapse", action="store_true",
                   help="pair identical fingerprints with the first of them only, as shjoin does")
    p.add_argument("--link", choices=["single", "star", "none"],
                   help="groups, as by shgroup --link; the least id by bytes stays [verified pairs: star, else single]")
    p.add_argument("--partitions", type=int, default=0, metavar="N",
                   help="parts of each shuffle [four for each processor]")
    p.add_argument("--split", type=int, default=100000, metavar="N",
                   help="deal a key with more records than this to several tasks [100000]; 0: never")
    p.add_argument("--bin", default="", metavar="DIR",
                   help="folder of the programs on each worker [they are in its PATH]")
    p.add_argument("--ship", default="", metavar="DIR",
                   help="send the programs in this folder of the driver to the workers")
    a = p.parse_args(argv)
    for program in PROGRAMS:
        text = getattr(a, program)
        try:
            setattr(a, program, None if text is None else shcluster.options(program, text))
        except ValueError as e:
            p.error(str(e))
    if "--collapse" in a.shjoin:
        p.error("--shjoin=--collapse: say --collapse to shspark.py itself")
    a.link = a.link or ("star" if a.shverify is not None and not a.collapse else "single")  # as shgroup
    if a.link == "star" and a.collapse:
        p.error("--link star needs all pairs, and --collapse leaves out some")
    if a.keys and (a.fingerprints or a.collapse or a.shband or a.shjoin):
        p.error("--keys takes documents, and no --collapse, --shband and --shjoin")
    others = a.fingerprints or a.keys or a.collapse or a.shverify is not None or a.shfp or a.shband or a.shjoin
    if a.passages and others:
        p.error("--passages takes documents, --shseed and --shspan, and no options of fingerprints")
    if (a.shseed or a.shspan) and not a.passages:
        p.error("--shseed and --shspan need --passages")
    if a.fingerprints and a.shverify is not None:
        p.error("--shverify needs documents, not --fingerprints")
    for path in a.docs:
        if re.search(r"(^|/)(_|\.[^./])[^/]*/*$", path):
            p.error(f"{path}: Spark reads no files or folders whose names begin with _ or .: rename it")
    if a.split < 0 or a.partitions < 0:
        p.error("--split and --partitions take no negative numbers")
    return a


class Programs:
    """Where a worker finds the programs; travels to it."""

    def __init__(self, args):
        self.folder, self.shipped = args.bin, bool(args.ship)

    def command(self, program, words):
        if self.shipped:
            from pyspark import SparkFiles
            return [SparkFiles.get(program)] + words
        return [os.path.join(self.folder, program)] + words


class Job:
    """The steps. RDDs hold lines: bytes without newline."""

    def __init__(self, spark, args):
        from pyspark.accumulators import AccumulatorParam

        class Notes(AccumulatorParam):
            """What filters said, by step and partition: a task that ran twice says it once."""
            def zero(self, value):
                return {}

            def addInPlace(self, a, b):
                a.update(b)
                return a

        self.spark, self.sc, self.args = spark, spark.sparkContext, args
        self.parts = args.partitions or 4 * self.sc.defaultParallelism
        self.programs = Programs(args)
        self.notes = self.sc.accumulator({}, Notes())

    # Spark reads and writes text as UTF-8, ends lines at CR, and replaces what is ill-formed;
    # columns of bytes stay as they are.

    def read(self, paths):
        from pyspark.sql.functions import col
        frame = self.spark.read.option("lineSep", "\n").text(paths)
        return frame.select(col("value").cast("binary")).rdd.map(lambda row: bytes(row[0]))

    def must_be_new(self, path):
        """An error before the work rather than behind it."""
        path = self.sc._jvm.org.apache.hadoop.fs.Path(path)
        if path.getFileSystem(self.sc._jsc.hadoopConfiguration()).exists(path):
            raise FileExistsError(f"{path} is there already")

    def write(self, lines, path):
        from pyspark.sql.functions import col
        frame = self.spark.createDataFrame(lines.map(lambda line: (bytearray(line),)), "value binary")
        frame.select(col("value").cast("string")).write.option("lineSep", "\n").text(path)

    def step(self, lines, program, words, body):
        """Run body(lines, command, note) on each partition that has any lines.

        This is RDD.pipe with checkCode, but for three things that it lacks: it holds bytes; it passes
        the filter's message on; and an error before it in the same task ends it, where RDD.pipe
        leaves the filter waiting for the end of its input."""
        programs, notes = self.programs, self.notes

        def part(number, iterator):
            first = next(iterator, None)
            if first is None:
                return
            import itertools
            said = []
            try:
                yield from body(itertools.chain([first], iterator), programs.command(program, words), said.append)
            except (shcluster.FilterError, OSError) as e:
                raise shcluster.FilterError(f"<<{program}, partition {number}: {e}>>") from None
            if said:
                notes.add({(program, number): "\n".join(said)})
        return lines.mapPartitionsWithIndex(part, preservesPartitioning=True)

    def pipe(self, lines, program, words):
        return self.step(lines, program, words, lambda i, command, note:
                         shcluster.run_filter(command, i, note))

    def sorted_by(self, lines, key):
        """Shuffle lines so that those of one key(line) meet, in bytewise order."""
        return lines.map(lambda line: (line, None)).repartitionAndSortWithinPartitions(
            self.parts, lambda line: shcluster.stable_hash(key(line))).keys()

    @staticmethod
    def kept(rdd):
        from pyspark import StorageLevel
        return rdd.persist(StorageLevel.DISK_ONLY)

    # ---- pairs ----

    def fingerprints(self, docs):
        return self.step(docs, "shfp", self.args.shfp, lambda i, command, note:
                         shcluster.run_filter(command, shcluster.documents(i), note))

    def hot_keys(self, fps):
        limit = self.args.split
        if not limit:
            return {}
        share = shcluster.sample_share(limit)
        sample = fps.filter(lambda line: shcluster.is_sampled(line, share))
        counts = self.kept(self.pipe(sample, "shband", self.args.shband)
                           .map(lambda line: (shcluster.task_of(line), 1))
                           .reduceByKey(operator.add, self.parts))
        most = counts.filter(lambda kn: shcluster.hot_parts(kn[1], limit, share) > 1).collect()
        hot = {key: shcluster.hot_parts(n, limit, share) for key, n in most}
        if sum(n for _, n in most) * 2 > counts.values().fold(0, operator.add):
            print(f"shspark.py: most records are of keys with more than {limit}: more blocks (shband -M) "
                  "or a greater --split would move less", file=sys.stderr)
        if hot:
            print(f"shspark.py: {len(hot)} keys have more than {limit} records: dealt to "
                  f"{sum(p * (p + 1) // 2 for p in hot.values())} tasks", file=sys.stderr)
        return hot

    def collapsed(self, fps):
        """The first record of each fingerprint, and the pairs of it with its copies."""
        both = self.kept(self.sorted_by(fps, shcluster.task_of).mapPartitions(shcluster.collapse))
        return (both.filter(lambda r: not r[0]).map(lambda r: r[1]),
                both.filter(lambda r: r[0]).map(lambda r: r[1]))

    def join(self, fps):
        hot = self.sc.broadcast(self.hot_keys(fps))
        bands = self.pipe(fps, "shband", self.args.shband)
        records = bands.mapPartitions(lambda lines: shcluster.split(lines, hot.value))
        return self.step(self.sorted_by(records, shcluster.task_of), "shjoin", self.args.shjoin,
                         lambda i, command, note: shcluster.join(i, command, None, note))

    def keyed(self, docs):
        """The pairs of documents that share a key, each once."""
        keys = self.step(docs, "shfp", self.args.shfp + ["--keys=" + self.args.keys], lambda i, command, note:
                         shcluster.run_filter(command, shcluster.documents(i), note))
        pairs = self.pipe(self.sorted_by(keys, shcluster.task_of), "shjoin", ["--keys"])
        return pairs.distinct(self.parts)

    def verify(self, pairs, docs):
        """Each pair goes to a part by its hash, and each document to the parts that have pairs of it."""
        parts = self.parts
        placed = pairs.map(lambda line: (shcluster.stable_hash(line) % parts, line))
        wanted = placed.flatMap(lambda p: [(id, p[0]) for id in p[1].split(b"\t")[:2]]).distinct(parts)
        found = (docs.map(lambda line: (line.split(b"\t", 1)[0], line))
                 .cogroup(wanted, parts).flatMap(lambda group: placed_document(*group)))
        # Documents (0) before pairs (1) in each part.
        mixed = found.map(lambda p: ((p[0], 0), p[1])).union(placed.map(lambda p: ((p[0], 1), p[1])))
        mixed = mixed.repartitionAndSortWithinPartitions(parts, operator.itemgetter(0))
        return self.step(mixed, "shverify", self.args.shverify, verify_part)

    # ---- passages ----

    def passages(self, docs):
        """Spans of each document with earlier ones. Seeds meet by their keys; what a document needs of them goes to
        the part of that document. Its text goes to this part, and to those of later documents that need it."""
        parts = self.parts
        places = (self.pipe(docs, "shseed", self.args.shseed).map(lambda line: (shcluster.seed_place(line), None))
                  .repartitionAndSortWithinPartitions(parts, lambda place: shcluster.stable_hash(place[0])).keys())
        shares = self.kept(places.mapPartitions(shcluster.shares)
                           .map(lambda share: (shcluster.stable_hash(share[0]) % parts, share)))
        wanted = shares.flatMap(lambda s: [(s[1][0], (s[0], 1))] + [(id, (s[0], 0)) for id, _ in s[1][1]])
        found = (docs.map(lambda line: (line.split(b"\t", 1)[0], line))
                 .cogroup(wanted.distinct(parts), parts)
                 .flatMap(lambda group: [((part, kind, group[0]), line) for (part, kind), line
                                         in placed_document(*group, "shspan")]))
        mixed = (found.union(shares.map(lambda s: ((s[0], 2, s[1][0]), s[1])))
                 .repartitionAndSortWithinPartitions(parts, operator.itemgetter(0)))
        return self.step(mixed, "shspan", self.args.shseed + self.args.shspan, spans_part)

    # ---- groups ----

    def stars(self, pairs):
        """Connected components as edges id<TAB>least id."""
        edges, rounds = pairs, 0
        while True:
            moves = self.sc.accumulator(0)
            for ends, star in ((shcluster.both_ways, shcluster.large_star),
                               (shcluster.downward, shcluster.small_star)):
                edges = (self.sorted_by(edges.mapPartitions(ends), shcluster.task_of)
                         .mapPartitions(lambda lines, star=star, moves=moves:
                                        star(lines, lambda: moves.add(1))))
                if star is shcluster.large_star:
                    continue
                edges = self.kept(edges)
                edges.count()
            rounds += 1
            if not moves.value:
                print(f"shspark.py: components in {rounds} rounds", file=sys.stderr)
                return edges

    def group_single(self, pairs):
        return self.stars(pairs).mapPartitions(shcluster.members).distinct(self.parts)

    def group_star(self, pairs):
        def part(both, which):
            return both.filter(lambda r: r[0] is which).map(lambda r: r[1])

        free, taken, rounds = pairs.mapPartitions(shcluster.alive), self.sc.emptyRDD(), 0
        while rounds == 0 or not free.isEmpty():
            rounds += 1
            chosen = self.sorted_by(free, shcluster.task_of).mapPartitions(shcluster.choose)
            marked = self.kept(self.sorted_by(chosen, shcluster.task_of).mapPartitions(shcluster.take))
            taken, free = taken.union(part(marked, True)), part(marked, False)
        print(f"shspark.py: stars in {rounds} rounds", file=sys.stderr)
        both = pairs.mapPartitions(shcluster.both_ways).union(taken)
        marked = self.kept(self.sorted_by(both, shcluster.task_of).mapPartitions(shcluster.keep))
        kept = self.sorted_by(part(marked, False), shcluster.task_of).mapPartitions(shcluster.firsts)
        return part(marked, True).union(kept)

    # ---- all ----

    def near(self, lines):
        """The pairs of near fingerprints."""
        fps = self.kept(lines if self.args.fingerprints else self.fingerprints(lines))
        copies = self.sc.emptyRDD()
        if self.args.collapse:
            fps, copies = self.collapsed(fps)
        return self.join(fps).union(copies)

    def run(self):
        a = self.args
        for kind in ("spans",) if a.passages else ("pairs", "groups"):
            self.must_be_new(os.path.join(a.out, kind))
        lines = self.read(a.docs)
        if a.passages:
            self.write(self.passages(lines), os.path.join(a.out, "spans"))
        else:
            self.pairs_and_groups(lines)
        for (program, number), text in sorted(self.notes.value.items()):
            print(f"shspark.py: {program}, partition {number}: {text}", file=sys.stderr)

    def pairs_and_groups(self, lines):
        a = self.args
        pairs = self.keyed(lines) if a.keys else self.near(lines)
        if a.shverify is not None:
            pairs = self.verify(self.kept(pairs), lines)
        pairs = self.kept(pairs)
        self.write(pairs, os.path.join(a.out, "pairs"))
        if a.link != "none":
            groups = self.group_single(pairs) if a.link == "single" else self.group_star(pairs)
            self.write(groups, os.path.join(a.out, "groups"))


def spans_part(mixed, command, note):
    """shspan on a part: its documents come first, then its shares of seeds."""
    yield from shcluster.spans_of_part((((b"s", b"t", b"")[kind], record) for (_, kind, _), record in mixed),
                                       command, None, note)


def placed_document(id, found, program="shverify"):
    """(part, document) for each part that wants it. The order of several documents
    is not known here, so the one that counts on one machine is not known, either."""
    documents, wanted = set(found[0]), list(found[1])
    if wanted and len(documents) > 1:
        raise shcluster.FilterError(f"<<{program}: {len(documents)} documents have the id {id!r}: "
                                    "make ids distinct>>")
    return [(part, line) for line in documents for part in wanted]


def verify_part(mixed, command, note):
    """shverify on a part: its documents come first, and go to a file."""
    import itertools
    import tempfile
    with tempfile.NamedTemporaryFile() as docs:
        for (_, kind), line in mixed:
            if kind == 1:
                mixed = itertools.chain([((_, kind), line)], mixed)
                break
            docs.write(line + b"\n")
        else:
            return
        docs.flush()
        yield from shcluster.run_filter(command + ["-d", docs.name],
                                        (line for _, line in mixed), note)


def ship(sc, args):
    if SHCLUSTER:
        sc.addPyFile(SHCLUSTER)
    if args.ship:
        for path in shcluster.shipped(args.ship, PROGRAMS):
            sc.addFile(path)


def message_of(error):
    """The filter's words in the error that Spark made of them, or all of it."""
    found = re.search(r"FilterError: <<(.*?)>>", str(error), re.DOTALL)
    return found.group(1) if found else str(error)


def main(argv):
    args = arguments(argv)
    from pyspark.sql import SparkSession
    spark = SparkSession.builder.appName("simhash-utils").getOrCreate()
    trouble = None
    try:
        ship(spark.sparkContext, args)
        Job(spark, args).run()
    except Exception as e:  # whatever Spark or a filter met
        trouble = message_of(e)
    finally:
        spark.stop()
    if trouble:
        print(f"shspark.py: {trouble}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
