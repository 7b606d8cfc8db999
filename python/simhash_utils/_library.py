# SPDX-License-Identifier: MIT
"""libsimhash(3) by ctypes: lib/simhash.h, declared again."""
import ctypes as c
import glob
import os
from typing import Any, List, NoReturn, Optional, Sequence, Tuple, Union

Text = Union[str, bytes]
MAX_WORDS = 16
NO_MEMORY = 1  # code of struct simhash_error


class Error(ValueError):
    """An error of the library or of a program, or an argument that is refused, with the way out in its message."""


class CError(c.Structure):
    _fields_ = [("code", c.c_int), ("text", c.c_char * 512)]


class Options(c.Structure):
    _fields_ = [
        ("bits", c.c_uint),
        ("ngram_min", c.c_uint),
        ("ngram_max", c.c_uint),
        ("chars", c.c_int),
        ("no_fold", c.c_int),
        ("mask_digits", c.c_int),
        ("fold_marks", c.c_int),
        ("join_hyphens", c.c_int),
        ("weight", c.c_char_p),
        ("hash", c.c_char_p),
        ("profile", c.c_char_p),
        ("seed", c.c_uint64),
        ("reserved", c.c_uint64 * 6),
    ]


class CMatch(c.Structure):
    _fields_ = [("id", c.c_void_p), ("size", c.c_size_t), ("similarity", c.c_double), ("measure", c.c_char_p)]


class CDrop(c.Structure):
    _fields_ = [("document", c.c_size_t), ("keeper", c.c_void_p), ("size", c.c_size_t), ("similarity", c.c_double),
                ("measure", c.c_char_p)]


class CArchiveOptions(c.Structure):
    _fields_ = [("wait", c.c_uint), ("jobs", c.c_uint), ("memory_mb", c.c_uint), ("stop", c.POINTER(c.c_char_p)),
                ("dict", c.POINTER(c.c_char_p)), ("dictionary", c.c_char_p), ("reserved", c.c_uint64 * 4)]


class VerifyOptions(c.Structure):
    _fields_ = [
        ("measure", c.c_char_p),
        ("threshold", c.c_double),
        ("edit_threshold", c.c_double),
        ("ngram_min", c.c_uint),
        ("ngram_max", c.c_uint),
        ("chars", c.c_int),
        ("no_fold", c.c_int),
        ("mask_digits", c.c_int),
        ("fold_marks", c.c_int),
        ("join_hyphens", c.c_int),
        ("weight", c.c_char_p),
        ("reserved", c.c_uint64 * 6),
    ]


class CSimilarity(c.Structure):
    _fields_ = [("similarity", c.c_double), ("measure", c.c_char_p), ("similar", c.c_int)]


WORDS = c.POINTER(c.c_uint64)
TEXTS = c.POINTER(c.c_char_p)
SIZES = c.POINTER(c.c_size_t)
PAIRS = c.CFUNCTYPE(c.c_int, c.c_void_p, c.c_void_p, c.c_size_t)
MATCHES = c.CFUNCTYPE(c.c_int, c.c_void_p, c.POINTER(CMatch), c.c_size_t)
DROPS = c.CFUNCTYPE(c.c_int, c.c_void_p, c.POINTER(CDrop))


def _open() -> c.CDLL:
    """Loads $SIMHASH_LIBRARY, or else the library in this package, or else the system's library."""
    named = os.environ.get("SIMHASH_LIBRARY")
    bundled = sorted(glob.glob(os.path.join(os.path.dirname(os.path.abspath(__file__)), "libsimhash.*")))
    files = [named] if named else bundled[:1] + ["libsimhash.so.0", "libsimhash.0.dylib"]
    problem = ""
    for file in files:
        try:
            return c.CDLL(file)
        except OSError as error:
            problem = problem or str(error)
    raise ImportError(
        f"no libsimhash: {problem}. Install libsimhash (make install, or the package libsimhash0), "
        "or name its file in SIMHASH_LIBRARY"
    )


def _declare(library: c.CDLL) -> c.CDLL:
    error, pointer, size = c.POINTER(CError), c.c_void_p, c.c_size_t
    for name, result, arguments in (
        ("version", c.c_char_p, []),
        ("defaults", None, [c.POINTER(Options)]),
        ("profile", c.c_int, [c.POINTER(Options), c.c_char_p, error]),
        ("new", pointer, [c.POINTER(Options), error]),
        ("free", None, [pointer]),
        ("text", c.c_int, [pointer, c.c_char_p, size, WORDS, error]),
        ("texts", c.c_int, [pointer, c.c_char_p, SIZES, size, WORDS, c.c_char_p, error]),
        ("join", c.c_int, [WORDS, size, c.c_uint, c.c_uint, PAIRS, pointer, error]),
        ("join_two", c.c_int, [WORDS, size, WORDS, size, c.c_uint, c.c_uint, PAIRS, pointer, error]),
        ("sort_pairs", None, [pointer, size]),
        ("verify_defaults", None, [c.POINTER(VerifyOptions)]),
        ("verify", c.c_int, [c.POINTER(VerifyOptions), c.c_char_p, SIZES, size, pointer, size, pointer, error]),
        ("bands_new", pointer, [c.c_uint, c.c_uint, c.c_uint, error]),
        ("bands_free", None, [pointer]),
        ("bands_tables", size, [pointer]),
        ("bands_key_size", size, [pointer]),
        ("bands_key", None, [pointer, size, WORDS, c.c_char_p]),
        ("archive_open", pointer, [c.c_char_p, c.POINTER(CArchiveOptions), error]),
        ("archive_close", None, [pointer]),
        ("archive_query", c.c_int, [pointer, c.c_char_p, size, MATCHES, pointer, error]),
        ("archive_add", c.c_int, [pointer, TEXTS, SIZES, TEXTS, SIZES, size, c.c_uint64, DROPS, pointer, error]),
        ("archive_remove", c.c_int, [pointer, TEXTS, SIZES, size, c.POINTER(c.c_uint64), error]),
        ("archive_compact", c.c_int, [pointer, error]),
    ):
        function = getattr(library, "simhash_" + name)
        function.restype = result
        function.argtypes = arguments
    return library


lib = _declare(_open())


def fail(error: CError) -> NoReturn:
    text = error.text.decode("utf-8", "replace")
    if error.code == NO_MEMORY:
        raise MemoryError(text)
    raise Error(text)


def encode(text: Union[str, bytes, bytearray, memoryview]) -> bytes:
    """A text in UTF-8. A lone surrogate becomes an ill-formed sequence, which separates words."""
    if isinstance(text, bytes):
        return text
    return text.encode("utf-8", "surrogatepass") if isinstance(text, str) else bytes(memoryview(text))


def encode_all(texts: Sequence[Optional[Text]]) -> List[bytes]:
    """The texts in UTF-8; None becomes an empty text."""
    try:
        return list(map(str.encode, texts))  # type: ignore[arg-type]  # the common case, twice as fast
    except (TypeError, UnicodeEncodeError):
        return [b"" if text is None else encode(text) for text in texts]


def buffers(data: List[bytes]) -> Tuple[Any, Any, int]:
    """Arrays of the addresses and sizes of some bytes, and their number. `data` must outlive the arrays."""
    return (c.c_char_p * len(data))(*data), (c.c_size_t * len(data))(*map(len, data)), len(data)
