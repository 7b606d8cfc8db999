#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Steps of the jobs on Spark and Hadoop, which run the filters of this package.

shspark.py imports this module. Hadoop Streaming runs it as a filter:

    shcluster.py documents         copy documents; refuse features
    shcluster.py sample SHARE      copy about this share of the fingerprints
    shcluster.py count             sum sorted lines key[<TAB>count] by key
    shcluster.py hot LIMIT SHARE   write the hot keys among the counts of a sample, and their numbers of fragments
    shcluster.py split HOT         send the bands of hot keys to several tasks
    shcluster.py join SHJOIN...    run shjoin on the records of each task, and write pairs
    shcluster.py pipe PROGRAM...   run PROGRAM on the records
    shcluster.py edges both|down   write the lines of a star step: each pair from both ids, or from the greater id
    shcluster.py star large|small  run a star step on sorted lines, and write edges
    shcluster.py members           write id<TAB>keeper from the edges of stars; keepers repeat
    shcluster.py distinct          drop the repeated lines of sorted input

Records are lines of bytes without newlines. Ids are compared by bytes, and need not be UTF-8.
The module needs Python 3.8 or newer, and no engine.
"""

import getopt
import itertools
import os
import re
import shlex
import subprocess
import sys
import tempfile
import threading
import zlib


class FilterError(RuntimeError):
    """A filter failed, or did not read all of its input. The text is the filter's message."""


# ---- filters ---------------------------------------------------------------------------------

# The options of each filter that work on a part of the input, in the form of getopt. The other options read
# or write a file besides the pipe, or end the filter at once.
OPTIONS = {
    "shfp": ("b:H:w:x:T:p:n:u:j:",
             "bits= hash= threshold= measure= weight= seed= format= empty= profile= ngram= unit= segment= dict= split= "
             "stem= stop= min-chars= keep-words= no-fold mask-digits fold-marks join-hyphens raw strict bare jobs= "
             "crlf"),
    "shband": ("k:M:b:j:", "distance= blocks= bits= jobs= crlf"),
    "shjoin": ("k:S:j:", "distance= collapse memory= tmpdir= jobs= crlf"),
    "shverify": ("T:w:S:p:n:u:j:",
                 "measure= threshold= weight= memory= tmpdir= profile= ngram= unit= segment= dict= split= stem= "
                 "stop= min-chars= keep-words= no-fold mask-digits fold-marks join-hyphens raw strict jobs= crlf"),
    "shseed": ("p:n:u:j:",
               "window= profile= ngram= unit= segment= dict= split= stem= stop= min-chars= keep-words= no-fold "
               "mask-digits fold-marks join-hyphens raw strict jobs= crlf"),
    # The options of shseed are passed to shspan, too.
    "shspan": ("S:", "min-tokens= identity= merge= memory= tmpdir="),
}


def files_to_ship(folder, programs):
    """The paths of the programs in a folder, and of jieba's dictionary if the folder has it. The programs look for
    the dictionary in their own folder."""
    paths = [os.path.abspath(os.path.join(folder, name)) for name in programs]
    dictionary = os.path.abspath(os.path.join(folder, "jieba.dict"))
    return paths + [dictionary] if os.path.exists(dictionary) else paths


def options(program, text):
    """Splits a filter's options into words as a shell does, and completes abbreviated names. Raises ValueError
    for an operand, and for an option that does not work on a part of the input."""
    letters, names = OPTIONS[program]
    try:
        found, operands = getopt.gnu_getopt(shlex.split(text), letters, names.split())
    except getopt.GetoptError as e:
        raise ValueError(f"{program}: {e.msg} (some options cannot be used on a cluster, where each task reads only "
                         "a part of the input)") from None
    if operands:
        raise ValueError(f"{program} {operands[0]}: expected options only: each task would read this file and not its "
                         "part of the input")
    words = []
    for name, value in found:
        if not name.startswith("--"):
            words += [name, value]
        else:
            words.append(f"{name}={value}" if name[2:] + "=" in names.split() else name)
    return words


