# SPDX-License-Identifier: MIT
"""Archives of documents, by libsimhash. sharchive(1) makes them."""
import ctypes as c
import functools
import os
import re
import tempfile
import threading
import time
from types import TracebackType
from typing import Any, Dict, Iterable, List, NamedTuple, Optional, Tuple, Type, Union

from ._columns import Texts
from ._library import DROPS, MATCHES, CArchiveOptions, CError, Error, Text, buffers, encode, encode_all, fail, lib
from ._options import ArchiveOptions, Path, Unpack, arguments
from ._programs import Report, program_path, run


class Dropped(NamedTuple):
    """A document that was not kept: its id, that of its keeper, their similarity, and its measure."""

    id: str
    keeper: str
    similarity: float
    measure: str


class Match(NamedTuple):
    """A document of an archive that is similar to a text: its id, the similarity, and its measure."""

    id: str
    similarity: float
    measure: str


def _ids(ids: Any) -> List[bytes]:
    """The ids as bytes: a str, bytes or an int each."""
    found = []
    values = ids.tolist() if hasattr(ids, "tolist") else ids
    for at, value in enumerate(Texts([str(v) if isinstance(v, int) else v for v in values]).texts):
        data = b"" if value is None else encode(value)
        if not 0 < len(data) <= 4096 or any(byte in data for byte in (b"\t", b"\n", b"\r")):
            raise Error(f"id {at} is {value!r}: expected 1 to 4096 bytes without TAB, LF and CR")
        found.append(data)
    return found


