# SPDX-License-Identifier: MIT
"""Functions on collections of texts, which run shdedup(1), shverify(1) and shspan(1).

A program reads the texts from a temporary file. The ids are the positions of the texts.
"""
import array
import ctypes as c
import importlib
import itertools
import operator
import os
import re
import shutil
import subprocess
import sys
import tempfile
from typing import (
    IO, Any, Dict, Iterable, Iterator, List, NamedTuple, Optional, Sequence, Sized, Tuple, TypeVar, Union, overload,
)

from ._columns import TextOf, Texts
from ._library import CError, CSimilarity, Error, Text, encode, encode_all, fail, lib
from ._library import VerifyOptions as CVerifyOptions
from ._options import DedupOptions, Progress, SpanOptions, Unpack, VerifyOptions, arguments

Item = TypeVar("Item")
Collection = TypeVar("Collection", bound=Sized)


class Duplicate(NamedTuple):
    """The positions of a duplicate and of its keeper, their similarity, and its measure: jaccard or edit."""

    dropped: int
    keeper: int
    similarity: float
    measure: str


class Verified(NamedTuple):
    """The positions of two texts, their similarity from 0 to 1, and its measure, as shverify(1) names it."""

    first: int
    second: int
    similarity: float
    measure: str


class Span(NamedTuple):
    """A passage that two texts share: texts[first][start1:end1] is similar to texts[second][start2:end2]."""

    first: int
    start1: int
    end1: int
    second: int
    start2: int
    end2: int
    matched: int
    identity: float


# ---- programs ----


def program_path(name: str) -> str:
    """The path of a program: in $SIMHASH_PROGRAMS, or else in a folder `bin` of the folders above the module, or else
    in $PATH.

    pip and Debian put the programs into `bin` beside `lib`, or beside the module with pip's --target. In the sources
    `bin` is beside `python`."""
    folder = os.environ.get("SIMHASH_PROGRAMS")
    folders = [folder] if folder else []
    if not folder:
        above = os.path.abspath(__file__)
        for _ in range(5):
            above = os.path.dirname(above)
            folders.append(os.path.join(above, "bin"))
        folders.append(os.environ.get("PATH", os.defpath))
    found = shutil.which(name, path=os.pathsep.join(folders))
    if not found:
        raise Error(
            f"no program {name} in {os.pathsep.join(folders)}: install simhash-utils, "
            "or name the folder of the programs in SIMHASH_PROGRAMS"
        )
    return found


class Report:
    """Tells of the progress of a run: to a function, or to tqdm, or to standard error where there is no tqdm."""

    def __init__(self, progress: Progress, total: int) -> None:
        self._to, self._total, self._bar, self._what = progress, total, None, ""  # type: Any, int, Any, str

    def __call__(self, what: str, done: int) -> None:
        if not self._to:
            return
        if callable(self._to):
            self._to(what, done, self._total)
            return
        try:
            tqdm = importlib.import_module("tqdm.auto").tqdm
        except ImportError:
            print(f"simhash_utils: {done} texts {what}", file=sys.stderr)
            return
        if what != self._what:
            self.close()
            self._what, self._bar = what, tqdm(total=self._total or None, desc=what, unit="text")
        self._bar.update(done - self._bar.n)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()


def run(
    program: str, args: Sequence[str], documents: "Union[IO[bytes], int]" = subprocess.DEVNULL,
    progress: Progress = False, total: int = 0,
) -> List[List[bytes]]:
    """Runs a program, and returns the fields of the records that it writes. documents: its standard input."""
    report, messages, done = Report(progress, total), [], total
    path = program_path(program)
    report("read", 0)
    with tempfile.TemporaryFile() as out:
        with subprocess.Popen(
            [path, *args, *(["--progress"] if progress else [])], stdin=documents, stdout=out, stderr=subprocess.PIPE,
        ) as process:
            try:
                assert process.stderr is not None
                for line in process.stderr:
                    told = re.match(rb"\w+: (?:.*, )?(\d+) (records?|documents decided)\b", line) if progress else None
                    if told:
                        done = min(int(told[1]), total or int(told[1]))
                        report("decided" if told[2].endswith(b"decided") else "read", done)
                    else:
                        messages.append(line.decode("utf-8", "replace").rstrip("\n"))
            except BaseException:
                process.kill()
                raise
        if process.returncode:
            raise Error("; ".join(m for m in messages if not m.startswith("Try ")) or
                        f"{program} ended with status {process.returncode}")
        report("decided", total or done)
        report.close()
        out.seek(0)
        return [line.rstrip(b"\n").split(b"\t") for line in out]


