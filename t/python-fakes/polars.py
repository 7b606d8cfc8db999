# SPDX-License-Identifier: MIT
"""As much of polars as the module uses: a test double for systems without polars."""
Boolean, Int64, UInt64 = "Boolean", "Int64", "UInt64"


class Series:
    def __len__(self):
        return len(self.values)

    def __init__(self, values, dtype=None):
        self.values, self.dtype = list(values), dtype

    def to_list(self):
        return list(self.values)

    def filter(self, mask):
        assert mask.dtype == Boolean and len(mask.values) == len(self.values)
        return Series([v for v, m in zip(self.values, mask.values) if m], self.dtype)


class DataFrame:
    def __len__(self):
        return len(self._columns[self.columns[0]])

    def __init__(self, columns):
        self._columns, self.columns = columns, list(columns)

    def __getitem__(self, name):
        return Series(self._columns[name])

    def filter(self, mask):
        return DataFrame({name: self[name].filter(mask).values for name in self.columns})


class LazyFrame:
    columns = ["text"]

    def collect(self):
        return DataFrame({"text": []})

    def __iter__(self):
        raise TypeError("it is lazy")
