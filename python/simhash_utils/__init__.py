# SPDX-License-Identifier: MIT
"""Fingerprints of texts, exact joins of fingerprints, and texts without near-duplicates.

libsimhash(3) computes and joins fingerprints. dedup(), verify() and spans() run the programs shdedup(1),
shverify(1) and shspan(1). The programs are in the folder $SIMHASH_PROGRAMS or in $PATH.

A fingerprint is an int. Its hex digits are those of the record that shfp(1) writes for the same text and options.

>>> from simhash_utils import Simhash, distance, join
>>> simhash = Simhash(ngrams=(1, 2))
>>> a = simhash("The quick brown fox jumps over the lazy dog.")
>>> b = simhash("A quick brown fox jumps over the lazy dog!")
>>> simhash.hex(a)
'bd70a85367c730bd'
>>> distance(a, b)
7
>>> join([a, b, 0], 10)
[(0, 1, 7)]
"""
import array as _array
import ctypes as _c
import functools as _functools
import glob as _glob
import operator as _operator
import os as _os
import sys as _sys
import threading as _threading
import typing as _t

from ._programs import Duplicate, Error, Span, Verified, _texts, dedup, duplicates, kept, spans, verify

__all__ = [
    "Bands", "Duplicate", "Error", "Pair", "Simhash", "Span", "Verified", "dedup", "distance", "duplicates",
    "each_pair", "join", "kept", "library_version", "spans", "verify",
]
__version__ = "0.2.0"

_MAX_WORDS = 16
_NO_MEMORY = 1  # code of struct simhash_error
# Types of Arrow whose texts are in one buffer, and the type codes of their offsets.
_ARROW_OFFSETS: _t.Dict[str, _t.Any] = {"string": "i", "binary": "i", "large_string": "q", "large_binary": "q"}

Pair = _t.Tuple[int, int, int]


class _Error(_c.Structure):
    _fields_ = [("code", _c.c_int), ("text", _c.c_char * 512)]


class _Options(_c.Structure):
    _fields_ = [
        ("bits", _c.c_uint),
        ("ngram_min", _c.c_uint),
        ("ngram_max", _c.c_uint),
        ("chars", _c.c_int),
        ("no_fold", _c.c_int),
        ("mask_digits", _c.c_int),
        ("fold_marks", _c.c_int),
        ("join_hyphens", _c.c_int),
        ("weight", _c.c_char_p),
        ("hash", _c.c_char_p),
        ("profile", _c.c_char_p),
        ("seed", _c.c_uint64),
        ("reserved", _c.c_uint64 * 6),
    ]


class _PassageOptions(_c.Structure):
    _fields_ = [
        ("ngram", _c.c_uint),
        ("min_tokens", _c.c_uint),
        ("merge", _c.c_uint),
        ("min_identity", _c.c_double),
        ("chars", _c.c_int),
        ("no_fold", _c.c_int),
        ("reserved", _c.c_uint64 * 6),
    ]


class _Passage(_c.Structure):
    _fields_ = [
        ("query", _c.c_size_t),
        ("start", _c.c_size_t),
        ("end", _c.c_size_t),
        ("query_start", _c.c_size_t),
        ("query_end", _c.c_size_t),
        ("matched", _c.c_size_t),
        ("identity", _c.c_double),
    ]


_PASSAGE = _c.CFUNCTYPE(_c.c_int, _c.c_void_p, _c.POINTER(_Passage))
_PAIR = _c.CFUNCTYPE(_c.c_int, _c.c_void_p, _c.c_size_t, _c.c_size_t, _c.c_uint)
_WORDS = _c.POINTER(_c.c_uint64)


def _open() -> _c.CDLL:
    """Loads $SIMHASH_LIBRARY, or else the library in this package, or else the system's library."""
    named = _os.environ.get("SIMHASH_LIBRARY")
    bundled = sorted(_glob.glob(_os.path.join(_os.path.dirname(_os.path.abspath(__file__)), "libsimhash.*")))
    files = [named] if named else bundled[:1] + ["libsimhash.so.0", "libsimhash.0.dylib"]
    problem = ""
    for file in files:
        try:
            return _c.CDLL(file)
        except OSError as error:
            problem = problem or str(error)
    raise ImportError(
        f"no libsimhash: {problem}. Install libsimhash (make install, or the package libsimhash0), "
        "or name its file in SIMHASH_LIBRARY"
    )


