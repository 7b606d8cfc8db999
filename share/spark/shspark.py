#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Find near-duplicates on a Spark cluster with the filters of one machine.

    spark-submit --master URL share/spark/shspark.py [options] DOCS... OUT

--deploy-mode cluster also needs --py-files share/cluster/shcluster.py.

OUT/pairs and OUT/groups, when sorted, equal the sorted output of this pipe on one machine:

    LC_ALL=C sort -t "$(printf '\\t')" -k 1,1 DOCS | shfp --keys | LC_ALL=C sort -s -k1,1 | shjoin | sort -u |
        shverify -d DOCS >pairs; shgroup pairs >groups

The documents are sorted there, because a cluster knows no order of its input: where a key has more documents than may
meet, the ids decide which do. With --bands the pipe is

    shfp DOCS | shband | LC_ALL=C sort | shjoin | shverify -d DOCS >pairs; shgroup pairs >groups

With --passages, OUT/spans has the passages that documents share. It equals the output of this pipe, which puts
the documents into the order of their ids:

    LC_ALL=C sort -t "$(printf '\\t')" -k 1,1 DOCS | shspan >spans

Messages are written to standard error. spark-submit copies them to its standard output.
"""

import argparse
import operator
import os
import re
import sys

try:
    import shcluster  # from --py-files
    SHCLUSTER = None
except ImportError:  # from the source tree; ship() sends it to the workers
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
                   help="documents, id<TAB>text, in files that all workers can read")
    p.add_argument("out", metavar="OUT", help="folder of pairs and groups; must not have them yet")
    p.add_argument("--fingerprints", action="store_true", help="DOCS are fingerprints, as shfp writes them")
    for program in PROGRAMS:
        p.add_argument("--" + program, metavar="OPTIONS", default=None if program == "shverify" else "",
                       help=f"options of {program}, as one argument: --{program}='...'" +
                            ("; with --bands pairs are verified only if given" if program == "shverify" else ""))
    p.add_argument("--keys", default="", metavar="KxR",
                   help="take K keys of R minwise values, for example 16x4 [as shfp --keys, by its -T]")
    p.add_argument("--bands", action="store_true",
                   help="candidates are near fingerprints (shband), not documents that share a key; implied by "
                        "--fingerprints, --collapse, --shband and --shjoin")
    p.add_argument("--passages", action="store_true",
                   help="write the passages that documents share (shseed, shspan --first), no pairs or groups")
    p.add_argument("--collapse", action="store_true",
                   help="pair identical fingerprints with the first of them only, as shjoin --collapse")
    p.add_argument("--link", choices=["single", "star", "none"],
                   help="form groups as shgroup --link; keepers are the least ids by bytes "
                        "[verified pairs: star, else single]")
    p.add_argument("--partitions", type=int, default=0, metavar="N",
                   help="partitions of each shuffle [four for each processor]")
    p.add_argument("--split", type=int, default=100000, metavar="N",
                   help="split a key with more than N records among several tasks [100000]; 0: never")
    p.add_argument("--bin", default="", metavar="DIR",
                   help="folder of the programs on each worker [a folder of PATH]")
    p.add_argument("--ship", default="", metavar="DIR",
                   help="send the programs in DIR on the driver to the workers")
    a = p.parse_args(argv)
    for program in PROGRAMS:
        text = getattr(a, program)
        try:
            setattr(a, program, None if text is None else shcluster.options(program, text))
        except ValueError as e:
            p.error(str(e))
    if "--collapse" in a.shjoin:
        p.error("--shjoin=--collapse: use --collapse of shspark.py instead")
    a.bands = bool(a.bands or a.fingerprints or a.collapse or a.shband or a.shjoin)
    if a.keys and a.bands:
        p.error("--keys cannot be used with --bands, --fingerprints, --collapse, --shband or --shjoin")
    others = a.bands or a.keys or a.shverify is not None or a.shfp
    if not a.bands and a.shverify is None:
        a.shverify = []  # documents that share a key are candidates only
    a.link = a.link or ("star" if a.shverify is not None and not a.collapse else "single")  # as shgroup
    if a.link == "star" and a.collapse:
        p.error("--link star cannot be used with --collapse, which omits pairs")
    if a.passages and others:
        p.error("--passages cannot be used with --fingerprints, --keys, --bands, --collapse, --shverify, --shfp, "
                "--shband or --shjoin")
    if (a.shseed or a.shspan) and not a.passages:
        p.error("--shseed and --shspan need --passages")
    if a.fingerprints and a.shverify is not None:
        p.error("--shverify cannot be used with --fingerprints: it reads documents")
    for path in a.docs:
        if re.search(r"(^|/)(_|\.[^./])[^/]*/*$", path):
            p.error(f"{path}: Spark reads no files or folders whose names begin with _ or .: rename it")
    if a.split < 0 or a.partitions < 0:
        p.error("--split and --partitions must not be negative")
    return a


class Programs:
    """Where a worker finds the programs. Spark sends the object to the workers."""

    def __init__(self, args):
        self.folder, self.shipped = args.bin, bool(args.ship)

    def command(self, program, words):
        if self.shipped:
            from pyspark import SparkFiles
            return [SparkFiles.get(program)] + words
        return [os.path.join(self.folder, program)] + words


class Job:
    """The steps of the job. An RDD holds lines, which are bytes without newlines."""

    def __init__(self, spark, args):
        from pyspark.accumulators import AccumulatorParam

        class Notes(AccumulatorParam):
            """The messages of filters, by program and partition. A task that ran twice has one entry."""
            def zero(self, value):
                return {}

            def addInPlace(self, a, b):
                a.update(b)
                return a

        self.spark, self.sc, self.args = spark, spark.sparkContext, args
        self.partitions = args.partitions or 4 * self.sc.defaultParallelism
        self.programs = Programs(args)
        self.notes = self.sc.accumulator({}, Notes())

    # Spark reads and writes text as UTF-8, ends lines at CR, and replaces ill-formed bytes. It does not change
    # columns of bytes.

    def read(self, paths):
        from pyspark.sql.functions import col
        frame = self.spark.read.option("lineSep", "\n").text(paths)
        return frame.select(col("value").cast("binary")).rdd.map(lambda row: bytes(row[0]))

    def must_be_new(self, path):
        """Raises FileExistsError before the first step if the path exists."""
        path = self.sc._jvm.org.apache.hadoop.fs.Path(path)
        if path.getFileSystem(self.sc._jsc.hadoopConfiguration()).exists(path):
            raise FileExistsError(f"{path}: exists already; expected a new folder")

    def write(self, lines, path):
        from pyspark.sql.functions import col
        frame = self.spark.createDataFrame(lines.map(lambda line: (bytearray(line),)), "value binary")
        frame.select(col("value").cast("string")).write.option("lineSep", "\n").text(path)

    def step(self, lines, program, words, body):
        """Runs body(lines, command, note) on each partition that has lines.

        RDD.pipe with checkCode does not suffice, for three reasons. It changes bytes that are not UTF-8. Its error
        lacks the filter's message. After an error of an earlier step of the same task, its filter waits for the end
        of the input."""
        programs, notes = self.programs, self.notes

        def run_partition(number, iterator):
            first = next(iterator, None)
            if first is None:
                return
            import itertools
            messages = []
            try:
                yield from body(itertools.chain([first], iterator), programs.command(program, words),
                                messages.append)
            except (shcluster.FilterError, OSError) as e:
                raise shcluster.FilterError(f"<<{program}, partition {number}: {e}>>") from None
            if messages:
                notes.add({(program, number): "\n".join(messages)})
        return lines.mapPartitionsWithIndex(run_partition, preservesPartitioning=True)

    def pipe(self, lines, program, words):
        return self.step(lines, program, words, lambda i, command, note:
                         shcluster.run_filter(command, i, note))

    def sorted_by(self, lines, key):
        """Shuffles the lines: lines with equal key(line) go to one partition, sorted by bytes."""
        return lines.map(lambda line: (line, None)).repartitionAndSortWithinPartitions(
            self.partitions, lambda line: shcluster.stable_hash(key(line))).keys()

    @staticmethod
    def on_disk(rdd):
        """Stores an RDD that is read several times."""
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
        counts = self.on_disk(self.pipe(sample, "shband", self.args.shband)
                           .map(lambda line: (shcluster.first_field(line), 1))
                           .reduceByKey(operator.add, self.partitions))
        hot_counts = counts.filter(lambda kn: shcluster.fragments_of(kn[1], limit, share) > 1).collect()
        hot = {key: shcluster.fragments_of(n, limit, share) for key, n in hot_counts}
        if sum(n for _, n in hot_counts) * 2 > counts.values().fold(0, operator.add):
            print(f"shspark.py: keys with more than {limit} records have most of the records: use more blocks "
                  "(shband -M) or a larger --split to move less data", file=sys.stderr)
        if hot:
            print(f"shspark.py: {len(hot)} keys have more than {limit} records: split among "
                  f"{sum(p * (p + 1) // 2 for p in hot.values())} tasks", file=sys.stderr)
        return hot

    def collapsed(self, fps):
        """The first record of each fingerprint, and its pairs with the other records of the fingerprint."""
        both = self.on_disk(self.sorted_by(fps, shcluster.first_field).mapPartitions(shcluster.collapse))
        return (both.filter(lambda r: not r[0]).map(lambda r: r[1]),
                both.filter(lambda r: r[0]).map(lambda r: r[1]))

    def join(self, fps):
        hot = self.sc.broadcast(self.hot_keys(fps))
        bands = self.pipe(fps, "shband", self.args.shband)
        records = bands.mapPartitions(lambda lines: shcluster.split(lines, hot.value))
        return self.step(self.sorted_by(records, shcluster.first_field), "shjoin", self.args.shjoin,
                         lambda i, command, note: shcluster.join(i, command, None, note))

    def keyed(self, docs):
        """The pairs of documents that share a key, each once."""
        words = self.args.shfp + ["--keys=" + self.args.keys if self.args.keys else "--keys"]
        keys = self.step(docs, "shfp", words, lambda i, command, note:
                         shcluster.run_filter(command, shcluster.documents(i), note))
        pairs = self.pipe(self.sorted_by(keys, shcluster.bucket), "shjoin", [])
        return pairs.distinct(self.partitions)

    def verify(self, pairs, docs):
        """The verified pairs. A pair goes to a partition by its hash. A document goes to each partition that has a
        pair of the document."""
        partitions = self.partitions
        placed = pairs.map(lambda line: (shcluster.stable_hash(line) % partitions, line))
        wanted = placed.flatMap(lambda p: [(id, p[0]) for id in p[1].split(b"\t")[:2]]).distinct(partitions)
        found = (docs.map(lambda line: (line.split(b"\t", 1)[0], line))
                 .cogroup(wanted, partitions).flatMap(lambda group: placed_document(*group)))
        # In each partition documents (0) come before pairs (1).
        mixed = found.map(lambda p: ((p[0], 0), p[1])).union(placed.map(lambda p: ((p[0], 1), p[1])))
        mixed = mixed.repartitionAndSortWithinPartitions(partitions, operator.itemgetter(0))
        return self.step(mixed, "shverify", self.args.shverify, verify_partition)

    # ---- passages ----

    def passages(self, docs):
        """The spans of each document with earlier documents. Postings of a seed go to one partition. A document's
        comparisons go to the partition of the document. Its text goes to that partition, and to the partitions
        of the later documents that are compared with it."""
        partitions = self.partitions
        postings = (self.pipe(docs, "shseed", self.args.shseed).map(lambda line: (shcluster.posting_of(line), None))
                    .repartitionAndSortWithinPartitions(partitions, lambda p: shcluster.stable_hash(p[0])).keys())
        placed = self.on_disk(postings.mapPartitions(shcluster.comparisons)
                              .map(lambda c: (shcluster.stable_hash(c[0]) % partitions, c)))
        # In each partition earlier documents (0) come before its own documents (1) and the comparisons (2).
        wanted = placed.flatMap(lambda p: [(p[1][0], (p[0], 1))] + [(id, (p[0], 0)) for id, _ in p[1][1]])
        found = (docs.map(lambda line: (line.split(b"\t", 1)[0], line))
                 .cogroup(wanted.distinct(partitions), partitions)
                 .flatMap(lambda group: [((number, kind, group[0]), line) for (number, kind), line
                                         in placed_document(*group, "shspan")]))
        mixed = (found.union(placed.map(lambda p: ((p[0], 2, p[1][0]), p[1])))
                 .repartitionAndSortWithinPartitions(partitions, operator.itemgetter(0)))
        return self.step(mixed, "shspan", self.args.shseed + self.args.shspan, spans_partition)

    # ---- groups ----

    def components(self, pairs):
        """The connected components as edges id<TAB>least id."""
        edges, rounds = pairs, 0
        while True:
            moves = self.sc.accumulator(0)
            for ends, star in ((shcluster.both_ways, shcluster.large_star),
                               (shcluster.downward, shcluster.small_star)):
                edges = (self.sorted_by(edges.mapPartitions(ends), shcluster.first_field)
                         .mapPartitions(lambda lines, star=star, moves=moves:
                                        star(lines, lambda: moves.add(1))))
                if star is shcluster.large_star:
                    continue
                edges = self.on_disk(edges)
                edges.count()
            rounds += 1
            if not moves.value:
                print(f"shspark.py: components in {rounds} rounds", file=sys.stderr)
                return edges

    def group_single(self, pairs):
        return self.components(pairs).mapPartitions(shcluster.members).distinct(self.partitions)

    def group_star(self, pairs):
        def flagged(rdd, flag):
            return rdd.filter(lambda r: r[0] is flag).map(lambda r: r[1])

        remaining, removed, rounds = pairs.mapPartitions(shcluster.remaining), self.sc.emptyRDD(), 0
        while rounds == 0 or not remaining.isEmpty():
            rounds += 1
            selected = self.sorted_by(remaining, shcluster.first_field).mapPartitions(shcluster.select_keepers)
            result = self.on_disk(self.sorted_by(selected, shcluster.first_field)
                                  .mapPartitions(shcluster.remove_neighbours))
            removed, remaining = removed.union(flagged(result, True)), flagged(result, False)
        print(f"shspark.py: stars in {rounds} rounds", file=sys.stderr)
        lines = pairs.mapPartitions(shcluster.both_ways).union(removed)
        result = self.on_disk(self.sorted_by(lines, shcluster.first_field).mapPartitions(shcluster.propose_keepers))
        duplicates = (self.sorted_by(flagged(result, False), shcluster.first_field)
                      .mapPartitions(shcluster.least_keepers))
        return flagged(result, True).union(duplicates)

    # ---- the job ----

    def near(self, lines):
        """The pairs of near fingerprints."""
        fps = self.on_disk(lines if self.args.fingerprints else self.fingerprints(lines))
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
        pairs = self.near(lines) if a.bands else self.keyed(lines)
        if a.shverify is not None:
            pairs = self.verify(self.on_disk(pairs), lines)
        pairs = self.on_disk(pairs)
        self.write(pairs, os.path.join(a.out, "pairs"))
        if a.link != "none":
            groups = self.group_single(pairs) if a.link == "single" else self.group_star(pairs)
            self.write(groups, os.path.join(a.out, "groups"))


def spans_partition(mixed, command, note):
    """Runs shspan on a partition: its documents come first, then its comparisons."""
    yield from shcluster.spans_of_partition((((b"s", b"t", b"")[kind], record) for (_, kind, _), record in mixed),
                                            command, None, note)


def placed_document(id, found, program="shverify"):
    """[(partition, document)] for each partition that wants the document. Raises FilterError for several documents of
    one id. On one machine their order decides which of them is used, and the order is not known here."""
    documents, wanted = set(found[0]), list(found[1])
    if wanted and len(documents) > 1:
        raise shcluster.FilterError(f"<<{program}: {len(documents)} documents have the id {id!r}: "
                                    "make ids distinct>>")
    return [(number, line) for line in documents for number in wanted]


def verify_partition(mixed, command, note):
    """Runs shverify on a partition: its documents come first, and are written to a file."""
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
        for path in shcluster.files_to_ship(args.ship, PROGRAMS):
            sc.addFile(path)


def message_of(error):
    """The filter's message in an error of Spark, or the whole error if it has no such message."""
    found = re.search(r"FilterError: <<(.*?)>>", str(error), re.DOTALL)
    return found.group(1) if found else str(error)


def main(argv):
    args = arguments(argv)
    from pyspark.sql import SparkSession
    spark = SparkSession.builder.appName("simhash-utils").getOrCreate()
    message = None
    try:
        ship(spark.sparkContext, args)
        Job(spark, args).run()
    except Exception as e:  # an error of Spark, or of a filter
        message = message_of(e)
    finally:
        spark.stop()
    if message:
        print(f"shspark.py: {message}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
