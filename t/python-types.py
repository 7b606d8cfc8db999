# SPDX-License-Identifier: MIT
"""Uses of simhash_utils whose types are checked, and which are never run: see t/lint."""
from typing import Any, Dict, Iterator, List, Optional, Tuple, assert_type

from simhash_utils import (
    Archive, Bands, Counts, Dropped, Duplicate, Match, Simhash, Span, Verified, cluster, dedup, dedup_file, distance,
    duplicates, fingerprints, join, kept, library_version, spans, verify,
)

simhash = Simhash(ngrams=(1, 2))
texts: List[str] = ["to be", "or not"]
column: List[Optional[str]] = ["to be", None]
records: List[Dict[str, str]] = [{"body": "to be"}]
lines: Iterator[str] = iter(texts)


class Frame:
    """A table of another package."""

    def __len__(self) -> int:
        return 0


frame = Frame()

assert_type(simhash("to be"), Optional[int])
assert_type(simhash(b"to be"), Optional[int])
assert_type(simhash.hex(7), str)
assert_type(fingerprints(column, bits=32), Any)
assert_type(distance(5, 7), int)
assert_type(join([5, 7], 3), List[Tuple[int, int, int]])
assert_type(Bands(64, 3).keys(7), List[str])
assert_type(library_version(), str)
assert_type(dedup(texts, threshold=0.7), List[str])
assert_type(dedup(tuple(texts), threshold=(0.7, 0.8), keep="longest"), Tuple[str, ...])
assert_type(dedup(lines), List[str])
assert_type(dedup(records, text="body"), List[Dict[str, str]])
assert_type(dedup(records, text=lambda record: record["body"], keep=[1, 0]), List[Dict[str, str]])
assert_type(dedup(frame, text=["question", "answer"]), Frame)
assert_type(cluster(texts), List[int])
assert_type(cluster(frame, text="body"), Any)
assert_type(duplicates(column), List[Duplicate])
assert_type(duplicates(texts)[0].similarity, float)
assert_type(duplicates(texts)[0].measure, str)
assert_type(kept(column), List[bool])
assert_type(verify(join([5, 7], 3), column, measure="cosine", weight="tf"), List[Verified])
assert_type(verify([(0, 1)], texts)[0].similarity, float)
assert_type(spans(column, queries=texts, min_tokens=30), List[Span])
assert_type(spans(texts, queries=column)[0].matched, int)
assert_type(dedup_file("a.jsonl", "b.jsonl", text=["q", "a"], ngrams=2), Counts)
with Archive("seen", threshold=0.7) as archive:
    assert_type(archive.add([1, "b"], texts), List[Dropped])
    assert_type(archive.query("to be"), List[Match])
    assert_type(archive.remove(["a"]), int)

# Each of these is an error of types: mypy --strict reports a comment that is not needed.
dedup(texts, treshold=0.7)  # type: ignore[call-overload]
dedup(texts, link="none")  # type: ignore[call-overload]
verify([], texts, measure="jacard")  # type: ignore[arg-type]
spans(texts, min_token=3)  # type: ignore[call-arg]
Archive("seen", ngram=2)  # type: ignore[call-arg]
