# SPDX-License-Identifier: MIT
"""Functions on collections of texts, which run shdedup(1), shverify(1) and shspan(1).

A program reads the texts from a temporary file. The ids are the positions of the texts.
"""
import os
import re
import shutil
import subprocess
import sysconfig
import tempfile
from typing import (
    Any, Callable, Dict, IO, Iterable, List, Mapping, NamedTuple, Optional, Sequence, Tuple, TypeVar, Union,
)

__all__ = ["Duplicate", "Error", "Span", "Verified", "dedup", "duplicates", "kept", "spans", "verify"]

Text = Union[str, bytes]
Item = TypeVar("Item")


class Error(ValueError):
    """An error of the library or of a program, with its message."""


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


# Options of the programs that these functions set, or that change the records which they read.
_RESERVED = frozenset(
    "output output_dir compress report counts mark dry_run quiet json csv delimiter header fields documents_fields "
    "line_ids raw crlf rejects trailer progress documents archive sample help version pairs count seeds exact every "
    "exit_code".split()
)
_ESCAPES = {b"\\": b"\\\\", b"\t": b"\\t", b"\n": b"\\n", b"\r": b"\\r"}


def _program(name: str) -> str:
    """The path of a program. It is in the folder $SIMHASH_PROGRAMS if set, else in pip's folder or in $PATH."""
    folder = os.environ.get("SIMHASH_PROGRAMS")
    folders = [folder] if folder else [sysconfig.get_path("scripts"), os.environ.get("PATH", os.defpath)]
    found = shutil.which(name, path=os.pathsep.join(folders))
    if not found:
        raise Error(
            f"no program {name} in {os.pathsep.join(folders)}: install simhash-utils, "
            "or name the folder of the programs in SIMHASH_PROGRAMS"
        )
    return found


def _arguments(options: Mapping[str, Any]) -> List[str]:
    """Makes --threshold=0.7 --no-fold of threshold=0.7, no_fold=True. A list repeats the option for each item."""
    arguments = []
    for key, value in options.items():
        name = "--" + key.rstrip("_").replace("_", "-")
        if key in _RESERVED:
            raise Error(f"{key}: cannot be used here (run the program with {name})")
        if key == "ngrams":
            name = "--ngram"
            value = "-".join(str(n) for n in value) if isinstance(value, tuple) else value
        for one in value if isinstance(value, list) else [value]:
            if one is True:
                arguments.append(name)
            elif one is not False and one is not None:
                arguments.append(f"{name}={os.fspath(one) if isinstance(one, os.PathLike) else one}")
    return arguments


def _escaped(text: Text) -> bytes:
    data = _data(text)
    return re.sub(rb"[\\\t\n\r]", lambda found: _ESCAPES[found.group()], data)


def _write(file: "IO[bytes]", texts: Iterable[Optional[Text]]) -> None:
    """Writes the texts as documents. Omits None, which is similar to no text."""
    for index, text in enumerate(texts):
        if text is not None:
            file.write(b"%d\t%b\n" % (index, _escaped(text)))
    file.flush()
    file.seek(0)


def _null(value: Any) -> Optional[str]:
    """Returns None for a null: None, pandas.NA, or NaN, which does not equal itself. Raises Error for other values."""
    if value is not None and type(value).__name__ != "NAType" and value == value:
        raise Error(f"a text is {type(value).__name__}: expected str, bytes or None")
    return None


def _texts(column: Iterable[Any]) -> List[Optional[Text]]:
    """The texts of a list or a column. A column of Arrow has a function that makes a list of it."""
    as_list = getattr(column, "to_pylist", None)
    return [text if isinstance(text, (str, bytes)) else _null(text) for text in (as_list() if as_list else column)]


