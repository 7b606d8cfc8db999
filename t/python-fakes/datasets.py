# SPDX-License-Identifier: MIT
"""As much of datasets as the module uses: a test double for systems without datasets."""


class Column:
    """Read at once by [:], and slowly row by row."""

    def __len__(self):
        return len(self.values)

    def __init__(self, values):
        self.values = values

    def __getitem__(self, rows):
        return self.values[rows]

    def __iter__(self):
        return iter(self.values)


class Dataset:
    def __init__(self, columns):
        self._columns, self.column_names = columns, list(columns)

    def __getitem__(self, name):
        return Column(self._columns[name])

    def __len__(self):
        return len(self._columns[self.column_names[0]])

    def select(self, positions):
        return Dataset({n: [v[i] for i in positions] for n, v in self._columns.items()})
