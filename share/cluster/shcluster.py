#!/usr/bin/env python3
"""What the engines share: running a filter, splitting hot keys, stars.

Imported by shspark.py; run by Hadoop Streaming as a filter of its own:

    shcluster.py documents         documents as they are; features are refused
    shcluster.py sample SHARE      fingerprints: about this share of them
    shcluster.py count             sorted keys (and counts): each key, its count
    shcluster.py hot LIMIT SHARE   counts of a sample: the hot keys, in how many parts
    shcluster.py split HOT         bands: records of hot keys go to several tasks
    shcluster.py join SHJOIN...    records, grouped by task: pairs, by shjoin
    shcluster.py pipe PROGRAM...   records: what this filter makes of them
    shcluster.py edges both|down   pairs: lines for a star step, of both ends or the greater
    shcluster.py star large|small  lines sorted: edges, nearer to stars
    shcluster.py members           edges that are stars: id<TAB>keeper, keepers repeated
    shcluster.py distinct          sorted lines: each once

Records are lines of bytes without their newline; ids need not be UTF-8, and compare by bytes.
Nothing here needs an engine, or Python beyond 3.8.
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
    """A filter failed, or did not read all that it was given; the text is its message."""


# ---- filters ---------------------------------------------------------------------------------

# Each filter's options that can work on a part of the input, as getopt wants them. The others read or
# write something beside the pipe, or end the filter at once.
OPTIONS = {
    "shfp": ("b:H:w:x:p:n:u:j:",
             "bits= hash= weight= seed= minhash simhash format= empty= profile= ngram= unit= segment= dict= split= stem= "
             "stop= min-chars= keep= no-fold mask-digits raw strict bare jobs= crlf"),
    "shband": ("k:M:N:b:j:", "distance= blocks= count= recall= seed= bits= jobs= crlf"),
    "shjoin": ("k:S:j:", "distance= collapse memory= tmpdir= jobs= crlf"),
    "shverify": ("T:w:S:p:n:u:j:",
                 "measure= threshold= weight= memory= tmpdir= profile= ngram= unit= segment= dict= split= stem= "
                 "stop= min-chars= keep= no-fold mask-digits raw strict jobs= crlf"),
    "shseed": ("p:n:u:j:",
               "window= profile= ngram= unit= segment= dict= split= stem= stop= min-chars= keep= no-fold mask-digits "
               "raw strict jobs= crlf"),
    # shspan gets the options of shseed as well.
    "shspan": ("S:", "min-tokens= identity= merge= memory= tmpdir="),
}


def shipped(folder, programs):
    """What to send of a folder: the programs, and jieba's dictionary, which they look for beside them."""
    paths = [os.path.abspath(os.path.join(folder, name)) for name in programs]
    dictionary = os.path.abspath(os.path.join(folder, "jieba.dict"))
    return paths + [dictionary] if os.path.exists(dictionary) else paths


def options(program, text):
    """The words of a filter's options, as a shell would part them, long names in full; ValueError for
    options that cannot work on a part of the input, and for operands, which would be read instead of it."""
    letters, names = OPTIONS[program]
    try:
        found, operands = getopt.gnu_getopt(shlex.split(text), letters, names.split())
    except getopt.GetoptError as e:
        raise ValueError(f"{program}: {e.msg} (not all work on a cluster, where each task sees a part of the input)") \
            from None
    if operands:
        raise ValueError(f"{program} {operands[0]}: each task would read this instead of its part of the input")
    words = []
    for name, value in found:
        if not name.startswith("--"):
            words += [name, value]
        else:
            words.append(f"{name}={value}" if name[2:] + "=" in names.split() else name)
    return words


def documents(lines):
    """Documents as they are. FilterError for features, which shfp would take as well: those of one
    document may have come to several tasks, and each would make a fingerprint of its own."""
    lines = iter(lines)
    for first in lines:
        if re.fullmatch(rb"[^\t]*\t[^\t]*\t[-+.]?[0-9][^\t]*", first):
            raise FilterError("shfp: the input is features (three fields, the last a number), of which a task sees "
                              "a part of a document's: documents are wanted, or fingerprints (--fingerprints)")
        yield first
        yield from lines


def run_filter(command, lines, note=None):
    """Yield the lines that a command writes when it reads these. FilterError with its messages when
    it fails; otherwise its messages go to note(text).

    An exception of `lines` ends the command and passes on: an input that broke off never looks
    like one that ended.
    """
    with tempfile.TemporaryFile() as said:
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   stderr=said, bufsize=1 << 16,
                                   env={**os.environ, "LC_ALL": "C"})
        trouble = []

        def feed():
            try:
                for line in lines:
                    process.stdin.write(line)
                    process.stdin.write(b"\n")
                process.stdin.close()
            except BaseException as e:  # reported below, in the thread that reads
                trouble.append(e)
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
        said.seek(0)
        text = said.read().decode("utf-8", "replace").strip()
        if trouble and not isinstance(trouble[0], BrokenPipeError):
            raise trouble[0]
        if status:
            raise FilterError(text or f"{command[0]}: ended with status {status} and no message")
        if trouble:
            raise FilterError(f"{command[0]}: did not read all of its input. {text}")
        if text and note:
            note(text)


