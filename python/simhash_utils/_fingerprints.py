# SPDX-License-Identifier: MIT
"""Fingerprints of texts, their joins and their bands: shfp(1), shjoin(1) and shband(1) by libsimhash."""
import array
import ctypes as c
import functools
import operator
import struct
import sys
import threading
from typing import Any, Callable, Dict, Iterable, Iterator, List, Optional, Sequence, SupportsIndex, Tuple, Union

from ._columns import TextOf, Texts
from ._library import (
    MAX_WORDS, PAIRS, CError, Error, Options, encode, encode_all, fail, lib,
)

Pair = Tuple[int, int, int]
_SIZE = "Q" if c.sizeof(c.c_size_t) == 8 else "I"  # the code of size_t for array
_AT_ONCE = 2000  # texts that cross to the library at once: fewer cost more calls, more leave the cache


def library_version() -> str:
    """The version of the shared library, for example "1.2.3"."""
    version: bytes = lib.simhash_version()
    return version.decode()


def _unsigned(value: SupportsIndex, what: str, limit: int = 1 << 32) -> int:
    """Raises Error for a number outside 0..limit - 1. ctypes would reduce it modulo 2**32 or 2**64."""
    number = operator.index(value)
    if not 0 <= number < limit:
        raise Error(f"{what} {number}: expected a number from 0 to {limit - 1}")
    return number


def _words(bits: int) -> int:
    if not 1 <= bits <= 64 * MAX_WORDS:
        raise Error(f"{bits} bits: expected 1 to {64 * MAX_WORDS}")
    return (bits + 63) // 64


def _at_position(fingerprint: Any, bits: int, position: int) -> int:
    if fingerprint is None:
        raise Error(f"fingerprint {position} is None, because its text has no features: leave it out")
    return _of_width(fingerprint, bits)


def _of_width(fingerprint: Any, bits: int) -> int:
    fp = _not_negative(fingerprint)
    if fp >= 1 << bits:
        raise Error(f"fingerprint {fp:#x}: expected at most {bits} bits")
    return fp


def _not_negative(fingerprint: Any) -> int:
    """Databases without unsigned numbers store some fingerprints as negative numbers. Their bits differ in Python."""
    fp = operator.index(fingerprint)
    if fp < 0:
        raise Error(f"fingerprint {fp}: negative (if it is a signed number of 64 bits, use n % 2**64)")
    return fp


def _pack(fingerprints: Iterable[int], bits: int) -> "Tuple[c.Array[c.c_uint64], int]":
    """The fingerprints in the form of the library, and their number. A fingerprint's first bit is the highest bit of
    its word 0."""
    words = _words(bits)
    as_list = getattr(fingerprints, "to_pylist", None)
    known = as_list() if as_list else list(fingerprints)
    try:
        # The common case, twenty times as fast. After a failure the loop below raises the error.
        packed = array.array("Q", known if bits == 64 else ())
    except (OverflowError, TypeError):
        packed = array.array("Q")
    if len(packed) < len(known):
        shift = 64 * words - bits
        for at, fingerprint in enumerate(known):
            fp = _at_position(fingerprint, bits, at) << shift
            packed.extend((fp >> 64 * word) & 0xFFFFFFFFFFFFFFFF for word in range(words - 1, -1, -1))
    packed.append(0)  # an empty array has no address
    return (c.c_uint64 * len(packed)).from_buffer(packed), len(known)


def _unpack(packed: "Sequence[int]", has: bytes, bits: int) -> List[Optional[int]]:
    words = _words(bits)
    shift = 64 * words - bits
    found: List[Optional[int]] = []
    if bits == 64 and 0 not in has:
        found.extend(packed[: len(has)])
        return found
    if words == 1:
        return [fp >> shift if known else None for fp, known in zip(packed, has)]
    for at, known in enumerate(has):
        fp = functools.reduce(lambda high, low: high << 64 | low, packed[words * at : words * (at + 1)])
        found.append(fp >> shift if known else None)
    return found


