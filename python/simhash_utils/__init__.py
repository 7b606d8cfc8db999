# SPDX-License-Identifier: MIT
"""Near-duplicates of texts: remove them, group them, find the passages that texts share.

>>> from simhash_utils import dedup
>>> dedup(["to be or not to be", "To be, or not to be!", "that is the question"])
['to be or not to be', 'that is the question']

dedup(), cluster(), kept(), duplicates(), verify(), spans() and dedup_file() compare texts; an Archive compares texts
with the texts of earlier runs. These functions run the programs of simhash-utils(7), and have their options.

fingerprints(), Simhash, join(), each_pair(), distance() and Bands compute fingerprints by libsimhash(3). A fingerprint
is an int. For the same text and options, shfp(1) writes a record with the same hex digits.
"""
from ._archive import Archive, Dropped, Match
from ._files import Counts, dedup_file
from ._fingerprints import Bands, Pair, Simhash, distance, each_pair, fingerprints, join, library_version
from ._library import Error
from ._programs import Duplicate, Span, Verified, cluster, dedup, duplicates, kept, spans, verify

__all__ = [
    "Archive", "Bands", "Counts", "Dropped", "Duplicate", "Error", "Match", "Pair", "Simhash", "Span", "Verified",
    "cluster", "dedup", "dedup_file", "distance", "duplicates", "each_pair", "fingerprints", "join", "kept",
    "library_version", "spans", "verify",
]
__version__ = "0.2.0"

for _name in __all__:
    if _name != "Pair":
        globals()[_name].__module__ = __name__
del _name


def __dir__() -> "list[str]":
    return [*__all__, "__all__", "__doc__", "__version__"]