# ---- hot keys --------------------------------------------------------------------------------
#
# A key with n records is n^2 / 2 comparisons in one task, and sorting alone cannot part them. A hot
# key's records are therefore dealt into p parts by their ids, and each two parts, i <= j, are a
# task: p parts are joined with themselves, p (p - 1) / 2 pairs of parts with each other. A pair of
# ids belongs to one task, so that still each is found once. Each record is sent p times.
#
# Its records are KEY.I.J<TAB>SIDE FINGERPRINT<TAB>ID, SIDE being < for part I and > for part J. Other
# keys' records are the bands as they are.

def is_sampled(line, share):
    """Whether a line is in the sample; the same lines wherever and whenever that is asked."""
    return zlib.crc32(b"sample" + line) < share * 2 ** 32


def sample_share(limit):
    """The share of records that shows the keys with more than `limit`: some 400 of each."""
    return min(1.0, 400 / limit)


def hot_parts(count, limit, share):
    """In how many parts to deal a key of which the sample holds `count`; 1 when it is not hot."""
    return max(1, -(-int(count / share) // limit))


def split(bands, hot):
    """Records for the join: bands, those of the keys in hot {key: parts} once for each of their tasks."""
    for line in bands:
        key, rest = line.split(b"\t", 1)
        parts = hot.get(key)
        if not parts:
            yield line
            continue
        mine = zlib.crc32(rest[rest.index(b"\t") + 1:]) % parts
        for other in range(parts):
            yield b"%s.%d.%d\t%s%s" % (key, min(mine, other), max(mine, other),
                                       b"<" if mine <= other else b">", rest)


def task_of(record):
    """The task a record belongs to: all records of one must meet."""
    return record[:record.index(b"\t")]


def stable_hash(text):
    """A hash of bytes that all processes agree about, as Python's own does not."""
    return zlib.crc32(text)


def plain_band(record):
    task, rest = record.split(b"\t", 1)
    return task[:task.index(b".")] + b"\t" + rest[1:]


def join_across(records, command, folder, note):
    """The pairs of one record with < and one with >; the lesser id first, as in a join of one file."""
    with tempfile.NamedTemporaryFile(dir=folder) as left:
        others = iter(())
        for record in records:
            if record[record.index(b"\t") + 1:][:1] == b">":
                others = itertools.chain([record], records)
                break
            left.write(plain_band(record) + b"\n")
        left.flush()
        for pair in run_filter(command + [left.name, "-"], map(plain_band, others), note):
            a, b, distance = pair.split(b"\t")
            yield pair if a < b else b"%s\t%s\t%s" % (b, a, distance)


def distinct(records):
    """Records without those equal to the one before."""
    last = None
    for record in records:
        if record != last:
            yield record
            last = record


def join(records, command, folder=None, note=None):
    """The pairs of records that are sorted as bytes. command is shjoin and its options."""
    def group(record):
        task = task_of(record)
        return task if b"." in task else b""

    for task, run in itertools.groupby(records, group):
        if not task:
            yield from run_filter(command, run, note)
        elif len(set(task.split(b".")[1:])) == 1:
            yield from run_filter(command, map(plain_band, run), note)
        else:
            yield from join_across(distinct(run), command, folder, note)


# ---- passages ----------------------------------------------------------------------------------
#
# shspan compares a document with at most ten places of a seed: the first one, the last one before the
# document, and eight between them. A document's share of a seed is these places and its own ones. It
# suffices for the document's spans, and is bounded however frequent the seed is.
#
# A part has the shares of some documents. In its input to shspan each share is a seed of its own, and a
# document that is asked for is another one (t and its id) than the same document as an earlier place
# (s and its id). So shares do not mix. Spans of two s documents belong to other parts.

LINKS_MORE = 8  # SH_LINKS_MORE of lib/passage/links.h


def seed_place(line):
    """(key, id, token) of a seed."""
    key, id, token = line.split(b"\t")[:3]
    return key, id, int(token)


def chosen_places(earlier):
    """The places of earlier documents that shspan --first may look at, in their order."""
    between = len(earlier) - 2
    if between <= LINKS_MORE:
        return list(earlier)
    return [earlier[0], *(earlier[1 + i * between // LINKS_MORE] for i in range(LINKS_MORE)), earlier[-1]]


def shares(places):
    """(document, [(earlier document, token)...], [its own tokens]) of sorted places. The places of one seed are
    in memory."""
    for _, run in itertools.groupby(places, lambda place: place[0]):
        earlier = []
        for id, own in itertools.groupby(run, lambda place: place[1]):
            tokens = [place[2] for place in own]
            if earlier:
                yield id, chosen_places(earlier), tokens
            earlier += [(id, token) for token in tokens]


def share_seeds(number, share):
    """The lines that are share `number` of a part, for shspan --seeds. It does not use the bytes of a seed."""
    document, earlier, own = share
    for prefix, places in ((b"s", earlier), (b"t", [(document, token) for token in own])):
        for id, token in places:
            yield b"%016x\t%s%s\t%d\t0\t0" % (number, prefix, id, token)


def spans_of_part(records, command, folder=None, note=None):
    """Spans of the documents that are asked for. records: (b"s", document), then (b"t", document), both by id, then
    (b"", share); command: shspan and its options."""
    records = iter(records)
    with tempfile.NamedTemporaryFile(dir=folder) as docs:
        first = []
        for prefix, record in records:
            if not prefix:
                first.append(record)
                break
            docs.write(prefix + record + b"\n")
        docs.flush()
        rest = itertools.chain(first, (record for _, record in records))
        seeds = (line for number, share in enumerate(rest) for line in share_seeds(number, share))
        for span in run_filter(command + ["--seeds", "-d", docs.name], seeds, note):
            fields = span.split(b"\t")
            if fields[0].startswith(b"t"):
                fields[0], fields[3] = fields[0][1:], fields[3][1:]
                yield b"\t".join(fields)


# ---- identical fingerprints ------------------------------------------------------------------

def collapse(fingerprints):
    """Of sorted fingerprint records: (False, the first of each fingerprint), and (True, a pair of that
    one with each other id of the fingerprint), which is what `shjoin --collapse` makes of them."""
    for fp, run in itertools.groupby(distinct(fingerprints), task_of):
        first = None
        for record in run:
            id = record.split(b"\t")[1]
            if first is None:
                first = id
                yield False, record
            else:
                yield True, b"%s\t%s\t0" % (first, id)


# ---- connected components --------------------------------------------------------------------
#
# Kiveris, Lattanzi, Mirrokni, Rastogi, Vassilvitskii: Connected Components in MapReduce and Beyond
# (2014). The two steps take turns until neither moves an edge; every component is then a star, its
# least id in the middle. A step reads lines U<TAB>V sorted as bytes, so that U's least neighbour comes
# first and no neighbourhood is held in memory.

def both_ways(pairs):
    """Lines for the large step: each pair from both of its ends. What follows two fields is dropped."""
    for pair in pairs:
        a, b = pair.split(b"\t")[:2]
        yield b"%s\t%s" % (a, b)
        yield b"%s\t%s" % (b, a)


def downward(pairs):
    """Lines for the small step: each pair from its greater end."""
    for pair in pairs:
        a, b = pair.split(b"\t")[:2]
        yield b"%s\t%s" % (max(a, b), min(a, b))


def neighbourhoods(lines):
    """(u, its neighbours in ascending order, each once) of sorted lines; pairs of one id with itself
    are dropped."""
    for u, run in itertools.groupby(distinct(lines), task_of):
        yield u, (v for v in (line[len(u) + 1:] for line in run) if v != u)


def large_star(lines, moved):
    """Tie the greater neighbours of each node to the least of its neighbourhood. moved() is called for
    each node that loses some by that."""
    for u, around in neighbourhoods(lines):
        least, lost = None, False
        for v in around:
            if least is None:
                least = min(u, v)
            if v > u:
                yield b"%s\t%s" % (v, least)
                lost = lost or least != u
        if lost:
            moved()


def small_star(lines, moved):
    """Tie each node and its lesser neighbours to the least of them. moved() is called for each node
    that has several."""
    for u, around in neighbourhoods(lines):
        least, several = None, False
        for v in around:
            if least is None:
                least = v
                yield b"%s\t%s" % (u, least)
            else:
                yield b"%s\t%s" % (v, least)
                several = True
        if several:
            moved()


def members(edges):
    """id<TAB>keeper of both ends of edges that are stars; a keeper's line once for each edge."""
    for edge in edges:
        yield edge
        keeper = edge[edge.index(b"\t") + 1:]
        yield b"%s\t%s" % (keeper, keeper)


# ---- stars as shgroup --link star makes them ---------------------------------------------------
#
# Ids in bytewise order: one that is still free becomes a keeper and takes its free neighbours. In
# rounds, on lines U<TAB>V sorted as bytes: who has no lesser neighbour left becomes a keeper (choose),
# its neighbours are taken, and who is left says so to its own (take), until nobody is. An id goes to
# the least keeper among its neighbours, which need not be the one that took it first (keep). A line
# U<TAB>, which sorts before all others of U, says something of U itself.

def alive(pairs):
    """Lines for the first choose: each pair from both ends, and that both are free."""
    for line in both_ways(pairs):
        yield line[:line.index(b"\t") + 1]
        yield line


def choose(lines):
    """U<TAB>: U is free; U<TAB>V: so is its neighbour V. Gives V<TAB> for who is taken, and the free
    neighbourhoods of who has not been chosen."""
    for u, around in neighbourhoods(lines):
        if next(around) != b"":
            continue
        chosen = None
        for v in around:
            if chosen is None:
                chosen = v > u
            yield v + b"\t" if chosen else b"%s\t%s" % (u, v)


def take(lines):
    """(True, U<TAB>) for who is taken; (False, a line for the next choose) from who is still free."""
    for u, around in neighbourhoods(lines):
        first = next(around)
        if first == b"":
            yield True, u + b"\t"
            continue
        yield False, u + b"\t"
        for v in itertools.chain([first], around):
            yield False, b"%s\t%s" % (v, u)


def keep(lines):
    """U<TAB>: U is taken; U<TAB>V: they are a pair. (True, a group record) of each keeper, and (False,
    V<TAB>U) for each V that it can keep."""
    for u, around in neighbourhoods(lines):
        first = next(around)
        if first == b"":
            continue
        yield True, b"%s\t%s" % (u, u)
        for v in itertools.chain([first], around):
            if v > u:
                yield False, b"%s\t%s" % (v, u)


def firsts(lines):
    """U<TAB>V for each U, V the least."""
    for u, around in neighbourhoods(lines):
        yield b"%s\t%s" % (u, next(around))


# ---- as a filter -----------------------------------------------------------------------------

def count(lines):
    """Sum sorted lines key[<TAB>count], which a combiner may have summed in part."""
    for key, run in itertools.groupby((line.split(b"\t") + [b"1"] for line in lines),
                                      lambda fields: fields[0]):
        yield b"%s\t%d" % (key, sum(int(fields[1] or 1) for fields in run))


def hot_keys(counts, limit, share):
    for line in counts:
        key, n = line.split(b"\t")
        parts = hot_parts(int(n), limit, share)
        if parts > 1:
            yield b"%s\t%d" % (key, parts)


def read_hot(path):
    with open(path, "rb") as f:
        return {key: int(parts) for key, parts in (line.split(b"\t") for line in f)}


def counter(name):
    """A function that adds 1 to a counter of Hadoop Streaming's."""
    return lambda: sys.stderr.write(f"reporter:counter:simhash-utils,{name},1\n")


def say(text):
    print(text, file=sys.stderr)


# Hadoop Streaming hands a key to a reducer with a tab behind it, even when that was the whole line.
REDUCERS = ("count", "join", "pipe", "star", "distinct")


def read_lines(file, is_reducer):
    for line in file:
        line = line[:-1] if line.endswith(b"\n") else line
        yield line[:-1] if is_reducer and line.endswith(b"\t") else line


def run(verb, arguments, lines):
    if verb == "documents":
        return documents(lines)
    if verb == "sample":
        share = float(arguments[0])
        return (line for line in lines if is_sampled(line, share))
    if verb == "count":
        return count(lines)
    if verb == "hot":
        return hot_keys(lines, int(arguments[0]), float(arguments[1]))
    if verb == "split":
        return split(lines, read_hot(arguments[0]))
    if verb == "join":
        return join(lines, arguments, note=say)
    if verb == "pipe":
        return run_filter(arguments, lines, say)
    if verb == "edges":
        return {"both": both_ways, "down": downward}[arguments[0]](lines)
    if verb == "star":
        return {"large": large_star, "small": small_star}[arguments[0]](lines, counter("moves"))
    if verb == "members":
        return members(lines)
    if verb == "distinct":
        return distinct(lines)
    raise KeyError(verb)


def main():
    try:
        verb, rest = sys.argv[1], sys.argv[2:]
        for line in run(verb, rest, read_lines(sys.stdin.buffer, verb in REDUCERS)):
            sys.stdout.buffer.write(line + b"\n")
        sys.stdout.buffer.flush()
    except (IndexError, KeyError):
        sys.exit(f"usage:{__doc__.split(':', 1)[1]}")
    except (FilterError, OSError, ValueError) as e:
        print(e if isinstance(e, FilterError) else f"shcluster.py: {e}", file=sys.stderr)
        sys.exit(2)


if __name__ == "__main__":
    main()