class Simhash:
    """Computes fingerprints of texts with one set of options, which are options of shfp(1).

    profile names a published system. Its rules apply to all options that are not given. Without options the
    fingerprints equal the output of shfp(1) without options.
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
        bits: Optional[int] = None,
        ngrams: Union[int, Tuple[int, int], None] = None,
        *,
        chars: Optional[bool] = None,
        fold: Optional[bool] = None,
        mask_digits: bool = False,
        fold_marks: bool = False,
        join_hyphens: bool = False,
        weight: Optional[str] = None,
        hash: Optional[str] = None,
        seed: int = 0,
        profile: Optional[str] = None,
    ) -> None:
        options, error = Options(), CError()
        given = {
            "bits": bits, "ngrams": ngrams, "chars": chars, "fold": fold, "mask_digits": mask_digits or None,
            "fold_marks": fold_marks or None, "join_hyphens": join_hyphens or None, "weight": weight, "hash": hash,
            "seed": seed or None, "profile": profile,
        }
        self._given: Dict[str, Any] = {name: value for name, value in given.items() if value is not None}
        self._unused: List[int] = []
        self._options = options
        lib.simhash_defaults(c.byref(options))
        if profile is not None and lib.simhash_profile(c.byref(options), profile.encode(), c.byref(error)) < 0:
            fail(error)
        if bits is not None:
            options.bits = _unsigned(bits, "bits")
        if ngrams is not None:
            low, high = (ngrams, ngrams) if isinstance(ngrams, SupportsIndex) else ngrams
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
        error = CError()
        handle: int = lib.simhash_new(c.byref(self._options), c.byref(error))
        if not handle:
            fail(error)
        return handle

    def __del__(self) -> None:
        # Another object of the same reference cycle may still call this object after __del__().
        while getattr(self, "_unused", None):
            lib.simhash_free(self._unused.pop())

    def __reduce__(self) -> Tuple[Any, ...]:
        return functools.partial(type(self), **self._given), ()

    def __repr__(self) -> str:
        return f"Simhash({', '.join(f'{name}={value!r}' for name, value in self._given.items())})"

    def __call__(self, text: Union[str, bytes, bytearray, memoryview]) -> Optional[int]:
        """The fingerprint of a text; None when the text has no features. bytes are UTF-8."""
        data, error, room = encode(text), CError(), (c.c_uint64 * MAX_WORDS)()
        got: int = self._with_object(lambda handle: lib.simhash_text(handle, data, len(data), room, error))
        if got < 0:
            fail(error)
        return _unpack(room[: _words(self.bits)], b"\1", self.bits)[0] if got else None

    def _with_object(self, call: Callable[[int], Any]) -> int:
        """Calls a function with an object of the library that no other thread uses. A lock would stay locked in a
        process forked meanwhile, and a signal's handler may call this function."""
        try:
            handle = self._unused.pop()
        except IndexError:
            handle = self._new()
        try:
            result: int = call(handle)
            return result
        finally:
            self._unused.append(handle)

    def _fingerprints(self, data: List[bytes]) -> List[Optional[int]]:
        n, error = len(data), CError()
        sizes = array.array(_SIZE, map(len, data))
        packed = array.array("Q", bytes(8 * (n * _words(self.bits) + 1)))
        room, has = (c.c_uint64 * len(packed)).from_buffer(packed), c.create_string_buffer(n + 1)
        at, joined = (c.c_size_t * n).from_buffer(sizes), b"".join(data)
        if self._with_object(lambda handle: lib.simhash_texts(handle, joined, at, n, room, has, error)) < 0:
            fail(error)
        return _unpack(packed, has.raw[:n], self.bits)

    def column(self, texts: Any, *, text: TextOf = None) -> Any:
        """The fingerprints of texts, in a collection of the same type; None for a null and for a text without features.

        The texts are a list, a column of pandas, polars or Arrow, or a table whose column `text` names; see dedup().

        >>> Simhash(bits=32).column(["to be", None, ""]) == [Simhash(bits=32)("to be"), None, None]
        True
        """
        known, found = Texts(texts, text), []  # type: Texts, List[Optional[int]]
        for at in range(0, len(known.texts), _AT_ONCE):
            some = known.texts[at : at + _AT_ONCE]
            prints = self._fingerprints(encode_all(some))
            found += [None if t is None else fp for t, fp in zip(some, prints)] if known.nulls else prints
        return known.like(found, "uint64" if self.bits <= 64 else None)

    def hex(self, fingerprint: int) -> str:
        """The hex digits of a fingerprint in a record.

        >>> Simhash(bits=32).hex(255)
        '000000ff'
        >>> Simhash(bits=13, profile="gemantic").hex(255)
        '00ff'
        """
        return f"{_of_width(fingerprint, self.bits):0{(self.bits + 3) // 4}x}"


def fingerprints(
    texts: Any,
    *,
    text: TextOf = None,
    bits: Optional[int] = None,
    ngrams: Union[int, Tuple[int, int], None] = None,
    chars: Optional[bool] = None,
    fold: Optional[bool] = None,
    mask_digits: bool = False,
    fold_marks: bool = False,
    join_hyphens: bool = False,
    weight: Optional[str] = None,
    hash: Optional[str] = None,
    seed: int = 0,
    profile: Optional[str] = None,
) -> Any:
    """The fingerprints of texts, in a column of the same type: Simhash(...).column(texts).

    >>> fingerprints(["to be", None, ""], bits=32)
    [12586368, None, None]
    """
    simhash = Simhash(
        bits, ngrams, chars=chars, fold=fold, mask_digits=mask_digits, fold_marks=fold_marks, join_hyphens=join_hyphens,
        weight=weight, hash=hash, seed=seed, profile=profile)
    return simhash.column(texts, text=text)


def distance(a: int, b: int) -> int:
    """The number of bits in which two fingerprints differ.

    >>> distance(0b1100, 0b1010)
    2
    """
    return bin(_not_negative(a) ^ _not_negative(b)).count("1")