def _name(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def _made_with(path: str) -> Dict[str, str]:
    """The settings in the manifest of an archive."""
    with open(os.path.join(path, "manifest"), encoding="utf-8", errors="surrogateescape") as manifest:
        rows = [line.rstrip("\n").split(" ", 2) for line in manifest if line.startswith("option ")]
    return {name: value for _, name, value in rows}


def _dictionary(segment: str, words: Optional[Path]) -> Optional[str]:
    """The dictionary of a segmenter, where the programs look for it."""
    if segment.startswith("cppjieba"):
        return os.fspath(words) if words else os.environ.get("SIMHASH_CPPJIEBA")
    bin_ = os.path.dirname(os.path.realpath(program_path("shdedup")))
    near = [os.path.join(bin_, "jieba.dict"), os.path.join(bin_, "..", "share", "simhash-utils", "jieba.dict")]
    return os.environ.get("SIMHASH_JIEBA") or next((path for path in near if os.path.exists(path)), None)


def _megabytes(memory: Union[int, str, None]) -> int:
    size = re.fullmatch(r"(\d+)([KMGT]?)B?", str(memory or "1G"))
    if not size:
        raise Error(f"memory={memory!r}: expected bytes, or a size as '4G'")
    return min(max(int(size[1]) << 10 * " KMGT".index(size[2] or " ") >> 20, 1), 2**32 - 1)


def _processors() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Archive:
    """An archive of documents in a folder, against which texts are compared.

    The archive is made when the folder has none, with the options of `sharchive init`. Later it has its own settings:
    other options are refused. Only `stop`, `dict`, `wait`, `jobs`, `memory` and `progress` must be given each time. Any
    number of processes may use an archive at once: each call locks it while it works, and waits at most `wait` seconds
    for the lock.

    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> with Archive(folder.name + "/seen") as archive:
    ...     archive.add(["a", "b"], ["to be or not to be", "that is the question"])
    ...     archive.add(["c"], ["To be, or not to be!"])
    ...     archive.query("to be or not to be?")
    []
    [Dropped(id='c', keeper='a', similarity=1.0, measure='jaccard')]
    [Match(id='a', similarity=1.0, measure='jaccard')]
    >>> folder.cleanup()
    """

    def __init__(self, path: Path, *, wait: int = 60, **options: Unpack[ArchiveOptions]) -> None:
        self.path = os.path.abspath(os.fspath(path))
        self._recreate = functools.partial(type(self), self.path, wait=wait, **options)
        self._progress = options.pop("progress", False)
        self._options = CArchiveOptions(int(wait), options.pop("jobs", 0) or _processors(),
                                        _megabytes(options.pop("memory", None)))
        store = options.pop("store", "sketch")
        made_with = arguments("Archive", ArchiveOptions, options)
        try:
            self._check(made_with, bool(options.keys() - {"stop", "dict"}))
        except (FileNotFoundError, NotADirectoryError):
            try:
                run("sharchive", ["init", self.path, f"--store={store}", f"--wait={int(wait)}", *made_with])
            except Error:
                # Another process may have made it meanwhile.
                if not os.path.exists(os.path.join(self.path, "manifest")):
                    raise
        words = options.get("dict")
        dictionary = _dictionary(_made_with(self.path).get("--segment", ""), words)
        self._options.dictionary = os.fsencode(dictionary) if dictionary else None
        self._options.stop, self._options.dict = (
            (c.c_char_p * 2)(os.fsencode(file) if file else None, None) for file in (options.get("stop"), words))
        self._lock = threading.Lock()
        self._handle: Optional[int] = None
        self._process = os.getpid()
        self._open()

    def _check(self, made_with: List[str], given: bool) -> None:
        """Refuses other options than those of the archive, by comparing it with a new one. The library checks files."""
        settings = _made_with(self.path)
        if not given:
            return
        with tempfile.TemporaryDirectory() as folder:
            run("sharchive", ["init", folder, *made_with])
            other = _made_with(folder)
        for name, value in settings.items():
            if other.get(name) != value:
                raise Error(f"the archive was made with {name} {value}, not with {other.get(name, 'another setting')}")

    def _open(self) -> int:
        if self._handle is None:
            error = CError()
            self._handle = lib.simhash_archive_open(os.fsencode(self.path), c.byref(self._options), c.byref(error))
            if not self._handle:
                fail(error)
        return self._handle

    def _alone(self) -> threading.Lock:
        """The lock of the library's object. A process that was forked opens its own object, because it would share the
        lock of the archive with its parent, and has a new lock, because the old one may be locked."""
        if self._process != os.getpid():
            self._lock, self._handle, self._process = threading.Lock(), None, os.getpid()
        return self._lock

    def add(self, ids: Iterable[Union[str, bytes, int]], texts: Any) -> List[Dropped]:
        """Adds documents. Returns the documents that are near-duplicates of an archived or an earlier document.

        All other documents stay, and later documents are compared with them. A document that the archive knows, by
        id and text, has the same result again. Add many documents at once: each call writes the archive to the disk.
        """
        known, names = Texts(texts).texts, _ids(ids)
        if len(names) != len(known):
            raise Error(f"{len(names)} ids and {len(known)} texts: expected one id for each text")
        report = Report(self._progress, len(known))
        report("read", 0)
        names = [name for name, text in zip(names, known) if text is not None]
        data = encode_all([text for text in known if text is not None])
        found, error = [], CError()

        def drop(_: object, dropped: Any) -> int:
            d = dropped.contents
            keeper = _name(c.string_at(d.keeper, d.size))
            found.append(Dropped(_name(names[d.document]), keeper, d.similarity, d.measure.decode()))
            return 0

        now = int(os.environ.get("SOURCE_DATE_EPOCH") or time.time())
        with self._alone():
            if lib.simhash_archive_add(self._open(), *buffers(names)[:2], *buffers(data), now, DROPS(drop), None,
                                       c.byref(error)) < 0:
                fail(error)
        report("decided", len(known))
        report.close()
        return found

    def query(self, text: Text) -> List[Match]:
        """The documents that stayed and that are near-duplicates of the text, the most similar first."""
        if not isinstance(text, (str, bytes)):
            raise Error(f"query() compares one text, a str or bytes, not a {type(text).__name__}")
        data, found, error = encode(text), [], CError()

        def add(_: object, matches: Any, n: int) -> int:
            for m in matches[:n]:
                found.append(Match(_name(c.string_at(m.id, m.size)), m.similarity, m.measure.decode()))
            return 0

        with self._alone():
            if lib.simhash_archive_query(self._open(), data, len(data), MATCHES(add), None, c.byref(error)) < 0:
                fail(error)
        return found

    def remove(self, ids: Iterable[Union[str, bytes, int]]) -> int:
        """Removes documents, and those that were dropped as their duplicates. Returns how many were removed."""
        names, sizes, n = buffers(list(_ids(ids)))
        removed, error = c.c_uint64(), CError()
        with self._alone():
            if lib.simhash_archive_remove(self._open(), names, sizes, n, c.byref(removed), c.byref(error)) < 0:
                fail(error)
        return removed.value

    def compact(self) -> None:
        """Merges the files of the archive into one set, which makes queries faster."""
        error = CError()
        with self._alone():
            if lib.simhash_archive_compact(self._open(), c.byref(error)) < 0:
                fail(error)

    def close(self) -> None:
        """Gives memory back. A later call opens the archive again."""
        handle, self._handle = getattr(self, "_handle", None), None
        if handle and self._process == os.getpid():  # a forked process does not own it
            lib.simhash_archive_close(handle)

    __del__ = close

    def __enter__(self) -> "Archive":
        return self

    def __exit__(
        self, kind: Optional[Type[BaseException]], value: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        self.close()

    def __reduce__(self) -> Tuple[Any, ...]:
        return self._recreate, ()

    def __repr__(self) -> str:
        return f"Archive({self.path!r})"