# ---- records ----


_ESCAPES = ((b"\\", b"\\\\"), (b"\t", b"\\t"), (b"\n", b"\\n"), (b"\r", b"\\r"))
_AT_ONCE = 1000  # texts that are escaped at once: their bytes fit in the cache


def escaped(data: bytes) -> bytes:
    for plain, escape in _ESCAPES:
        data = data.replace(plain, escape)
    return data


def _all_escaped(texts: Sequence[Optional[Text]]) -> List[bytes]:
    """The texts in the form of records. 0xff, which UTF-8 never has, parts them while they are escaped as one."""
    data = encode_all(texts)
    parts = escaped(b"\xff".join(data)).split(b"\xff")
    return parts if len(parts) == len(data) else list(map(escaped, data))


def write(file: "IO[bytes]", ids: Iterable[bytes], texts: Iterable[Optional[Text]]) -> None:
    """Writes documents. Omits those whose text is None, which is similar to no text."""
    ids, left = iter(ids), iter(texts)
    while some := list(itertools.islice(left, _AT_ONCE)):
        records: Iterable[Tuple[bytes, bytes]] = zip(itertools.islice(ids, len(some)), _all_escaped(some))
        if None in some:
            records = itertools.compress(records, [text is not None for text in some])
        lines = b"\n".join(map(b"\t".join, records))
        if lines:
            file.writelines((lines, b"\n"))
    file.flush()
    file.seek(0)


def numbers(values: Iterable[int]) -> Iterator[bytes]:
    """Positions as ids."""
    return map(b"%d".__mod__, values)


# ---- near-duplicates ----


def find_duplicates(
    texts: Iterable[Optional[Text]], n: int, function: str, options: Any
) -> List[Duplicate]:
    """The duplicates among texts. n: their number, for the progress."""
    options = dict(options)
    progress = options.pop("progress", False)
    with tempfile.TemporaryFile() as documents, tempfile.TemporaryDirectory() as folder:
        for name in ("keep", "protect"):
            if not isinstance(options.get(name), (str, type(None))):
                path = os.path.join(folder, name)
                with open(path, "w") as ids:
                    ids.writelines(f"{int(position)}\n" for position in options[name])
                options[name] = path
        args = arguments(function, DedupOptions, options)
        write(documents, numbers(itertools.count()), texts)
        path = os.path.join(folder, "report")
        run("shdedup", [*args, "--dry-run", "--quiet", f"--report={path}"], documents, progress, n)
        with open(path, "rb") as file:
            rows = [line.rstrip(b"\n").split(b"\t") for line in file]
    return sorted(Duplicate(int(row[0]), int(row[1]), float(row[2]), row[3].decode()) for row in rows)


def _mask(texts: List[Optional[Text]], function: str, options: Any) -> List[bool]:
    mask = [True] * len(texts)
    for duplicate in find_duplicates(texts, len(texts), function, options):
        mask[duplicate.dropped] = False
    return mask


@overload
def dedup(
    items: Iterator[Item], *, text: TextOf = None, **options: Unpack[DedupOptions]
) -> List[Item]: ...
@overload
def dedup(items: Collection, *, text: TextOf = None, **options: Unpack[DedupOptions]) -> Collection: ...
def dedup(items: Any, *, text: TextOf = None, **options: Unpack[DedupOptions]) -> Any:
    """Returns the texts without near-duplicates, in their order, in a collection of the same type.

    The items are a list, a tuple or any other iterable; a Series of pandas or polars; an array of Arrow or numpy; or a
    table: a DataFrame of pandas or polars, a table of Arrow, a Dataset of datasets, or a dict of columns. A table
    needs `text`, the name of the column with the texts. Several names, as in text=["question", "answer"], join the
    fields with a blank. For a list of dicts, `text` names a field, or is a function that returns the text of an item.
    None, NaN and pandas.NA are no texts, and stay.

    The first text of each group of near-duplicates stays, unless `keep` says otherwise. Two texts are
    near-duplicates when the similarity reaches `threshold`: 0.8 by the Jaccard similarity of word triples, or 0.89 by
    their best alignment. shdedup(1) does the work.

    >>> dedup(["to be or not to be", "To be, or not to be!", "that is the question"])
    ['to be or not to be', 'that is the question']
    >>> dedup([{"id": 1, "body": "a b c d"}, {"id": 2, "body": "a, b, c, d"}], text="body")
    [{'id': 1, 'body': 'a b c d'}]
    >>> dedup("to be or not to be")
    Traceback (most recent call last):
    simhash_utils.Error: a str is one text: give a list of texts, as in [text]
    """
    known = Texts(items, text)
    return known.take(_mask(known.texts, "dedup", options))