def _declare(lib: _c.CDLL) -> _c.CDLL:
    error = _c.POINTER(_Error)
    for name, result, arguments in (
        ("version", _c.c_char_p, []),
        ("defaults", None, [_c.POINTER(_Options)]),
        ("profile", _c.c_int, [_c.POINTER(_Options), _c.c_char_p, error]),
        ("new", _c.c_void_p, [_c.POINTER(_Options), error]),
        ("free", None, [_c.c_void_p]),
        ("text", _c.c_int, [_c.c_void_p, _c.c_void_p, _c.c_size_t, _WORDS, error]),
        ("join", _c.c_int, [_WORDS, _c.c_size_t, _c.c_uint, _c.c_uint, _PAIR, _c.c_void_p, error]),
        (
            "join_two",
            _c.c_int,
            [_WORDS, _c.c_size_t, _WORDS, _c.c_size_t, _c.c_uint, _c.c_uint, _PAIR, _c.c_void_p, error],
        ),
        ("passages_defaults", None, [_c.POINTER(_PassageOptions)]),
        (
            "passages_new",
            _c.c_void_p,
            [_c.POINTER(_c.c_char_p), _c.POINTER(_c.c_size_t), _c.c_size_t, _c.POINTER(_PassageOptions), error],
        ),
        ("passages_free", None, [_c.c_void_p]),
        ("passages_find", _c.c_int, [_c.c_void_p, _c.c_char_p, _c.c_size_t, _PASSAGE, _c.c_void_p, error]),
        ("bands_new", _c.c_void_p, [_c.c_uint, _c.c_uint, _c.c_uint, error]),
        ("bands_free", None, [_c.c_void_p]),
        ("bands_tables", _c.c_size_t, [_c.c_void_p]),
        ("bands_key_size", _c.c_size_t, [_c.c_void_p]),
        ("bands_key", None, [_c.c_void_p, _c.c_size_t, _WORDS, _c.c_char_p]),
    ):
        function = getattr(lib, "simhash_" + name)
        function.restype = result
        function.argtypes = arguments
    return lib


_lib = _declare(_open())


def _passages(
    texts: _t.Iterable[_t.Tuple[int, bytes]], queries: _t.Sequence[bytes], **options: float
) -> _t.List[_t.Tuple[int, ...]]:
    """The passages of simhash_passages_find(). Each is the number of its text and the members of
    struct simhash_passage."""
    found: _t.List[_t.Tuple[int, ...]] = []
    number, o, error = 0, _PassageOptions(), _Error()
    _lib.simhash_passages_defaults(o)
    for name, value in options.items():
        setattr(o, name, value)

    def add(_: _t.Any, at: _t.Any) -> int:
        p = at.contents
        found.append((number, p.query, p.start, p.end, p.query_start, p.query_end, p.matched, round(p.identity, 4)))
        return 0

    each, n = _PASSAGE(add), len(queries)
    handle = _lib.simhash_passages_new(
        (_c.c_char_p * n)(*queries), (_c.c_size_t * n)(*map(len, queries)), n, o, error)
    if not handle:
        _fail(error)
    try:
        for number, text in texts:
            if _lib.simhash_passages_find(handle, text, len(text), each, None, error) < 0:
                _fail(error)
    finally:
        _lib.simhash_passages_free(handle)
    return found


def __dir__() -> _t.List[str]:
    return __all__ + ["__all__", "__doc__", "__version__"]


def library_version() -> str:
    """The version of the shared library, for example "1.2.3"."""
    version: bytes = _lib.simhash_version()
    return version.decode()


def _fail(error: _Error) -> _t.NoReturn:
    text = error.text.decode("utf-8", "replace")
    if error.code == _NO_MEMORY:
        raise MemoryError(text)
    raise Error(text)


def _unsigned(value: int, what: str, limit: int = 1 << 32) -> int:
    """Raises Error for a number outside 0..limit - 1. ctypes would reduce it modulo 2**32 or 2**64."""
    number = _operator.index(value)
    if not 0 <= number < limit:
        raise Error(f"{what} {number}: expected a number from 0 to {limit - 1}")
    return number


def _words(bits: int) -> int:
    if not 1 <= bits <= 64 * _MAX_WORDS:
        raise Error(f"{bits} bits: expected 1 to {64 * _MAX_WORDS}")
    return (bits + 63) // 64


def _at_position(fingerprint: _t.Any, bits: int, position: int) -> int:
    if fingerprint is None:
        raise Error(f"fingerprint {position} is None, because its text has no features: leave it out")
    return _of_width(fingerprint, bits)


