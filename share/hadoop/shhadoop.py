#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Find near-duplicates by Hadoop Streaming with the filters of one machine.

    shhadoop.py [options] DOCS... OUT

OUT/pairs and OUT/groups, when sorted, equal the sorted output of this pipe on one machine:

    LC_ALL=C sort -t "$(printf '\\t')" -k 1,1 DOCS | shfp --keys | LC_ALL=C sort -s -k1,1 | shjoin |
        sort -u >pairs; shgroup pairs >groups

The documents are sorted there, because a cluster knows no order of its input: where a key has more documents than may
meet, the ids decide which do. With --bands the pipe is

    shfp DOCS | shband | LC_ALL=C sort | shjoin >pairs; shgroup pairs >groups

Documents that share a key are candidates: shverify decides. So groups of them are formed only with --link.

HADOOP_STREAMING is the command that runs a streaming job. HADOOP_FS is the command that works on files:
    HADOOP_STREAMING='hadoop jar .../hadoop-streaming.jar' HADOOP_FS='hadoop fs'
"""

import argparse
import os
import re
import shlex
import subprocess
import sys
import tempfile

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cluster"))
import shcluster

PROGRAMS = ["shfp", "shband", "shjoin"]
LOGIC = "python3 shcluster.py "


class JobError(RuntimeError):
    pass


def arguments(argv):
    p = argparse.ArgumentParser(
        prog="shhadoop.py", formatter_class=argparse.RawDescriptionHelpFormatter,
        description=__doc__.split("\n", 1)[0], usage="shhadoop.py [options] DOCS... OUT",
        epilog=__doc__[__doc__.index("HADOOP_STREAMING"):])
    p.add_argument("docs", nargs="+", metavar="DOCS", help="documents, id<TAB>text")
    p.add_argument("out", metavar="OUT", help="folder of the results; must not exist")
    p.add_argument("--fingerprints", action="store_true", help="DOCS are fingerprints, as shfp writes them")
    for program in PROGRAMS:
        p.add_argument("--" + program, metavar="OPTIONS", default="",
                       help=f"options of {program}, as one argument: --{program}='...'")
    p.add_argument("--keys", default="", metavar="KxR",
                   help="take K keys of R minwise values, for example 16x4 [as shfp --keys, by its -T]")
    p.add_argument("--bands", action="store_true",
                   help="candidates are near fingerprints (shband), not documents that share a key; implied by "
                        "--fingerprints, --shband and --shjoin")
    p.add_argument("--link", choices=["single", "none"],
                   help="form groups as shgroup --link; keepers are the least ids by bytes "
                        "[with --bands: single, else none]")
    p.add_argument("--reducers", type=int, default=4, metavar="N", help="partitions of each shuffle [4]")
    p.add_argument("--split", type=int, default=100000, metavar="N",
                   help="split a key with more than N records among several tasks [100000]; 0: never")
    p.add_argument("--bin", default="", metavar="DIR",
                   help="folder of the programs on each node [a folder of PATH]")
    p.add_argument("--ship", default="", metavar="DIR", help="send the programs in DIR with the job")
    p.add_argument("-D", action="append", default=[], metavar="NAME=VALUE", dest="settings",
                   help="set a property of all jobs; may be repeated")
    a = p.parse_args(argv)
    for program in PROGRAMS:
        try:
            setattr(a, program, shcluster.options(program, getattr(a, program)))
        except ValueError as e:
            p.error(str(e))
    a.bands = bool(a.bands or a.fingerprints or a.shband or a.shjoin)
    if a.keys and a.bands:
        p.error("--keys cannot be used with --bands, --fingerprints, --shband or --shjoin")
    a.link = a.link or ("single" if a.bands else "none")
    if "--collapse" in a.shjoin and a.split:
        p.error("--shjoin=--collapse needs all records of a key in one task: add --split 0")
    if a.split < 0 or a.reducers < 1:
        p.error("--split must not be negative, and --reducers must be at least 1")
    return a


class Jobs:
    def __init__(self, args, folder):
        self.args, self.folder, self.number = args, folder, 0
        self.streaming = shlex.split(os.environ.get("HADOOP_STREAMING", ""))
        self.fs = shlex.split(os.environ.get("HADOOP_FS", "hadoop fs"))
        if not self.streaming:
            raise JobError("HADOOP_STREAMING is not set: set it to 'hadoop jar .../hadoop-streaming.jar'")

    def program(self, name):
        """The shell command of a filter with its options."""
        where = "./" if self.args.ship else os.path.join(self.args.bin, "")
        return shlex.join([where + name] + getattr(self.args, name))

    def script(self, kind, command):
        """Writes the script of a task, and returns its name. The task fails when a command of its pipe fails."""
        name = f"{kind}{self.number}.sh"
        with open(os.path.join(self.folder, name), "wb") as f:
            f.write(os.fsencode(f"set -o pipefail\nexport LC_ALL=C\n{command}\n"))  # keeps the bytes of arguments
        return name

    def files(self, scripts, extra):
        names = [os.path.join(self.folder, s) for s in scripts] + [os.path.abspath(shcluster.__file__)]
        if self.args.ship:
            names += shcluster.files_to_ship(self.args.ship, PROGRAMS)
        return ",".join(names + extra)

    def command(self, inputs, output, mapper, reducer=None, combiner=None, sorted_fields=1, part="-k1,1", extra=()):
        """The words of a job's command. The mapper's output is partitioned by `part`, by default its first field, and
        sorted by its first `sorted_fields` fields."""
        self.number += 1
        scripts = {kind: self.script(kind, text) for kind, text in
                   (("map", mapper), ("combine", combiner), ("reduce", reducer)) if text}
        settings = ["textinputformat.record.delimiter=\n",  # by default CR ends a line, too
                    f"mapreduce.job.name=simhash-utils {os.path.basename(output)}",
                    f"mapreduce.job.reduces={self.args.reducers if reducer else 0}",
                    f"stream.num.map.output.key.fields={sorted_fields}",
                    f"mapreduce.partition.keypartitioner.options={part}"] + self.args.settings
        words = list(self.streaming)
        for setting in settings:
            words += ["-D", setting]
        words += ["-files", self.files(scripts.values(), list(extra))]
        for path in inputs:
            words += ["-input", path]
        words += ["-output", output, "-mapper", "bash " + scripts["map"]]
        if combiner:
            words += ["-combiner", "bash " + scripts["combine"]]
        if reducer:
            words += ["-reducer", "bash " + scripts["reduce"],
                      "-partitioner", "org.apache.hadoop.mapred.lib.KeyFieldBasedPartitioner"]
        return words

    def run(self, *job, **more):
        """Runs a job. Prints and returns the client's messages, which have the counters."""
        words = self.command(*job, **more)
        with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as client:
            messages = []
            for line in client.stdout:
                messages.append(line.decode("utf-8", "replace"))
                if not messages[-1].startswith("reporter:"):
                    sys.stderr.write(messages[-1])
        if client.returncode:
            raise JobError(f"the job for {words[words.index('-output') + 1]} failed")
        return "".join(messages)

    def remove(self, paths):
        subprocess.run(self.fs + ["-rm", "-r", "-skipTrash"] + paths, stdout=subprocess.DEVNULL, check=True)

    def read(self, path):
        return subprocess.run(self.fs + ["-cat", path + "/part-*"], stdout=subprocess.PIPE,
                              check=True).stdout


