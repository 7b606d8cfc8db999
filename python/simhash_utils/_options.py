"""The options of the functions that run programs, with their types.

Each dictionary lists the options of some functions, by the names that the programs have for them.
"""
import difflib
import os
from typing import TYPE_CHECKING, Any, Callable, List, Mapping, Sequence, Tuple, Type, Union

if TYPE_CHECKING:
    from typing_extensions import Literal as Literal, TypedDict as TypedDict, Unpack as Unpack
else:
    from typing import Literal, TypedDict

    class Unpack:
        """For Pythons before 3.11, which lack it. Types are checked by editors and mypy, not at run time."""

        def __class_getitem__(cls, _item):
            return Any

Path = Union[str, "os.PathLike[str]"]
Progress = Union[bool, Callable[[str, int, int], object]]


class TokenOptions(TypedDict, total=False):
    """Tokens and n-grams, shtok(1), and options of each run."""

    ngrams: Union[int, Tuple[int, int]]
    unit: Literal["word", "char"]
    profile: str
    segment: str
    dict: Path
    split: str
    stem: str
    stop: Path
    min_chars: int
    keep_words: str
    no_fold: bool
    mask_digits: bool
    fold_marks: bool
    join_hyphens: bool
    strict: bool
    jobs: int
    memory: Union[int, str]
    progress: Progress


class SimilarityOptions(TokenOptions, total=False):
    """What is a near-duplicate, shdedup(1)."""

    threshold: Union[float, Tuple[float, float]]
    measure: Literal["any", "jaccard", "edit"]
    seed: Union[int, Literal["random"]]


class ArchiveOptions(SimilarityOptions, total=False):
    """Options of an archive, sharchive(1)."""

    store: Literal["sketch", "documents"]


class DedupOptions(SimilarityOptions, total=False):
    """Options of shdedup(1). keep and protect may be positions of texts, the best first."""

    keep: Union[Literal["first", "longest", "newest"], Sequence[int]]
    protect: Sequence[int]
    link: Literal["single", "star"]


class FileOptions(SimilarityOptions, total=False):
    """Options of shdedup(1) for files."""

    keep: Literal["first", "longest", "newest"]
    link: Literal["single", "star"]


class VerifyOptions(TokenOptions, total=False):
    """Options of shverify(1)."""

    threshold: Union[float, Tuple[float, float]]
    measure: Literal["any", "jaccard", "edit", "containment", "containment1", "containment2", "cosine"]
    weight: Literal["set", "tf", "log"]


class SpanOptions(TokenOptions, total=False):
    """Options of shspan(1)."""

    first: bool
    all: bool
    window: int
    min_tokens: int
    identity: float
    merge: int
    bound: int


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