def _of_width(fingerprint: _t.Any, bits: int) -> int:
    fp = _not_negative(fingerprint)
    if fp >= 1 << bits:
        raise Error(f"fingerprint {fp:#x}: expected at most {bits} bits")
    return fp


def _not_negative(fingerprint: _t.Any) -> int:
    """Databases without unsigned numbers store some fingerprints as negative numbers. Their bits differ in Python."""
    fp = _operator.index(fingerprint)
    if fp < 0:
        raise Error(f"fingerprint {fp}: negative (if it is a signed number of 64 bits, use n % 2**64)")
    return fp


def _pack(fingerprints: _t.Iterable[int], bits: int) -> "_t.Tuple[_c.Array[_c.c_uint64], int]":
    """The fingerprints in the form of the library, and their number. A fingerprint's first bit is the highest bit of
    its word 0."""
    words = _words(bits)
    known = list(fingerprints)
    try:
        # The common case, twenty times as fast. After a failure the loop below raises the error.
        packed = _array.array("Q", known if bits == 64 else ())
    except (OverflowError, TypeError):
        packed = _array.array("Q")
    if len(packed) < len(known):
        shift = 64 * words - bits
        for at, fingerprint in enumerate(known):
            fp = _at_position(fingerprint, bits, at) << shift
            packed.extend((fp >> 64 * word) & 0xFFFFFFFFFFFFFFFF for word in range(words - 1, -1, -1))
    packed.append(0)  # an empty array has no address
    return (_c.c_uint64 * len(packed)).from_buffer(packed), len(known)


def _unpack(packed: "_c.Array[_c.c_uint64]", bits: int) -> int:
    words = _words(bits)
    fp = 0
    for word in range(words):
        fp = fp << 64 | packed[word]
    return fp >> (64 * words - bits)