def moves(log):
    """Whether the tasks counted moves, by the client's messages."""
    if "Counters:" not in log:
        raise JobError("Hadoop's client printed no counters: set its log level to INFO")
    return re.search(r"^\s*moves=[1-9]", log, re.MULTILINE) is not None


def keyed_pairs(jobs, args):
    """Writes the pairs of documents that share a key. The second job drops repeated pairs."""
    keys = f"{jobs.program('shfp')} {shlex.quote('--keys=' + args.keys) if args.keys else '--keys'}"
    # A bucket is the records whose keys have the same first 11 of 12 characters.
    jobs.run(args.docs, args.out + "/shared", f"{LOGIC}documents | {keys}",
             f"{LOGIC}pipe {jobs.program('shjoin')}", sorted_fields=2, part="-k1.1,1.11")
    jobs.run([args.out + "/shared"], args.out + "/pairs", "cat", LOGIC + "distinct", sorted_fields=3)
    jobs.remove([args.out + "/shared"])


def pairs(jobs, args):
    if not args.bands:
        return keyed_pairs(jobs, args)
    out, inputs = args.out, args.docs
    if not args.fingerprints:
        jobs.run(inputs, out + "/fingerprints", f"{LOGIC}documents | {jobs.program('shfp')}")
        inputs = [out + "/fingerprints"]
    hot = os.path.join(jobs.folder, "hot.tsv")
    with open(hot, "wb") as f:
        if args.split:
            share = shcluster.sample_share(args.split)
            jobs.run(inputs, out + "/hot",
                     f"{LOGIC}sample {share} | {jobs.program('shband')} | cut -f 1",
                     f"{LOGIC}count | {LOGIC}hot {args.split} {share}", LOGIC + "count")
            f.write(jobs.read(out + "/hot"))
    jobs.run(inputs, out + "/pairs", f"{jobs.program('shband')} | {LOGIC}split hot.tsv",
             f"{LOGIC}join {jobs.program('shjoin')}", sorted_fields=3, extra=[hot])


def groups(jobs, args):
    edges, rounds, moved = args.out + "/pairs", 0, True
    while moved:
        rounds += 1
        moved = False
        for which, ends in (("large", "both"), ("small", "down")):
            into = f"{args.out}/{which}{rounds}"
            log = jobs.run([edges], into, f"{LOGIC}edges {ends}", f"{LOGIC}star {which}", sorted_fields=2)
            moved = moves(log) or moved
            edges = into
    jobs.run([edges], args.out + "/groups", LOGIC + "members", LOGIC + "distinct", LOGIC + "distinct",
             sorted_fields=2)
    jobs.remove([f"{args.out}/{which}{n + 1}" for n in range(rounds) for which in ("large", "small")])


def main(argv):
    args = arguments(argv)
    try:
        with tempfile.TemporaryDirectory(prefix="shhadoop.") as folder:
            jobs = Jobs(args, folder)
            pairs(jobs, args)
            if args.link == "single":
                groups(jobs, args)
    except (JobError, OSError, subprocess.CalledProcessError) as e:
        print(f"shhadoop.py: {e}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
