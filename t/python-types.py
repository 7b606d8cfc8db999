# SPDX-License-Identifier: MIT
"""Uses of simhash_utils whose types are checked, and which are never run: see t/lint."""
from typing import Dict, List, Optional, Tuple, assert_type

from simhash_utils import (
    Bands, Duplicate, Simhash, Span, Verified, dedup, distance, duplicates, join, kept, library_version, spans, verify,
)

simhash = Simhash(ngrams=(1, 2))
texts: List[str] = ["to be", "or not"]
column: List[Optional[str]] = ["to be", None]
records: List[Dict[str, str]] = [{"body": "to be"}]

assert_type(simhash("to be"), Optional[int])
assert_type(simhash(b"to be"), Optional[int])
assert_type(simhash.column(column), List[Optional[int]])
assert_type(simhash.hex(7), str)
assert_type(distance(5, 7), int)
assert_type(join([5, 7], 3), List[Tuple[int, int, int]])
assert_type(Bands(64, 3).keys(7), List[str])
assert_type(library_version(), str)
assert_type(dedup(texts, threshold=0.7), List[str])
assert_type(dedup(records, text="body"), List[Dict[str, str]])
assert_type(dedup(records, text=lambda record: record["body"]), List[Dict[str, str]])
assert_type(duplicates(column), List[Duplicate])
assert_type(duplicates(texts)[0].similarity, float)
assert_type(duplicates(texts)[0].measure, str)
assert_type(kept(column), List[bool])
assert_type(verify(join([5, 7], 3), column), List[Verified])
assert_type(verify([(0, 1)], texts)[0].similarity, float)
assert_type(spans(column, queries=texts), List[Span])
assert_type(spans(texts, queries=column)[0].matched, int)