@overload
def cluster(
    texts: Union[List[Any], Iterator[Any]], *, text: TextOf = None, **options: Unpack[DedupOptions]
) -> List[int]: ...
@overload
def cluster(texts: Any, *, text: TextOf = None, **options: Unpack[DedupOptions]) -> Any: ...
def cluster(texts: Any, *, text: TextOf = None, **options: Unpack[DedupOptions]) -> Any:
    """For each text, the position of the text that dedup() keeps for it: its own position when it stays.

    The numbers are in a column of the same type, for pandas with the same index. `texts` may be whatever dedup() takes.

    >>> cluster(["a b c", "x y z", "a b c!", None])
    [0, 1, 0, 3]
    """
    known = Texts(texts, text)
    n = len(known.texts)
    keeper = list(range(n))
    for duplicate in find_duplicates(known.texts, n, "cluster", options):
        keeper[duplicate.dropped] = duplicate.keeper
    return known.like(keeper, "int64")


@overload
def kept(
    texts: Union[List[Any], Iterator[Any]], *, text: TextOf = None, **options: Unpack[DedupOptions]
) -> List[bool]: ...
@overload
def kept(texts: Any, *, text: TextOf = None, **options: Unpack[DedupOptions]) -> Any: ...
def kept(texts: Any, *, text: TextOf = None, **options: Unpack[DedupOptions]) -> Any:
    """For each text, whether dedup() keeps it, in a column of the same type: a mask for other columns.

    >>> kept(["a b c", "a b c!", None])
    [True, False, True]
    """
    known = Texts(texts, text)
    return known.like(_mask(known.texts, "kept", options), "bool")


def duplicates(texts: Any, *, text: TextOf = None, **options: Unpack[DedupOptions]) -> List[Duplicate]:
    """The texts that dedup() removes, by position, each with its keeper and their similarity.

    pandas.DataFrame(duplicates(texts)) is a table of them.

    >>> fox = "the quick brown fox jumps over the lazy dog near the old river bank today"
    >>> duplicates([fox, "something else", fox + "!"])
    [Duplicate(dropped=2, keeper=0, similarity=1.0, measure='jaccard')]
    """
    known = Texts(texts, text)
    return find_duplicates(known.texts, len(known.texts), "duplicates", options)


def verify(
    pairs: Iterable[Sequence[int]], texts: Any, *, text: TextOf = None, **options: Unpack[VerifyOptions]
) -> List[Verified]:
    """Returns the exact similarity of the texts of each pair, as far as it reaches the threshold.

    A pair begins with two positions in texts, as a pair of join() does. `texts` may be whatever dedup() takes.
    shverify(1) does the work.

    >>> verify([(0, 1), (0, 2)], ["a b c d", "a b c e", "x y"], threshold=0.1)
    [Verified(first=0, second=1, similarity=0.3333, measure='jaccard')]
    """
    known = Texts(texts, text).texts
    progress = options.pop("progress", False)
    args = arguments("verify", VerifyOptions, options)
    places = list(map(operator.itemgetter(0, 1), pairs))
    needed = sorted(set(itertools.chain.from_iterable(places)))
    if needed and not 0 <= needed[0] <= needed[-1] < len(known):
        wrong = next(pair for pair in places if not 0 <= min(pair) <= max(pair) < len(known))
        raise Error(f"pair {wrong}: expected positions of {len(known)} texts")
    if None in known:
        places = [pair for pair in places if known[pair[0]] is not None and known[pair[1]] is not None]
    if not progress and _library_has(options):
        return _verify_by_library(places, known, needed, options)
    with tempfile.TemporaryFile() as records, tempfile.NamedTemporaryFile() as documents:
        records.write(b"".join(map(b"%d\t%d\t0\n".__mod__, places)))
        records.seek(0)
        write(documents, numbers(needed), map(known.__getitem__, needed))
        rows = run("shverify", [*args, f"--documents={documents.name}"], records, progress, len(places))
    return [Verified(int(row[0]), int(row[1]), float(row[3]), row[4].decode()) for row in rows]