class Simhash:
    """Computes fingerprints of texts with one set of options, which are options of shfp(1).

    profile names a published system. Its rules apply to all options that are not given. Without options the
    fingerprints are those of shfp(1) without options.
    Several threads may use one object at once. Pickling copies the object, so that a Pool can map it.

    >>> Simhash(bits=128, weight="tf").hex(Simhash(bits=128, weight="tf")("to be or not to be"))
    '04c04d804809c3154874605e10820175'
    >>> print(Simhash()("?!"))
    None
    >>> Simhash(profile="pysimhash")("How are you? I Am fine. blar blar blar blar blar Thanks.")
    8440240427182201978
    >>> Simhash(weight="heavy")
    Traceback (most recent call last):
    simhash_utils.Error: weight 'heavy': expected set, tf, freq or log
    """

    bits: int

    def __init__(
        self,
        bits: _t.Optional[int] = None,
        ngrams: _t.Union[int, _t.Tuple[int, int], None] = None,
        *,
        chars: _t.Optional[bool] = None,
        fold: _t.Optional[bool] = None,
        mask_digits: bool = False,
        fold_marks: bool = False,
        join_hyphens: bool = False,
        weight: _t.Optional[str] = None,
        hash: _t.Optional[str] = None,
        seed: int = 0,
        profile: _t.Optional[str] = None,
    ) -> None:
        options, error = _Options(), _Error()
        self._recreate = _functools.partial(
            type(self), bits, ngrams, chars=chars, fold=fold, mask_digits=mask_digits,
            fold_marks=fold_marks, join_hyphens=join_hyphens, weight=weight, hash=hash, seed=seed, profile=profile,
        )
        self._unused: _t.List[int] = []
        self._options = options
        _lib.simhash_defaults(_c.byref(options))
        if profile is not None and _lib.simhash_profile(_c.byref(options), profile.encode(), _c.byref(error)) < 0:
            _fail(error)
        if bits is not None:
            options.bits = _unsigned(bits, "bits")
        if ngrams is not None:
            low, high = (ngrams, ngrams) if isinstance(ngrams, _t.SupportsIndex) else ngrams
            options.ngram_min, options.ngram_max = _unsigned(low, "ngrams"), _unsigned(high, "ngrams")
        if chars is not None:
            options.chars = bool(chars)
        if fold is not None:
            options.no_fold = not fold
        options.mask_digits = bool(mask_digits)
        options.fold_marks, options.join_hyphens = bool(fold_marks), bool(join_hyphens)
        if weight is not None:
            options.weight = weight.encode()
        if hash is not None:
            options.hash = hash.encode()
        options.seed = _unsigned(seed, "seed", 1 << 64)
        self._unused.append(self._new())
        self.bits = options.bits

    def _new(self) -> int:
        error = _Error()
        handle: int = _lib.simhash_new(_c.byref(self._options), _c.byref(error))
        if not handle:
            _fail(error)
        return handle

    def __del__(self) -> None:
        # Another object of the same reference cycle may still call this object after __del__().
        while getattr(self, "_unused", None):
            _lib.simhash_free(self._unused.pop())

    def __reduce__(self) -> _t.Tuple[_t.Any, ...]:
        return self._recreate, ()

    def __call__(self, text: _t.Union[str, bytes, bytearray, memoryview]) -> _t.Optional[int]:
        """The fingerprint of a text; None when the text has no features. bytes are UTF-8."""
        if isinstance(text, str):
            data = text.encode("utf-8", "surrogatepass")
        else:
            data = text if isinstance(text, bytes) else bytes(memoryview(text))
        return self._fingerprint(data, len(data))

    def _fingerprint(self, data: _t.Union[bytes, _c.c_void_p], size: int) -> _t.Optional[int]:
        error, room = _Error(), (_c.c_uint64 * _MAX_WORDS)()
        # A lock would stay locked in a process forked meanwhile, and a signal's handler may call this function.
        try:
            handle = self._unused.pop()
        except IndexError:
            handle = self._new()
        try:
            got = _lib.simhash_text(handle, data, size, room, _c.byref(error))
        finally:
            self._unused.append(handle)
        if got < 0:
            _fail(error)
        return _unpack(room, self.bits) if got else None

    def column(self, texts: _t.Iterable[_t.Any]) -> _t.List[_t.Optional[int]]:
        """The fingerprints of a column; None for a null and for a text without features.

        The column is a list, or a column of pandas, polars or Arrow. Texts in Arrow's buffers are not copied.

        pandas: df["fp"] = simhash.column(df["text"]); polars: pl.Series(simhash.column(df["text"]), dtype=pl.UInt64).
        For datasets use the Arrow format, which keeps all 64 bits also in columns with nulls:

            def add_fingerprints(table):
                return table.append_column("fp", pyarrow.array(simhash.column(table["text"]), "uint64"))

            data = data.with_format("arrow").map(add_fingerprints, batched=True)

        >>> Simhash(bits=32).column(["to be", None, ""]) == [Simhash(bits=32)("to be"), None, None]
        True
        """
        found: _t.List[_t.Optional[int]] = []
        for chunk in getattr(texts, "chunks", [texts]):
            if str(getattr(chunk, "type", "")) in _ARROW_OFFSETS and hasattr(chunk, "buffers"):
                found.extend(self._arrow(chunk))
            else:
                found.extend(None if text is None else self(text) for text in _texts(chunk))
        return found

    def _arrow(self, chunk: _t.Any) -> _t.Iterator[_t.Optional[int]]:
        """The fingerprints of a pyarrow.Array of texts. Its buffers have the offsets and the bytes of the texts."""
        if len(chunk) == 0:
            return
        _, offsets, data = chunk.buffers()
        at = memoryview(offsets).cast("B").cast(_ARROW_OFFSETS[str(chunk.type)])[chunk.offset :]
        base = data.address if data is not None else 0
        valid = chunk.is_valid().to_pylist() if chunk.null_count else None
        for i in range(len(chunk)):
            if valid is not None and not valid[i]:
                yield None
            else:
                yield self._fingerprint(_c.c_void_p(base + at[i]), at[i + 1] - at[i])

    def hex(self, fingerprint: int) -> str:
        """The hex digits of a fingerprint in a record.

        >>> Simhash(bits=32).hex(255)
        '000000ff'
        >>> Simhash(bits=13, profile="gemantic").hex(255)
        '00ff'
        """
        return f"{_of_width(fingerprint, self.bits):0{(self.bits + 3) // 4}x}"


def distance(a: int, b: int) -> int:
    """The number of bits in which two fingerprints differ.

    >>> distance(0b1100, 0b1010)
    2
    """
    return bin(_not_negative(a) ^ _not_negative(b)).count("1")