def documents(lines):
    """Yields the lines, which are documents. Raises FilterError for features, which shfp accepts, too. The features
    of one document may be in several tasks, and each task would compute a fingerprint of the document."""
    lines = iter(lines)
    for first in lines:
        if re.fullmatch(rb"[^\t]*\t[^\t]*\t[-+.]?[0-9][^\t]*", first):
            raise FilterError("shfp: the input is features (three fields, the last a number), expected documents: "
                              "a task may read only some of a document's features. Run shfp before the job, and "
                              "use --fingerprints")
        yield first
        yield from lines


def run_filter(command, lines, note=None):
    """Yields the output lines of a command whose input is `lines`. Raises FilterError with the command's
    messages when the command fails; otherwise passes its messages to note(text).

    An exception of `lines` kills the command and is raised again, so that the command never takes an input
    that broke off for a complete one.
    """
    with tempfile.TemporaryFile() as messages:
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   stderr=messages, bufsize=1 << 16,
                                   env={**os.environ, "LC_ALL": "C"})
        input_errors = []

        def feed():
            try:
                for line in lines:
                    process.stdin.write(line)
                    process.stdin.write(b"\n")
                process.stdin.close()
            except BaseException as e:  # raised again below, in the thread that reads
                input_errors.append(e)
                if not isinstance(e, BrokenPipeError):
                    process.kill()
                try:
                    process.stdin.close()
                except OSError:
                    pass

        feeder = threading.Thread(target=feed, daemon=True)
        feeder.start()
        try:
            for line in process.stdout:
                yield line[:-1] if line.endswith(b"\n") else line
            feeder.join()
            status = process.wait()
        finally:
            process.kill()
            feeder.join()
            process.wait()
            process.stdout.close()
        messages.seek(0)
        text = messages.read().decode("utf-8", "replace").strip()
        if input_errors and not isinstance(input_errors[0], BrokenPipeError):
            raise input_errors[0]
        if status:
            raise FilterError(text or f"{command[0]}: ended with status {status} and no message")
        if input_errors:
            raise FilterError(f"{command[0]}: did not read all of its input. {text}")
        if text and note:
            note(text)


# ---- hot keys --------------------------------------------------------------------------------
#
# A key with n records means n^2 / 2 comparisons in one task, and sorting sends all of them to that task. So
# the records of a hot key are divided into p fragments by a hash of their ids. Each pair of fragments i <= j is
# a task: p fragments are joined with themselves, and p (p - 1) / 2 pairs of fragments are joined. Two ids meet
# in exactly one task, so each pair is still found once. Each record is sent p times.
#
# The records of a hot key are KEY.I.J<TAB>SIDE FINGERPRINT<TAB>ID. SIDE is < for fragment I and > for fragment
# J. The records of the other keys are their bands.

def is_sampled(line, share):
    """Whether a line is in the sample. The answer depends only on the line."""
    return zlib.crc32(b"sample" + line) < share * 2 ** 32


def sample_share(limit):
    """The sample's share of the records: a key with `limit` records has about 400 of them in the sample."""
    return min(1.0, 400 / limit)


