# SPDX-License-Identifier: MIT
"""As much of pandas as the module uses: a test double for systems without pandas."""


class _Rows:
    def __init__(self, items):
        self._items = items

    def __getitem__(self, positions):
        return self._items._rows(positions)


class Series:
    def __len__(self):
        return len(self.values)

    def __init__(self, values, index=None, dtype=None):
        self.values, self.dtype = list(values), dtype
        self.index = list(range(len(self.values)) if index is None else index)
        assert len(self.index) == len(self.values)
        self.iloc = _Rows(self)

    def _rows(self, positions):
        return Series([self.values[i] for i in positions], [self.index[i] for i in positions], self.dtype)

    def tolist(self):
        return list(self.values)

    def __getitem__(self, label):
        raise KeyError("a label, not a position")


class DataFrame:
    def __init__(self, columns, index):
        self._columns, self.index = {n: list(v) for n, v in columns.items()}, list(index)
        self.columns = list(columns)
        self.iloc = _Rows(self)

    def _rows(self, positions):
        return DataFrame(
            {n: [v[i] for i in positions] for n, v in self._columns.items()}, [self.index[i] for i in positions])

    def __iter__(self):
        return iter(self.columns)

    def __len__(self):
        return len(self.index)

    def __getitem__(self, name):
        return Series(self._columns[name], self.index)
