# SPDX-License-Identifier: MIT
"""Texts out of lists, columns and tables of pandas, polars, Arrow, datasets and numpy, and the same type back.

A package is imported only when a collection of the package is given.
"""
import importlib
from typing import Any, Callable, Iterable, List, Mapping, Optional, Sequence, Union

from ._library import Error, Text

TextOf = Union[None, str, int, Sequence[str], Callable[[Any], Any]]

# The packages whose collections come out as they went in.
_PACKAGES = ("pandas", "polars", "pyarrow", "datasets", "numpy")


def _package(items: Any) -> str:
    """The name of the package that the type of the collection is from, or ""."""
    for kind in type(items).__mro__:
        package = kind.__module__.split(".")[0]
        if package in _PACKAGES:
            return package
    return ""


def _is_null(value: Any) -> bool:
    """None, NaN, pandas.NA or pandas.NaT."""
    return value is None or type(value).__name__ in ("NAType", "NaTType") or (
        isinstance(value, float) and value != value)


def _checked(value: Any, at: int) -> Optional[Text]:
    if isinstance(value, (str, bytes)):
        return value
    if _is_null(value):
        return None
    name = type(value).__name__
    way = "name its field with text='...'" if isinstance(value, Mapping) else "convert it to str first"
    raise Error(f"text {at} is of type {name}, expected str, bytes or None: {way}")


def _field(item: Any, name: Any, at: int) -> Any:
    try:
        return item[name]
    except (KeyError, IndexError, TypeError):
        raise Error(f"item {at} ({type(item).__name__}) has no field {name!r}, which text= names") from None


def _joined(values: Sequence[Any], at: int) -> Optional[Text]:
    """The text of several fields: those that are not null, with a blank between two of them."""
    known = [value for value in (_checked(value, at) for value in values) if value is not None]
    return " ".join(v if isinstance(v, str) else v.decode("utf-8", "replace") for v in known) if known else None


def _as_list(column: Any) -> List[Any]:
    if _package(column) == "datasets":
        column = column[:]  # at once, not row by row
    for name in ("to_pylist", "to_list", "tolist"):
        if hasattr(column, name):
            values: List[Any] = getattr(column, name)()
            return values
    return list(column)