def each_pair(
    fingerprints: _t.Iterable[int],
    distance: int,
    pair: _t.Callable[[int, int, int], object],
    *,
    other: _t.Optional[_t.Iterable[int]] = None,
    bits: int = 64,
) -> None:
    """Calls pair(i, j, d) for each pair of fingerprints with a Hamming distance d of at most `distance` bits.

    i and j are positions in fingerprints, i < j. With other, i is a position in fingerprints, and j one in other.
    Every pair comes exactly once, in no defined order. An exception raised by pair ends the join.

    >>> each_pair([0, 1, 255], 1, print)
    0 1 1
    """
    failed: _t.List[BaseException] = []

    def call(_argument: object, i: int, j: int, d: int) -> int:
        if failed:
            return -1
        try:
            pair(i, j, d)
        except BaseException as exception:
            failed.append(exception)
            return -1
        return 0

    def ignored(args: _t.Any) -> None:
        """Ends the join after an exception that a signal's handler raised in call() before `try`. ctypes would ignore
        the exception."""
        if args.exc_traceback and args.exc_traceback.tb_frame.f_code is call.__code__:
            failed.append(args.exc_value)
        else:
            before(args)

    error = _Error()
    bits, k = _unsigned(bits, "bits"), _unsigned(distance, "distance")
    packed, n = _pack(fingerprints, bits)
    others, m = _pack(() if other is None else other, bits)
    before = _sys.unraisablehook
    if _threading.current_thread() is _threading.main_thread():  # only the main thread handles signals
        _sys.unraisablehook = ignored
    try:
        if other is None:
            status = _lib.simhash_join(packed, n, bits, k, _PAIR(call), None, _c.byref(error))
        else:
            status = _lib.simhash_join_two(packed, n, others, m, bits, k, _PAIR(call), None, _c.byref(error))
    finally:
        if _sys.unraisablehook is ignored:
            _sys.unraisablehook = before
    if failed:
        raise failed.pop()
    if status < 0:
        _fail(error)


def join(
    fingerprints: _t.Iterable[int], distance: int, *, other: _t.Optional[_t.Iterable[int]] = None, bits: int = 64
) -> _t.List[Pair]:
    """The pairs of each_pair(), sorted.

    >>> join([7, 7, 15], 1)
    [(0, 1, 0), (0, 2, 1), (1, 2, 1)]
    >>> join([7, 8], 1, other=[0, 15])
    [(0, 1, 1), (1, 0, 1)]
    """
    pairs: _t.List[Pair] = []
    each_pair(fingerprints, distance, lambda i, j, d: pairs.append((i, j, d)), other=other, bits=bits)
    pairs.sort()
    return pairs


class Bands:
    """Computes the keys of shband(1): two fingerprints within the distance have at least one key in common.

    Keys in an index or a sorted file give the candidates among fingerprints that do not fit in memory.
    blocks=0 selects the cheapest number of blocks for a million fingerprints.

    >>> bands = Bands(64, 3, blocks=4)
    >>> bands.keys(0x0123456789abcdef)
    ['030400123', '030414567', '0304289ab', '03043cdef']
    >>> len(bands), len(Bands(64, 10))
    (4, 11)
    """

    def __init__(self, bits: int, distance: int, *, blocks: int = 0) -> None:
        self._recreate = _functools.partial(type(self), bits, distance, blocks=blocks)
        self._object: _t.Optional[int] = None
        bits, distance = _unsigned(bits, "bits"), _unsigned(distance, "distance")
        blocks = _unsigned(blocks, "blocks")
        self._make = _functools.partial(_lib.simhash_bands_new, bits, distance, blocks)
        handle = self._handle()
        self.bits = bits
        self._tables: int = _lib.simhash_bands_tables(handle)
        self._size: int = _lib.simhash_bands_key_size(handle)

    def _handle(self) -> int:
        handle: int = self._object or 0
        if not handle:
            error = _Error()
            handle = self._make(_c.byref(error))
            if not handle:
                _fail(error)
            self._object = handle
        return handle

    def __del__(self) -> None:
        # See Simhash.__del__().
        handle, self._object = getattr(self, "_object", None), None
        if handle:
            _lib.simhash_bands_free(handle)

    def __reduce__(self) -> _t.Tuple[_t.Any, ...]:
        return self._recreate, ()

    def __len__(self) -> int:
        """The number of keys of each fingerprint."""
        return self._tables

    def keys(self, fingerprint: int) -> _t.List[str]:
        """The keys of a fingerprint. Each key has the number of its table."""
        return list(self.each_key(fingerprint))

    def each_key(self, fingerprint: int) -> _t.Iterator[str]:
        """The keys of keys(), one by one."""
        packed, _ = _pack([fingerprint], self.bits)
        room = _c.create_string_buffer(self._size + 1)
        for table in range(self._tables):
            _lib.simhash_bands_key(self._handle(), table, packed, room)
            yield room.value.decode("ascii")