def _each_batch(
    fingerprints: Iterable[int], distance: int, other: Optional[Iterable[int]], bits: int,
    each: Callable[[bytes], object],
) -> None:
    """Passes the pairs to `each`, some at a time: three numbers of 32 bits a pair, as in struct simhash_pair."""
    failed: List[BaseException] = []

    def call(_: object, pairs: int, n: int) -> int:
        if failed:
            return -1
        try:
            each(c.string_at(pairs, 12 * n))
        except BaseException as exception:
            failed.append(exception)
            return -1
        return 0

    def ignored(args: Any) -> None:
        """Ends the join after an exception that a signal's handler raised in call() before `try`. ctypes would ignore
        the exception."""
        if args.exc_traceback and args.exc_traceback.tb_frame.f_code is call.__code__:
            failed.append(args.exc_value)
        else:
            before(args)

    error = CError()
    bits, k = _unsigned(bits, "bits"), _unsigned(distance, "distance")
    packed, n = _pack(fingerprints, bits)
    others, m = _pack(() if other is None else other, bits)
    before = sys.unraisablehook
    if threading.current_thread() is threading.main_thread():  # only the main thread handles signals
        sys.unraisablehook = ignored
    try:
        if other is None:
            status = lib.simhash_join(packed, n, bits, k, PAIRS(call), None, c.byref(error))
        else:
            status = lib.simhash_join_two(packed, n, others, m, bits, k, PAIRS(call), None, c.byref(error))
    finally:
        if sys.unraisablehook is ignored:
            sys.unraisablehook = before
    if failed:
        raise failed.pop()
    if status < 0:
        fail(error)


def each_pair(
    fingerprints: Iterable[int],
    distance: int,
    pair: Callable[[int, int, int], object],
    *,
    other: Optional[Iterable[int]] = None,
    bits: int = 64,
) -> None:
    """Calls pair(i, j, d) for each pair of fingerprints with a Hamming distance d of at most `distance` bits.

    i and j are positions in fingerprints, i < j. With other, i is a position in fingerprints, and j one in other.
    Every pair comes exactly once, in no defined order. An exception raised by pair ends the join.

    >>> each_pair([0, 1, 255], 1, print)
    0 1 1
    """

    def each(pairs: bytes) -> None:
        for i, j, d in struct.iter_unpack("=III", pairs):
            pair(i, j, d)

    _each_batch(fingerprints, distance, other, bits, each)


def join(
    fingerprints: Iterable[int], distance: int, *, other: Optional[Iterable[int]] = None, bits: int = 64
) -> List[Pair]:
    """The pairs of each_pair(), sorted.

    >>> join([7, 7, 15], 1)
    [(0, 1, 0), (0, 2, 1), (1, 2, 1)]
    >>> join([7, 8], 1, other=[0, 15])
    [(0, 1, 1), (1, 0, 1)]
    """
    found = bytearray()
    _each_batch(fingerprints, distance, other, bits, found.extend)
    lib.simhash_sort_pairs((c.c_char * len(found)).from_buffer(found), len(found) // 12)
    pairs: List[Any] = list(struct.iter_unpack("=III", found))
    return pairs


class Bands:
    """Computes the keys of shband(1): two fingerprints within the distance have at least one key in common.

    Keys in an index or a sorted file give the candidates among fingerprints that do not fit in memory.
    blocks=0 selects distance + 1 blocks, which make the fewest keys.

    >>> bands = Bands(64, 3, blocks=4)
    >>> bands.keys(0x0123456789abcdef)
    ['030400123', '030414567', '0304289ab', '03043cdef']
    >>> len(bands), len(Bands(64, 10))
    (4, 11)
    """

    def __init__(self, bits: int, distance: int, *, blocks: int = 0) -> None:
        self._object: Optional[int] = None
        self._given = _unsigned(bits, "bits"), _unsigned(distance, "distance"), _unsigned(blocks, "blocks")
        handle = self._handle()
        self.bits = self._given[0]
        self._tables: int = lib.simhash_bands_tables(handle)
        self._size: int = lib.simhash_bands_key_size(handle)

    def _handle(self) -> int:
        handle: int = self._object or 0
        if not handle:
            error = CError()
            handle = lib.simhash_bands_new(*self._given, c.byref(error))
            if not handle:
                fail(error)
            self._object = handle
        return handle

    def __del__(self) -> None:
        # See Simhash.__del__().
        handle, self._object = getattr(self, "_object", None), None
        if handle:
            lib.simhash_bands_free(handle)

    def __reduce__(self) -> Tuple[Any, ...]:
        bits, distance, blocks = self._given
        return functools.partial(type(self), bits, distance, blocks=blocks), ()

    def __repr__(self) -> str:
        return "Bands({}, {}, blocks={})".format(*self._given)

    def __len__(self) -> int:
        """The number of keys of each fingerprint."""
        return self._tables

    def keys(self, fingerprint: int) -> List[str]:
        """The keys of a fingerprint. Each key has the number of its table."""
        return list(self.each_key(fingerprint))

    def each_key(self, fingerprint: int) -> Iterator[str]:
        """The keys of keys(), one by one."""
        packed, _ = _pack([fingerprint], self.bits)
        room = c.create_string_buffer(self._size + 1)
        for table in range(self._tables):
            lib.simhash_bands_key(self._handle(), table, packed, room)
            yield room.value.decode("ascii")