class Texts:
    """The texts of a collection. Refuses what is no collection of texts, with the way out."""

    items: Any  # the collection; a list for an iterator
    texts: List[Optional[Text]]
    nulls: bool  # whether some texts are None

    def __init__(self, items: Any, text: TextOf = None) -> None:
        self._refuse(items)
        if not _package(items) and hasattr(items, "__arrow_c_stream__"):
            items = self._arrow(items)
        # A dataset that is read as a stream has no length, and is an iterator of dicts.
        self._of = _package(items) if hasattr(items, "__len__") else ""
        names = self._names(items)
        if names is not None:
            self.items = items
            self._set(self._of_table(items, names, text))
            return
        self.items = items if self._of or isinstance(items, (list, tuple)) else list(items)
        values = _as_list(self.items) if self._of else self.items
        if text is None:
            self._set(values)
        elif callable(text):
            self._set([text(value) for value in values])
        elif isinstance(text, (list, tuple)):
            self._set([_joined([_field(v, name, at) for name in text], at) for at, v in enumerate(values)])
        else:
            self._set([_field(value, text, at) for at, value in enumerate(values)])

    def _set(self, values: Sequence[Any]) -> None:
        kinds = set(map(type, values))
        if kinds <= {str, bytes, type(None)}:  # the common case, ten times as fast
            self.texts = list(values)
        else:
            self.texts = [_checked(value, at) for at, value in enumerate(values)]
        self.nulls = kinds != {str} and None in self.texts

    @staticmethod
    def _refuse(items: Any) -> None:
        if _package(items) == "polars" and hasattr(items, "collect"):
            raise Error("a LazyFrame has no rows yet: call collect() first")
        if isinstance(items, (str, bytes, bytearray, memoryview)):
            raise Error(f"a {type(items).__name__} is one text: give a list of texts, as in [text]")
        if not (isinstance(items, Iterable) or _package(items) or hasattr(items, "__arrow_c_stream__")):
            raise Error(f"expected a list of texts, a column or a table, not {type(items).__name__}")

    @staticmethod
    def _arrow(items: Any) -> Any:
        """A table or column of Arrow for a collection of another package that exports one."""
        try:
            arrow = importlib.import_module("pyarrow")
        except ImportError:
            raise Error(f"a {type(items).__name__} needs pyarrow (pip install pyarrow), or convert it to a list") from None
        try:
            return arrow.table(items)
        except (TypeError, ValueError):
            return arrow.chunked_array(items)

    def _names(self, items: Any) -> Optional[List[Any]]:
        """The names of the columns of a table; None for other collections."""
        if isinstance(items, Mapping):
            return list(items)
        names = getattr(items, "column_names", None)
        if names is None and self._of in ("pandas", "polars") and hasattr(items, "columns"):
            names = items.columns
        return None if names is None or not self._of else list(names)

    def _of_table(self, items: Any, names: List[Any], text: TextOf) -> List[Any]:
        shown = ", ".join(map(repr, names[:20]))
        if text is None or callable(text):
            raise Error(f"a {type(items).__name__} has columns: name that of the texts, as in text='body' (it has {shown})")
        wanted = list(text) if isinstance(text, (list, tuple)) else [text]
        for name in wanted:
            if name not in names:
                raise Error(f"no column {name!r}, which text= names (there are {shown})")
        columns = [_as_list(items[name]) for name in wanted]
        if len(columns) == 1:
            return columns[0]
        return [_joined(values, at) for at, values in enumerate(zip(*columns))]

    def take(self, mask: List[bool]) -> Any:
        """The items for which the mask is true, in a collection of the same type."""
        return _take(self.items, mask)

    def like(self, values: List[Any], dtype: Optional[str]) -> Any:
        """A column of these values, one for each item. dtype: "bool", "int64" or "uint64"; None: no type of columns."""
        if self._of == "pandas":
            pandas = importlib.import_module("pandas")
            kind = {"uint64": "UInt64", None: object}.get(dtype, dtype)
            return pandas.Series(values, index=self.items.index, dtype=kind)
        if self._of == "polars" and dtype:
            polars = importlib.import_module("polars")
            kind = {"bool": polars.Boolean, "int64": polars.Int64, "uint64": polars.UInt64}[dtype]
            return polars.Series(values, dtype=kind)
        if self._of == "pyarrow" and dtype:
            arrow = importlib.import_module("pyarrow")
            return arrow.array(values, {"bool": arrow.bool_(), "int64": arrow.int64(), "uint64": arrow.uint64()}[dtype])
        if self._of == "numpy":
            return importlib.import_module("numpy").array(values, object if None in values else dtype)
        return tuple(values) if isinstance(self.items, tuple) else values


def _take(items: Any, mask: List[bool]) -> Any:
    package = _package(items)
    if package == "polars":
        polars = importlib.import_module("polars")
        return items.filter(polars.Series(mask, dtype=polars.Boolean))
    if package == "pyarrow":
        arrow = importlib.import_module("pyarrow")
        try:
            return items.filter(arrow.array(mask, arrow.bool_()))
        except NotImplementedError:  # of views of strings
            if hasattr(items, "column_names"):
                return arrow.table({name: _take(items[name], mask) for name in items.column_names}, items.schema)
            stay = [item for item, stays in zip(items.to_pylist(), mask) if stays]
            return arrow.chunked_array([stay], items.type) if hasattr(items, "chunks") else arrow.array(stay, items.type)
    if package == "numpy":
        return items[importlib.import_module("numpy").array(mask, bool)]
    if package == "pandas":
        return items.iloc[[at for at, stays in enumerate(mask) if stays]]
    if package == "datasets" and hasattr(items, "select"):
        return items.select([at for at, stays in enumerate(mask) if stays])
    if isinstance(items, Mapping):
        return {name: _take(column, mask) for name, column in items.items()}
    stay = [item for item, stays in zip(items, mask) if stays]
    return tuple(stay) if isinstance(items, tuple) else stay
