# SPDX-License-Identifier: MIT
"""The options of the functions that run programs, with their types.

Each dictionary lists the options of some functions, by the names that the programs have for them.
"""
import difflib
import os
from typing import TYPE_CHECKING, Any, Callable, List, Mapping, Sequence, Tuple, Type, Union

if TYPE_CHECKING:
    from typing_extensions import Literal as Literal, TypedDict as TypedDict, Unpack as Unpack

    Path = Union[str, os.PathLike[str]]
else:
    from typing import Literal, TypedDict

    Path = Union[str, os.PathLike]

    class Unpack:
        """Pythons before 3.11 lack it. Editors and mypy check types; help() shows the name of the dictionary."""

        def __class_getitem__(cls, item):
            return item

Progress = Union[bool, Callable[[str, int, int], object]]


class TokenOptions(TypedDict, total=False):
    """Tokens and n-grams, as in shtok(1), and the run."""

    ngrams: Union[int, Tuple[int, int]]  # n-grams of this number of tokens, or of a range
    unit: Literal["word", "char"]  # tokens are words or characters
    profile: str  # all choices of a published system, simhash-profiles(7)
    segment: str  # cut scripts without spaces by "char", "jieba", "cppjieba", ...
    dict: Path  # words for segment="jieba"
    split: str  # token rule of a published system
    stem: str  # replace words by their stems: "english", "german", ...
    stop: Path  # drop the words of a file, one a line
    min_chars: int  # drop words of fewer characters
    keep_words: str  # keep only words with some kinds of characters: "han,alpha"
    no_fold: bool  # neither normalise (NFKC) nor fold case
    mask_digits: bool  # make each run of digits a single 0
    fold_marks: bool  # leave out Arabic vowel signs and tatweel, and Hebrew points
    join_hyphens: bool  # join words that a hyphen cuts at a line end
    strict: bool  # ill-formed UTF-8 is an error
    jobs: int  # threads; 0: one for each processor
    memory: Union[int, str]  # use temporary files beyond this memory: "4G"
    progress: Progress  # True: tqdm; or a function of (what, done, total)


class SimilarityOptions(TokenOptions, total=False):
    """What is a near-duplicate, as in shdedup(1)."""

    threshold: Union[float, Tuple[float, float]]  # least Jaccard similarity; or that, and least edit similarity
    measure: Literal["any", "jaccard", "edit"]  # similarity of texts
    seed: Union[int, Literal["random"]]  # of the hashes of keys


class ArchiveOptions(SimilarityOptions, total=False):
    """An archive, as in sharchive(1)."""

    store: Literal["sketch", "documents"]  # what is kept of each document, to compare


class FileOptions(SimilarityOptions, total=False):
    """Which text of a group stays, as in shdedup(1)."""

    keep: Literal["first", "longest", "newest"]  # the one that stays
    link: Literal["single", "star"]  # groups are chains, or the neighbours of one text


class DedupOptions(SimilarityOptions, total=False):
    """Which texts stay, as in shdedup(1)."""

    keep: Union[Literal["first", "longest", "newest"], Sequence[int]]  # or positions of texts, the best first
    protect: Sequence[int]  # positions of texts that always stay
    link: Literal["single", "star"]  # groups are chains, or the neighbours of one text


class VerifyOptions(TokenOptions, total=False):
    """Similarity, as in shverify(1)."""

    threshold: Union[float, Tuple[float, float]]  # drop pairs below it; for "any", one for each measure
    measure: Literal["any", "jaccard", "edit", "containment", "containment1", "containment2", "cosine"]
    weight: Literal["set", "tf", "log"]  # of features, for cosine


class SpanOptions(TokenOptions, total=False):
    """Passages, as in shspan(1)."""

    first: bool  # each passage with one earlier passage, if possible the first
    all: bool  # each passage with all earlier passages
    window: int  # take the least of this number of successive seeds
    min_tokens: int  # drop spans of fewer matched tokens
    identity: float  # drop spans whose matched tokens / tokens are below it
    merge: int  # join spans at most this number of tokens apart
    bound: int  # compare a seed's places when there are at most this number


def _value(value: Any) -> str:
    if isinstance(value, (float, int)):
        return f"{value:.6f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)
    return str(os.fspath(value) if isinstance(value, os.PathLike) else value)


def arguments(function: str, options: Type[Any], given: Mapping[str, Any]) -> List[str]:
    """Makes --threshold=0.7 --no-fold of threshold=0.7, no_fold=True. Raises TypeError for a name that is no option."""
    known = list(options.__annotations__)
    found: List[str] = []
    for key, value in given.items():
        if key not in known:
            near = difflib.get_close_matches(key, known, 1)
            raise TypeError(
                f"{function}() has no option {key!r}" + (f" (did you mean {near[0]!r}?)" if near else f": {', '.join(known)}"))
        name = "--ngram" if key == "ngrams" else "--" + key.replace("_", "-")
        if value is True:
            found.append(name)
        elif isinstance(value, (tuple, list)):
            found.append(f"{name}={('-' if key == 'ngrams' else ',').join(map(_value, value))}")
        elif value is not False and value is not None:
            found.append(f"{name}={_value(value)}")
    return found
