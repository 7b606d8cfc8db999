# SPDX-License-Identifier: MIT
"""Archives of documents: queries by libsimhash, new documents by shdedup(1)."""
import ctypes as c
import functools
import os
import tempfile
import threading
from types import TracebackType
from typing import Any, Iterable, List, NamedTuple, Optional, Tuple, Type, Union

from ._columns import Texts
from ._library import MATCHES, CError, Error, Text, buffers, encode, fail, lib
from ._options import ArchiveOptions, Path, Unpack, arguments
from ._programs import run, write


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


class Archive:
    """An archive of documents in a folder, against which texts are compared.

    The archive is made when the folder has none. A new archive takes the options of `sharchive init`; give the same
    options whenever you open it again. Any number of processes may use an archive at once: each call locks it while it
    works, and waits at most `wait` seconds for the lock.

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
        self._wait, self._progress = int(wait), options.pop("progress", False)
        store = options.pop("store", "sketch")
        self._arguments = [*arguments("Archive", ArchiveOptions, options), f"--wait={self._wait}"]
        self._lock = threading.Lock()
        self._handle: Optional[int] = None
        self._process = os.getpid()
        try:
            self._open()
        except Error:
            if os.path.exists(os.path.join(self.path, "manifest")):
                raise
            try:
                made_with = [a for a in self._arguments if not a.startswith("--memory=")]
                run("sharchive", ["init", self.path, f"--store={store}", *made_with])
            except Error:
                # Another process may have made it meanwhile.
                if not os.path.exists(os.path.join(self.path, "manifest")):
                    raise
            self._open()

    def _open(self) -> int:
        if self._handle is None:
            error = CError()
            self._handle = lib.simhash_archive_open(os.fsencode(self.path), self._wait, c.byref(error))
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
        """Adds documents. Returns the near-duplicates among them: of an archived document, or of an earlier one.

        All other documents stay, and later documents are compared with them. A document that the archive knows, by
        id and text, has the same result again. Add many documents at once: each call costs a process and a sync.
        """
        known, names = Texts(texts).texts, _ids(ids)
        if len(names) != len(known):
            raise Error(f"{len(names)} ids and {len(known)} texts: expected one id for each text")
        with tempfile.TemporaryFile() as documents, tempfile.TemporaryDirectory() as folder:
            write(documents, names, known)
            report = os.path.join(folder, "report")
            run("shdedup", [*self._arguments, f"--archive={self.path}", "--quiet", f"--report={report}",
                            "--output=/dev/null"], documents, self._progress, len(known))
            with open(report, "rb") as file:
                rows = [line.rstrip(b"\n").split(b"\t") for line in file]
        return [
            Dropped(_name(name), _name(keeper), float(similarity), measure.decode())
            for name, keeper, similarity, measure in rows
        ]

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
