# SPDX-License-Identifier: MIT
"""Read the records of an archive, for tests. The forms are in lib/store/segment.h.

    t/soak/archive_records.py ARCHIVE

prints number, time, keeper, similarity, measure, id of each document, and the number of its postings.
"""
import os
import re
import struct
import sys
from collections import Counter


def read(path):
    with open(path, "rb") as f:
        return f.read()


def records(archive):
    """All records, by number: tuples of number, time, keeper, similarity, measure, id, content, postings."""
    manifest = read(os.path.join(archive, "manifest")).decode()
    key = re.search("^key (.{12})", manifest, re.M)[1]
    suffix = "bin" if re.search("^store sketch$", manifest, re.M) else "tsv"
    found = []
    for number, documents, postings in re.findall(r"^segment (\S+) \S+ \S+ (\d+) \d+ (\d+)", manifest, re.M):
        name = os.path.join(archive, f"{number}.{key}.")
        text, index = read(name + suffix), read(name + "index")
        count = Counter(struct.unpack_from("<8xI4x", index, 16 * i)[0] for i in range(int(postings)))
        start = 16 * (int(postings) + int(documents))
        for i in range(int(documents)):
            number, keeper, time, _, line, n, at, id_n, similarity, measure, _ = struct.unpack_from(
                "<IIQQQIIIHBB", index, start + 48 * i)
            found.append((number, time, keeper, similarity, measure, text[line + at:line + at + id_n],
                          text[line + id_n + 1:line + n], count[number]))
    return found


if __name__ == "__main__":
    for number, time, keeper, similarity, measure, name, _, postings in records(sys.argv[1]):
        sys.stdout.buffer.write(b"%d\t%d\t%d\t%d\t%d\t%s\t%d\n" % (
            number, time, keeper, similarity, measure, name, postings))