def _library_has(options: Any) -> bool:
    """Whether the library has these options of verify(), with values that it takes. The program has all options, and
    says what is wrong with a value. A run of the program takes twice the time: texts are escaped, written and read."""
    measure, ngrams, threshold = map(options.get, ("measure", "ngrams", "threshold"))
    return (
        options.keys() <= {"threshold", "measure", "weight", "ngrams", "unit", *_FLAGS}
        and options.get("unit") in (None, "word", "char")
        and (measure == "cosine" or "weight" not in options)
        and isinstance(ngrams, (int, tuple, type(None)))
        and (measure in (None, "any") or not isinstance(threshold, (tuple, list)))
    )


_FLAGS = ("no_fold", "mask_digits", "fold_marks", "join_hyphens")


def _verify_by_library(
    pairs: List[Tuple[int, int]], texts: Sequence[Optional[Text]], needed: List[int], options: Any
) -> List[Verified]:
    o, error, size = CVerifyOptions(), CError(), c.sizeof(CSimilarity)
    lib.simhash_verify_defaults(o)
    threshold, ngrams = options.get("threshold"), options.get("ngrams")
    if threshold is not None:
        two = isinstance(threshold, (tuple, list))
        o.threshold, o.edit_threshold = threshold if two else (threshold, threshold)
        o.measure = b"any" if two else b"jaccard"
    if ngrams is not None:
        o.ngram_min, o.ngram_max = ngrams if isinstance(ngrams, tuple) else (ngrams, ngrams)
    for name in ("measure", "weight"):
        if options.get(name) is not None:
            setattr(o, name, options[name].encode())
    for name in _FLAGS:
        setattr(o, name, bool(options.get(name)))
    o.chars = options.get("unit") == "char"
    data = encode_all([texts[place] for place in needed])
    number = dict(zip(needed, range(len(needed))))
    rows = array.array("I", itertools.chain.from_iterable((number[i], number[j], 0) for i, j in pairs))
    found = c.create_string_buffer(size * len(pairs) + 1)
    if lib.simhash_verify(
            o, b"".join(data), (c.c_size_t * len(data))(*map(len, data)), len(data), rows.buffer_info()[0], len(pairs),
            found, error) < 0:
        fail(error)
    similar = (CSimilarity * len(pairs)).from_buffer(found)
    return [
        Verified(int(i), int(j), one.similarity, one.measure.decode())
        for (i, j), one in zip(pairs, similar) if one.similar
    ]


# ---- passages ----


class _Positions:
    """Turns offsets in the record of a text into positions: of characters in a str, of bytes in bytes."""

    def __init__(self, texts: Sequence[Optional[Text]]) -> None:
        self._texts = texts
        self._records: Dict[int, Tuple[bytes, bool]] = {}  # by text; whether offsets are positions

    def __call__(self, index: int, offset: int) -> int:
        text = self._texts[index]
        assert text is not None
        if index not in self._records:
            record = escaped(encode(text))
            self._records[index] = record, len(record) == len(text)
        record, same = self._records[index]
        if same:
            return offset
        data = re.sub(rb"\\(.)", b".", record[:offset])
        return len(data.decode("utf-8", "surrogatepass")) if isinstance(text, str) else len(data)


def spans(
    texts: Any, *, queries: Any = None, text: TextOf = None, **options: Unpack[SpanOptions]
) -> List[Span]:
    """Returns the passages that two texts share.

    first is the position of the later text. With queries, spans are passages of the queries that texts have, too:
    first is then the position of a text, and second the position of a query. Starts and ends count characters of a
    str, and bytes of bytes. `texts` may be whatever dedup() takes; queries are a list or a column.
    shspan(1) does the work.

    >>> line = "four score and seven years ago our fathers brought forth on this continent a new nation"
    >>> for span in spans(["He said: " + line, line + ", conceived in liberty"]):
    ...     print(span.first, span.second, span.matched, ("He said: " + line)[span.start2:span.end2][:14])
    1 0 16 four score and
    """
    known = Texts(texts, text).texts
    wanted = known if queries is None else Texts(queries).texts
    progress = options.pop("progress", False)
    args = arguments("spans", SpanOptions, options)
    with tempfile.TemporaryFile() as documents, tempfile.NamedTemporaryFile() as others:
        write(documents, numbers(itertools.count()), known)
        if queries is not None:
            write(others, numbers(itertools.count()), wanted)
            args.append(f"--documents={others.name}")
        rows = run("shspan", args, documents, progress, len(known))
    first, second = _Positions(known), _Positions(wanted)
    found = []
    for row in rows:
        i, start1, end1, j, start2, end2, matched = map(int, row[:7])
        found.append(Span(
            i, first(i, start1), first(i, end1), j, second(j, start2), second(j, end2), matched, float(row[7]),
        ))
    return found
