# SPDX-License-Identifier: MIT
"""Check that columns of datasets, pandas, polars and Arrow give the results of shdedup and shfp for the same documents.

    t/check-columns.py FILE...     TSV of documents; see t/check-columns
"""
import platform
import re
import subprocess
import sys

import datasets
import pandas as pd
import polars as pl
import pyarrow as pa
from simhash_utils import Simhash, dedup, duplicates, kept

ESCAPES = {"t": "\t", "n": "\n", "r": "\r", "\\": "\\"}


def run(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout.decode().splitlines()


def check(path):
    with open(path, encoding="utf-8", newline="\n") as file:
        rows = [line.rstrip("\n").split("\t") for line in file]
    ids = [row[0] for row in rows]
    texts = [re.sub(r"\\(.)", lambda found: ESCAPES[found[1]], row[1]) for row in rows]
    stays = {line.split("\t")[0] for line in run("shdedup", "-q", path)}
    mask = [i in stays for i in ids]
    left = [i for i in ids if i in stays]
    prints = {i: int(fp, 16) for fp, i in (line.split("\t") for line in run("shfp", "--bare", path))}
    want = [prints[i] for i in ids]
    column = Simhash(profile="default").column

    for kind in (pa.string(), pa.large_string(), pa.string_view(), pa.dictionary(pa.int32(), pa.string())):
        array = pa.array(texts, pa.string()).cast(kind) if kind != pa.string_view() else pa.array(texts, kind)
        chunks = pa.chunked_array([array[:7], array[7:7], array[7:]])
        assert column(array) == column(chunks) == want, kind
        assert kept(array) == kept(chunks) == mask, kind
    table = pa.table({"id": ids, "text": texts})
    assert table.filter(pa.array(kept(table["text"])))["id"].to_pylist() == left
    assert pa.array(column(table["text"]), pa.uint64()).to_pylist() == want

    for kind in ("object", "string", "string[pyarrow]", pd.ArrowDtype(pa.large_string())):
        frame = pd.DataFrame({"id": ids, "text": pd.Series(texts, dtype=kind)}).set_index(pd.Index(range(9, 9 + len(ids))))
        assert list(frame[kept(frame["text"])]["id"]) == left, kind
        assert frame.assign(fp=column(frame["text"]))["fp"].tolist() == want, kind

    frame = pl.DataFrame({"id": ids, "text": texts})
    assert frame.filter(pl.Series(kept(frame["text"])))["id"].to_list() == left
    assert frame.with_columns(fp=pl.Series(column(frame["text"]), dtype=pl.UInt64))["fp"].to_list() == want
    assert frame.select(pl.col("text").map_batches(
        lambda s: pl.Series(column(s), dtype=pl.UInt64), return_dtype=pl.UInt64))["text"].to_list() == want

    def add_prints(table):
        return table.append_column("fp", pa.array(column(table["text"]), "uint64"))

    # In other formats, datasets converts large integers of a column with nulls to floating-point numbers.
    data = datasets.Dataset.from_dict({"text": [None, texts[0]]}).with_format("arrow").map(add_prints, batched=True)
    assert data.with_format(None)["fp"][:] == [None, want[0]]
    data = datasets.Dataset.from_dict({"id": ids, "text": texts})
    for options in ({}, {"num_proc": 2}, {"batch_size": 17}):
        marked = data.with_format("arrow").map(add_prints, batched=True, **options).with_format(None)
        assert marked["fp"][:] == want, options
    mine = kept(data["text"])
    assert mine == mask and data.select([i for i, stay in enumerate(mine) if stay])["id"][:] == left
    assert data.filter(lambda _, at: mine[at], with_indices=True)["id"][:] == left
    assert [row["id"] for row in dedup(data, text="text")] == left
    assert len(duplicates(data["text"])) == len(ids) - len(left)
    return len(ids), len(left)


for path in sys.argv[1:]:
    counts = check(path)
    print("check-columns: Python %s, datasets %s, pandas %s, polars %s, pyarrow %s: %d documents, %d kept, as by shdedup" % (
        platform.python_version(), datasets.__version__, pd.__version__, pl.__version__, pa.__version__, *counts))
