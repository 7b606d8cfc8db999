# SPDX-License-Identifier: MIT
"""Check that columns of datasets, pandas, polars and Arrow give the results of shdedup and shfp for the same documents.

    t/check-columns.py FILE...     TSV of documents; see t/check-columns
"""
import os
import platform
import re
import subprocess
import sys
import tempfile

import datasets
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
from simhash_utils import Simhash, cluster, dedup, dedup_file, duplicates, kept

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
    prints_of = Simhash(profile="default").column
    keeper = list(range(len(ids)))
    for duplicate in duplicates(texts):
        keeper[duplicate.dropped] = duplicate.keeper

    for kind in (pa.string(), pa.large_string(), pa.string_view(), pa.dictionary(pa.int32(), pa.string())):
        array = pa.array(texts, pa.string()).cast(kind) if kind != pa.string_view() else pa.array(texts, kind)
        for items in array, pa.chunked_array([array[:7], array[7:7], array[7:]]):
            assert prints_of(items).to_pylist() == want and kept(items).to_pylist() == mask, kind
            assert type(dedup(items)) is type(items) and dedup(items).type == kind and len(dedup(items)) == len(left)
    table = pa.table({"id": ids, "text": texts})
    for items in table, table.to_batches()[0]:
        assert type(dedup(items, text="text")) is type(items) and dedup(items, text="text")["id"].to_pylist() == left
    assert table.append_column("fp", prints_of(table["text"]))["fp"].to_pylist() == want
    assert cluster(table, text="text").to_pylist() == keeper

    for kind in ("object", "string", "string[pyarrow]", pd.ArrowDtype(pa.large_string())):
        frame = pd.DataFrame({"id": ids, "text": pd.Series(texts, dtype=kind)}).set_index(pd.Index([7, *range(len(ids) - 1)]))
        assert list(dedup(frame, text="text")["id"]) == left, kind
        assert list(frame[kept(frame["text"])]["id"]) == left and dedup(frame["text"]).dtype == frame["text"].dtype
        assert frame.assign(fp=prints_of(frame, text="text"))["fp"].tolist() == want, kind
        assert frame.assign(keeper=cluster(frame["text"]))["keeper"].tolist() == keeper

    frame = pl.DataFrame({"id": ids, "text": texts})
    assert dedup(frame, text="text")["id"].to_list() == left and len(dedup(frame["text"])) == len(left)
    assert frame.filter(kept(frame["text"]))["id"].to_list() == left
    assert frame.with_columns(fp=prints_of(frame["text"]), keeper=cluster(frame["text"]))["keeper"].to_list() == keeper
    assert frame.select(pl.col("text").map_batches(prints_of, return_dtype=pl.UInt64))["text"].to_list() == want

    def add_prints(table):
        return table.append_column("fp", prints_of(table["text"]))

    # In other formats, datasets converts large integers of a column with nulls to floating-point numbers.
    data = datasets.Dataset.from_dict({"text": [None, texts[0]]}).with_format("arrow").map(add_prints, batched=True)
    assert data.with_format(None)["fp"][:] == [None, want[0]]
    data = datasets.Dataset.from_dict({"id": ids, "text": texts})
    for options in ({}, {"num_proc": 2}, {"batch_size": 17}):
        marked = data.with_format("arrow").map(add_prints, batched=True, **options).with_format(None)
        assert marked["fp"][:] == want, options
    assert type(dedup(data, text="text")) is datasets.Dataset and dedup(data, text="text")["id"][:] == left
    assert kept(data["text"]) == mask and cluster(data, text="text") == keeper
    assert [row["id"] for row in dedup(data.to_iterable_dataset(), text="text")] == left
    assert data.map(lambda batch: dedup(batch, text="text"), batched=True, batch_size=len(ids))["id"][:] == left

    items = np.array(texts)
    assert dedup(items).tolist() == [text for text, stay in zip(texts, mask) if stay] and cluster(items).tolist() == keeper

    with tempfile.TemporaryDirectory() as folder:
        source, target = os.path.join(folder, "a.parquet"), os.path.join(folder, "b.parquet")
        pq.write_table(table, source, row_group_size=100)
        assert dedup_file(source, target) == (len(ids), len(left))
        assert pq.read_table(target)["id"].to_pylist() == left and pq.read_table(target).schema == table.schema
    return len(ids), len(left)


for path in sys.argv[1:]:
    counts = check(path)
    print("check-columns: Python %s, datasets %s, pandas %s, polars %s, pyarrow %s: %d documents, %d kept, as by shdedup" % (
        platform.python_version(), datasets.__version__, pd.__version__, pl.__version__, pa.__version__, *counts))