def _run(program: str, arguments: Sequence[str], standard_input: "IO[bytes]") -> List[List[bytes]]:
    """The fields of the records that the program writes."""
    done = subprocess.run(
        [_program(program), *arguments], stdin=standard_input, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    if done.returncode:
        lines = [line for line in done.stderr.decode("utf-8", "replace").splitlines() if not line.startswith("Try ")]
        raise Error("; ".join(lines) or f"{program} ended with status {done.returncode}")
    return [line.split(b"\t") for line in done.stdout.split(b"\n") if line]


def _field(items: Sequence[Any], text: Union[None, str, int, Callable[[Any], Optional[Text]]]) -> List[Optional[Text]]:
    """The text of each item: the item itself, its field `text`, or the result of the function `text`."""
    if text is None:
        return list(items)
    return [text(item) if callable(text) else item[text] for item in items]


def duplicates(texts: Iterable[Optional[Text]], **options: Any) -> List[Duplicate]:
    """The texts that dedup() removes, each with its keeper and their similarity.

    >>> fox = "the quick brown fox jumps over the lazy dog near the old river bank today"
    >>> duplicates([fox, "something else", fox + "!"])
    [Duplicate(dropped=2, keeper=0, similarity=1.0, measure='jaccard')]
    """
    arguments = _arguments(options)
    with tempfile.TemporaryFile() as documents, tempfile.TemporaryDirectory() as folder:
        _write(documents, _texts(texts))
        path = os.path.join(folder, "report")
        _run("shdedup", [*arguments, "--dry-run", "--quiet", f"--report={path}"], documents)
        with open(path, "rb") as file:
            rows = [line.rstrip(b"\n").split(b"\t") for line in file]
    return sorted(Duplicate(int(row[0]), int(row[1]), float(row[2]), row[3].decode()) for row in rows)


def kept(texts: Iterable[Optional[Text]], **options: Any) -> List[bool]:
    """For each text, whether dedup() keeps it. The list is a mask for a column.

    pandas: df[kept(df["text"])]; polars: df.filter(kept(df["text"])); Arrow: table.filter(kept(...)).
    None, NaN and pandas.NA are kept.

    >>> kept(["a b c", "a b c!", None])
    [True, False, True]
    """
    known = _texts(texts)
    mask = [True] * len(known)
    for duplicate in duplicates(known, **options):
        mask[duplicate.dropped] = False
    return mask


def dedup(
    items: Iterable[Item],
    *,
    text: Union[None, str, int, Callable[[Item], Optional[Text]]] = None,
    **options: Any,
) -> List[Item]:
    """Runs shdedup(1), and returns the items without near-duplicates, in their order.

    An item is a text when `text` is None. Otherwise `text` names the field with the text, or is a function that
    returns the text. Options are those of the program: threshold=0.7, measure="edit", ngrams=2, keep="longest",
    no_fold=True.

    >>> dedup(["to be or not to be", "To be, or not to be!", "that is the question"])
    ['to be or not to be', 'that is the question']
    >>> dedup([{"id": 1, "body": "a b c d"}, {"id": 2, "body": "a, b, c, d"}], text="body")
    [{'id': 1, 'body': 'a b c d'}]
    >>> dedup(["a"], link="none")
    Traceback (most recent call last):
    simhash_utils.Error: shdedup: --link 'none': expected single or star
    """
    known = list(items)
    return [item for item, keep in zip(known, kept(_field(known, text), **options)) if keep]


def verify(pairs: Iterable[Sequence[int]], texts: Sequence[Optional[Text]], **options: Any) -> List[Verified]:
    """Runs shverify(1), and returns the exact similarity of the texts of each pair.

    A pair begins with two positions in texts, as the pairs of join() do. Options are those of the program:
    measure="containment", threshold=0.8, ngrams=3.

    >>> verify([(0, 1), (0, 2)], ["a b c d", "a b c e", "x y"], threshold=0.1)
    [Verified(first=0, second=1, similarity=0.3333, measure='jaccard')]
    """
    arguments = _arguments(options)
    with tempfile.TemporaryFile() as records, tempfile.NamedTemporaryFile() as documents:
        for pair in pairs:
            first, second = int(pair[0]), int(pair[1])
            if not (0 <= first < len(texts) and 0 <= second < len(texts)):
                raise Error(f"pair ({first}, {second}): expected positions of {len(texts)} texts")
            records.write(b"%d\t%d\t0\n" % (first, second))
        records.seek(0)
        _write(documents, texts)
        rows = _run("shverify", [*arguments, f"--documents={documents.name}"], records)
    return [Verified(int(row[0]), int(row[1]), float(row[3]), row[4].decode()) for row in rows]


def _position(text: Optional[Text], escaped: bytes, offset: int) -> int:
    """The position in the text of a byte of its record. It counts characters of a str, and bytes of bytes."""
    data = re.sub(rb"\\(.)", b".", escaped[:offset])
    return len(data.decode("utf-8", "surrogatepass")) if isinstance(text, str) else len(data)


def _data(text: Text) -> bytes:
    return text.encode("utf-8", "surrogatepass") if isinstance(text, str) else bytes(text)


def _spans_of_queries(
    texts: Sequence[Optional[Text]], queries: Sequence[Optional[Text]], options: Mapping[str, Any]
) -> List[Span]:
    """spans() with queries by libsimhash, without a program."""
    from . import _passages

    def position(text: Optional[Text], data: bytes, offset: int) -> int:
        return len(data[:offset].decode("utf-8", "surrogatepass")) if isinstance(text, str) else offset

    known = [(i, _data(text)) for i, text in enumerate(texts) if text is not None]
    wanted = [(i, _data(text)) for i, text in enumerate(queries) if text is not None]
    data = dict(known)
    found = []
    for i, q, start, end, query_start, query_end, matched, identity in _passages(
            known, [text for _, text in wanted], **options):
        j, query = wanted[q]
        found.append(Span(
            i, position(texts[i], data[i], start), position(texts[i], data[i], end),
            j, position(queries[j], query, query_start), position(queries[j], query, query_end), matched, identity,
        ))
    return found


def spans(
    texts: Sequence[Optional[Text]], *, queries: Optional[Sequence[Optional[Text]]] = None, **options: Any
) -> List[Span]:
    """Runs shspan(1), and returns the passages that two texts share.

    first is the position of the later text. With queries, spans are passages of the queries that texts have, too:
    first is then the position of a text, and second the position of a query. Starts and ends count characters of a
    str, and bytes of bytes. Options are those of the program: min_tokens=30, all=True, identity=0.8.

    >>> line = "four score and seven years ago our fathers brought forth on this continent a new nation"
    >>> for span in spans(["He said: " + line, line + ", conceived in liberty"]):
    ...     print(span.first, span.second, span.matched, ("He said: " + line)[span.start2:span.end2][:14])
    1 0 16 four score and
    """
    if queries is not None and options.keys() <= {"min_tokens", "merge"} and all(
            type(value) is int and 0 <= value < 2**31 for value in options.values()):
        return _spans_of_queries(texts, queries, options)
    arguments = _arguments(options)
    with tempfile.TemporaryFile() as documents, tempfile.NamedTemporaryFile() as wanted:
        _write(documents, texts)
        if queries is not None:
            _write(wanted, queries)
            arguments.append(f"--documents={wanted.name}")
        rows = _run("shspan", arguments, documents)
    records: Dict[Tuple[bool, int], bytes] = {}

    def position(query: bool, index: int, offset: int) -> int:
        text = (queries if query and queries is not None else texts)[index]
        if text is not None and (query, index) not in records:
            records[query, index] = _escaped(text)
        return _position(text, records[query, index], offset)

    found = []
    for row in rows:
        n = [int(field) for field in row[:7]]
        found.append(Span(
            n[0], position(False, n[0], n[1]), position(False, n[0], n[2]),
            n[3], position(True, n[3], n[4]), position(True, n[3], n[5]),
            n[6], float(row[7]),
        ))
    return found


for _public in __all__:
    globals()[_public].__module__ = "simhash_utils"
del _public
