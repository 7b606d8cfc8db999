# SPDX-License-Identifier: MIT
"""Near-duplicates out of files: Parquet by pyarrow, JSONL by shdedup(1), CSV by Python's csv."""
import csv
import importlib
import os
import tempfile
from typing import Any, Iterable, Iterator, List, NamedTuple, Optional, Sequence, Tuple, Union

from ._columns import Texts
from ._library import Error, Text
from ._options import FileOptions, Path, Unpack, arguments
from ._programs import find_duplicates, run


class Counts(NamedTuple):
    """The numbers of records read and written."""

    read: int
    written: int


def _form(path: str) -> str:
    name = path.lower()
    for ending, form in ((".parquet", "parquet"), (".csv", "csv"), (".jsonl", "jsonl"), (".ndjson", "jsonl")):
        if name.endswith(ending) or form == "jsonl" and ending + "." in name:
            return form
    raise Error(f"{path}: expected a name that ends with .parquet, .csv, .jsonl or .ndjson")


def dedup_file(
    source: Path, target: Path, *, text: Union[str, Sequence[str]] = "text", **options: Unpack[FileOptions]
) -> Counts:
    """Copies a file of Parquet, CSV or JSONL without near-duplicates; the names tell the form.

    `text` names the column with the texts, or several, which are joined with a blank. Records are copied as they are,
    in their order. The target appears whole or not at all. Parquet needs pyarrow. JSONL may be compressed. Memory is
    needed for a batch of records, not for the file.

    >>> with open("quotes.csv", "w") as file:
    ...     print('id,text\\n1,"to be, or not"\\n2,to be or not\\n3,the question', file=file)
    >>> dedup_file("quotes.csv", "rest.csv")
    Counts(read=3, written=2)
    >>> print(open("rest.csv").read())
    id,text
    1,"to be, or not"
    3,the question
    <BLANKLINE>
    """
    source, target = os.fspath(source), os.fspath(target)
    form, names = _form(source), [text] if isinstance(text, str) else list(text)
    if _form(target) != form:
        raise Error(f"{target}: expected the form of {source}, {form}")
    if os.path.exists(target) and os.path.samefile(source, target):
        raise Error(f"{target} is the source, too: name another file")
    work = {"parquet": _parquet, "csv": _csv, "jsonl": _jsonl}[form]
    folder = os.path.dirname(os.path.abspath(target))
    with tempfile.TemporaryDirectory(prefix=".simhash-", dir=folder) as room:
        unfinished = os.path.join(room, "target." + form)
        counts = work(source, unfinished, names, options)
        os.replace(unfinished, target)
    return counts


def _mask(texts: Iterable[Optional[Text]], options: Any) -> List[bool]:
    """The mask of dedup(), for texts that come one by one and are not held in memory."""
    n = 0

    def counted() -> Iterator[Optional[Text]]:
        nonlocal n
        for value in texts:
            yield value
            n += 1

    found = find_duplicates(counted(), 0, "dedup_file", options)
    mask = [True] * n
    for duplicate in found:
        mask[duplicate.dropped] = False
    return mask


def _parquet(source: str, target: str, names: List[str], options: Any) -> Counts:
    try:
        parquet = importlib.import_module("pyarrow.parquet")
        arrow = importlib.import_module("pyarrow")
    except ImportError:
        raise Error(f"{source}: Parquet needs pyarrow (pip install pyarrow)") from None
    with parquet.ParquetFile(source) as file:
        missing = [name for name in names if name not in file.schema_arrow.names]
        if missing:
            raise Error(f"{source}: no column {missing[0]!r} (there are {', '.join(file.schema_arrow.names)})")
        mask = _mask(
            (value for batch in file.iter_batches(columns=names)
             for value in Texts(arrow.Table.from_batches([batch]), names).texts),
            options)
        at = 0
        with parquet.ParquetWriter(target, file.schema_arrow) as writer:
            for batch in file.iter_batches():
                writer.write_batch(batch.filter(arrow.array(mask[at : at + len(batch)], arrow.bool_())))
                at += len(batch)
    return Counts(len(mask), sum(mask))


_NOTHING: Tuple[str, List[str]] = ("", [])


def _records(path: str) -> Iterator[Tuple[str, List[str]]]:
    """The records of a CSV file: their lines, and their fields."""
    lines: List[str] = []

    def each() -> Iterator[str]:
        for line in file:
            lines.append(line)
            yield line

    csv.field_size_limit(2**31 - 1)
    with open(path, encoding="utf-8-sig", errors="surrogateescape", newline="") as file:
        for row in csv.reader(each()):
            yield "".join(lines), row
            lines.clear()


def _csv(source: str, target: str, names: List[str], options: Any) -> Counts:
    def texts() -> Iterator[Optional[Text]]:
        records = _records(source)
        header = next(records, _NOTHING)[1]
        for name in names:
            if name not in header:
                raise Error(f"{source}: no column {name!r} (there are {', '.join(header)})")
        places = [header.index(name) for name in names]
        for at, (_, row) in enumerate(records):
            if row and len(row) <= max(places):
                raise Error(f"{source}: record {at + 1} has {len(row)} fields, expected {len(header)}")
            value = " ".join(row[place] for place in places if row)
            yield value.encode("utf-8", "surrogateescape")

    mask = _mask(texts(), options)
    with open(target, "w", encoding="utf-8", errors="surrogateescape", newline="") as out:
        records = _records(source)
        out.write(next(records, _NOTHING)[0])
        out.writelines(lines for stays, (lines, _) in zip(mask, records) if stays)
    return Counts(len(mask), sum(mask))


def _jsonl(source: str, target: str, names: List[str], options: Any) -> Counts:
    progress = options.pop("progress", False)
    fields = ",".join(names)
    args = arguments("dedup_file", FileOptions, options)
    with tempfile.TemporaryDirectory() as folder:
        report = os.path.join(folder, "report")
        run("shdedup", [*args, "--json", "--line-ids", f"--fields={fields}", "--quiet", f"--report={report}",
                        f"--output={target}", os.path.abspath(source)], progress=progress)
        with open(report, "rb") as file:
            dropped = sum(1 for _ in file)
    with open(target, "rb") as file:
        written = sum(1 for _ in file)
    return Counts(dropped + written, written)