def fragments_of(count, limit, share):
    """The number of fragments of a key with `count` records in the sample; 1 when the key is not hot."""
    return max(1, -(-int(count / share) // limit))


def split(bands, hot):
    """Yields the records for the join. `hot` maps each hot key to its number of fragments: a band of such a key is
    yielded once for each fragment."""
    for line in bands:
        key, rest = line.split(b"\t", 1)
        fragments = hot.get(key)
        if not fragments:
            yield line
            continue
        own = zlib.crc32(rest[rest.index(b"\t") + 1:]) % fragments
        for other in range(fragments):
            yield b"%s.%d.%d\t%s%s" % (key, min(own, other), max(own, other),
                                       b"<" if own <= other else b">", rest)


def bucket(record):
    """The key of a key record without its last character: records with the same bucket go to the same partition."""
    return first_field(record)[:-1]


def first_field(record):
    """The first field: a key, or the name of a task. Records with the same first field go to the same partition."""
    return record[:record.index(b"\t")]


def stable_hash(text):
    """A hash of bytes that is the same in all processes; Python's own hash is not."""
    return zlib.crc32(text)


def band_of(record):
    """The band of a hot key's record: KEY<TAB>FINGERPRINT<TAB>ID."""
    task, rest = record.split(b"\t", 1)
    return task[:task.index(b".")] + b"\t" + rest[1:]


def join_fragments(records, command, folder, note):
    """Yields the pairs of a record with < and a record with >. The lesser id is first, as in a join of one file."""
    with tempfile.NamedTemporaryFile(dir=folder) as left:
        right = iter(())
        for record in records:
            if record[record.index(b"\t") + 1:][:1] == b">":
                right = itertools.chain([record], records)
                break
            left.write(band_of(record) + b"\n")
        left.flush()
        for pair in run_filter(command + [left.name, "-"], map(band_of, right), note):
            a, b, distance = pair.split(b"\t")
            yield pair if a < b else b"%s\t%s\t%s" % (b, a, distance)


def distinct(records):
    """Yields the records that differ from the record before."""
    last = None
    for record in records:
        if record != last:
            yield record
            last = record


def join(records, command, folder=None, note=None):
    """Yields the pairs of records that are sorted by bytes. `command` is shjoin and its options."""
    def hot_task(record):
        task = first_field(record)
        return task if b"." in task else b""

    for task, run in itertools.groupby(records, hot_task):
        if not task:
            yield from run_filter(command, run, note)
        elif len(set(task.split(b".")[1:])) == 1:
            yield from run_filter(command, map(band_of, run), note)
        else:
            yield from join_fragments(distinct(run), command, folder, note)


# ---- passages ----------------------------------------------------------------------------------
#
# A posting is (seed, document, token). shspan --first compares a document with at most four earlier postings of a
# seed: the first one, and the three last ones before the document. These postings and the
# document's own postings suffice for the spans of the document. Their number is bounded for seeds of any frequency.
#
# A comparison is (document, earlier postings, own postings) of one seed. A partition has all comparisons of some
# documents. shspan reads each comparison as a seed with a number of its own, so comparisons stay separate. A
# document has two ids there: t and its id where its spans are wanted, s and its id where it is an earlier document.
# Other partitions write the spans of two s documents.

NEAREST = 3  # FIRST_NEAREST of bin/span_find.c


def posting_of(line):
    """(seed, document, token) of a record of shseed."""
    seed, id, token = line.split(b"\t")[:3]
    return seed, id, int(token)


def compared_postings(earlier):
    """The postings of earlier documents that shspan --first may compare, in their order."""
    return list(earlier) if len(earlier) <= 1 + NEAREST else [earlier[0], *earlier[-NEAREST:]]


def comparisons(postings):
    """Yields (document, [(earlier document, token)...], [token of the document...]) from sorted postings. Holds the
    postings of one seed in memory."""
    for _, run in itertools.groupby(postings, lambda posting: posting[0]):
        earlier = []
        for id, own in itertools.groupby(run, lambda posting: posting[1]):
            tokens = [posting[2] for posting in own]
            if earlier:
                yield id, compared_postings(earlier), tokens
            earlier += [(id, token) for token in tokens]


def seeds_of_comparison(number, comparison):
    """Yields comparison `number` of a partition as lines for shspan --seeds. The byte offsets are 0: shspan does not
    use them."""
    document, earlier, own = comparison
    for prefix, postings in ((b"s", earlier), (b"t", [(document, token) for token in own])):
        for id, token in postings:
            yield b"%016x\t%s%s\t%d\t0\t0" % (number, prefix, id, token)


def spans_of_partition(records, command, folder=None, note=None):
    """Yields the spans of the t documents. `records` are (b"s", document), then (b"t", document), both by id, then
    (b"", comparison). `command` is shspan and its options."""
    records = iter(records)
    with tempfile.NamedTemporaryFile(dir=folder) as docs:
        first = []
        for prefix, record in records:
            if not prefix:
                first.append(record)
                break
            docs.write(prefix + record + b"\n")
        docs.flush()
        everything = itertools.chain(first, (record for _, record in records))
        seeds = (line for number, comparison in enumerate(everything)
                 for line in seeds_of_comparison(number, comparison))
        for span in run_filter(command + ["--seeds", "-d", docs.name], seeds, note):
            fields = span.split(b"\t")
            if fields[0].startswith(b"t"):
                fields[0], fields[3] = fields[0][1:], fields[3][1:]
                yield b"\t".join(fields)


# ---- identical fingerprints ------------------------------------------------------------------

def collapse(fingerprints):
    """From sorted fingerprint records, yields (False, the first record of each fingerprint), and (True, a pair of
    its id with each further id of the fingerprint). shjoin --collapse writes the same pairs."""
    for fp, run in itertools.groupby(distinct(fingerprints), first_field):
        first = None
        for record in run:
            id = record.split(b"\t")[1]
            if first is None:
                first = id
                yield False, record
            else:
                yield True, b"%s\t%s\t0" % (first, id)


# ---- connected components: groups of shgroup --link single -------------------------------------
#
# Kiveris, Lattanzi, Mirrokni, Rastogi, Vassilvitskii: Connected Components in MapReduce and Beyond (2014).
# Large steps and small steps alternate until neither moves an edge. Then every component is a star around its
# least id. The input of a step is lines U<TAB>V, sorted by bytes. So the least neighbour of U comes first, and no
# neighbourhood is held in memory.

def both_ways(pairs):
    """Yields the lines of a large step: each pair from both of its ids. Only the first two fields are used."""
    for pair in pairs:
        a, b = pair.split(b"\t")[:2]
        yield b"%s\t%s" % (a, b)
        yield b"%s\t%s" % (b, a)


def downward(pairs):
    """Yields the lines of a small step: each pair from its greater id."""
    for pair in pairs:
        a, b = pair.split(b"\t")[:2]
        yield b"%s\t%s" % (max(a, b), min(a, b))


def neighbourhoods(lines):
    """Yields (U, its distinct neighbours in ascending order) from sorted lines. A pair of an id with itself is
    dropped."""
    for u, run in itertools.groupby(distinct(lines), first_field):
        yield u, (v for v in (line[len(u) + 1:] for line in run) if v != u)


def large_star(lines, moved):
    """Connects the greater neighbours of each id U to the least id of its neighbourhood. Calls moved() for each U
    that loses an edge."""
    for u, neighbours in neighbourhoods(lines):
        least, lost = None, False
        for v in neighbours:
            if least is None:
                least = min(u, v)
            if v > u:
                yield b"%s\t%s" % (v, least)
                lost = lost or least != u
        if lost:
            moved()


def small_star(lines, moved):
    """Connects each id U and its lesser neighbours to the least of the neighbours. Calls moved() for each U that
    has at least two."""
    for u, neighbours in neighbourhoods(lines):
        least, several = None, False
        for v in neighbours:
            if least is None:
                least = v
                yield b"%s\t%s" % (u, least)
            else:
                yield b"%s\t%s" % (v, least)
                several = True
        if several:
            moved()


def members(edges):
    """Yields id<TAB>keeper for both ids of the edges of stars. A keeper's line comes once for each edge."""
    for edge in edges:
        yield edge
        keeper = edge[edge.index(b"\t") + 1:]
        yield b"%s\t%s" % (keeper, keeper)


# ---- greedy stars: groups of shgroup --link star -----------------------------------------------
#
# shgroup visits the ids in bytewise order. An id becomes a keeper when none of its lesser neighbours is a keeper.
# So the keepers are the lexicographically first maximal independent set of the graph. Every other id belongs to the
# least keeper among its neighbours. The rounds are those of Blelloch, Fineman, Shun: Greedy Sequential Maximal
# Independent Set and Matching are Parallel on Average (2012).
#
# An id remains until it becomes a keeper or is removed. A round has two steps:
#   select_keepers     makes an id a keeper when all its remaining neighbours are greater
#   remove_neighbours  removes the neighbours of the new keepers
# The rounds end when no id remains. Then propose_keepers and least_keepers find the least keeper among the
# neighbours of each removed id. It need not be the keeper that removed the id.
#
# The input of a step is lines U<TAB>V, sorted by bytes. A line U<TAB> sorts before the other lines of U.

def remaining(pairs):
    """Yields the lines of the first select_keepers: all ids remain."""
    for line in both_ways(pairs):
        yield line[:line.index(b"\t") + 1]
        yield line


def select_keepers(lines):
    """Reads U<TAB> for each U that remains, and U<TAB>V for each neighbour V of U that remains. Yields V<TAB> for
    each neighbour V of a new keeper, and U<TAB>V for each other id U and its remaining neighbours."""
    for u, neighbours in neighbourhoods(lines):
        if next(neighbours) != b"":
            continue
        is_keeper = None
        for v in neighbours:
            if is_keeper is None:
                is_keeper = v > u
            yield v + b"\t" if is_keeper else b"%s\t%s" % (u, v)


def remove_neighbours(lines):
    """Reads the lines of select_keepers. Yields (True, U<TAB>) for each id removed, and (False, line) for each line
    of the next select_keepers."""
    for u, neighbours in neighbourhoods(lines):
        first = next(neighbours)
        if first == b"":
            yield True, u + b"\t"
            continue
        yield False, u + b"\t"
        for v in itertools.chain([first], neighbours):
            yield False, b"%s\t%s" % (v, u)


def propose_keepers(lines):
    """Reads U<TAB> for each removed id U, and each pair from both of its ids. Yields (True, U<TAB>U) for each keeper
    U, and (False, V<TAB>U) for each greater neighbour V of U."""
    for u, neighbours in neighbourhoods(lines):
        first = next(neighbours)
        if first == b"":
            continue
        yield True, b"%s\t%s" % (u, u)
        for v in itertools.chain([first], neighbours):
            if v > u:
                yield False, b"%s\t%s" % (v, u)


def least_keepers(lines):
    """Reads V<TAB>U for each keeper U beside V. Yields V<TAB>U with the least U."""
    for v, keepers in neighbourhoods(lines):
        yield b"%s\t%s" % (v, next(keepers))


# ---- commands --------------------------------------------------------------------------------

def count(lines):
    """Sums sorted lines key[<TAB>count] by key. A combiner may have summed some of them."""
    for key, run in itertools.groupby((line.split(b"\t") + [b"1"] for line in lines),
                                      lambda fields: fields[0]):
        yield b"%s\t%d" % (key, sum(int(fields[1] or 1) for fields in run))


def hot_keys(counts, limit, share):
    for line in counts:
        key, n = line.split(b"\t")
        fragments = fragments_of(int(n), limit, share)
        if fragments > 1:
            yield b"%s\t%d" % (key, fragments)


def read_hot(path):
    with open(path, "rb") as f:
        return {key: int(fragments) for key, fragments in (line.split(b"\t") for line in f)}


def counter(name):
    """A function that adds 1 to a counter of Hadoop Streaming."""
    return lambda: sys.stderr.write(f"reporter:counter:simhash-utils,{name},1\n")


def print_message(text):
    print(text, file=sys.stderr)


# Commands that run as reducers. Hadoop Streaming appends a tab to the key of a reducer's input, even if the mapper
# wrote the key alone.
REDUCERS = ("count", "join", "pipe", "star", "distinct")


def read_lines(file, is_reducer):
    for line in file:
        line = line[:-1] if line.endswith(b"\n") else line
        yield line[:-1] if is_reducer and line.endswith(b"\t") else line


def run(command, arguments, lines):
    if command == "documents":
        return documents(lines)
    if command == "sample":
        share = float(arguments[0])
        return (line for line in lines if is_sampled(line, share))
    if command == "count":
        return count(lines)
    if command == "hot":
        return hot_keys(lines, int(arguments[0]), float(arguments[1]))
    if command == "split":
        return split(lines, read_hot(arguments[0]))
    if command == "join":
        return join(lines, arguments, note=print_message)
    if command == "pipe":
        return run_filter(arguments, lines, print_message)
    if command == "edges":
        return {"both": both_ways, "down": downward}[arguments[0]](lines)
    if command == "star":
        return {"large": large_star, "small": small_star}[arguments[0]](lines, counter("moves"))
    if command == "members":
        return members(lines)
    if command == "distinct":
        return distinct(lines)
    raise KeyError(command)


def main():
    try:
        command, arguments = sys.argv[1], sys.argv[2:]
        for line in run(command, arguments, read_lines(sys.stdin.buffer, command in REDUCERS)):
            sys.stdout.buffer.write(line + b"\n")
        sys.stdout.buffer.flush()
    except (IndexError, KeyError):
        sys.exit(f"usage:{__doc__.split(':', 1)[1]}")
    except (FilterError, OSError, ValueError) as e:
        print(e if isinstance(e, FilterError) else f"shcluster.py: {e}", file=sys.stderr)
        sys.exit(2)


if __name__ == "__main__":
    main()
