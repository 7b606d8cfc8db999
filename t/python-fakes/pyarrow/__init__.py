# SPDX-License-Identifier: MIT
"""As much of pyarrow as the module uses: a test double for systems without pyarrow."""


class Array:
    def __len__(self):
        return len(self.values)

    def __init__(self, values, type=None):
        self.values, self.type = list(values), type

    def to_pylist(self):
        return list(self.values)

    def filter(self, mask):
        assert mask.type == "bool" and len(mask.values) == len(self.values)
        return Array([v for v, m in zip(self.values, mask.values) if m], self.type)


class Table:
    def __init__(self, columns):
        self._columns, self.column_names = columns, list(columns)

    def __getitem__(self, name):
        return Array(self._columns[name])

    def __len__(self):
        return len(self._columns[self.column_names[0]])

    def filter(self, mask):
        return Table({name: self[name].filter(mask).values for name in self.column_names})

    def to_pylist(self):
        raise AssertionError("the rows of a table are no texts")

    @staticmethod
    def from_batches(batches):
        return batches[0]


def array(values, type=None):
    return Array(values, type)


def table(other):
    """Takes what exports a stream of Arrow."""
    columns = other.__arrow_c_stream__()
    if not isinstance(columns, dict):
        raise TypeError("a column")
    return Table(columns)


def chunked_array(other):
    return Array(other.__arrow_c_stream__())


def bool_():
    return "bool"


def int64():
    return "int64"


def uint64():
    return "uint64"
