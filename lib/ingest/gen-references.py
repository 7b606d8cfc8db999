#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Print lib/ingest/references.inc: the references of HTML that HTML 4 did not have, or had otherwise.

    lib/ingest/gen-references.py >lib/ingest/references.inc

Both lists are in Python's html.entities; HTML 4 is what libxml2 knows, and &apos;.
"""
from html.entities import html5, name2codepoint

known = {name: chr(code) for name, code in name2codepoint.items()}
known["apos"] = "'"
rows = sorted((name[:-1], text) for name, text in html5.items() if name[-1] == ";" and known.get(name[:-1]) != text)

print("/* SPDX-License-Identifier: MIT */")
print("/* Made by: lib/ingest/gen-references.py > lib/ingest/references.inc */")
print("/* clang-format off */")
print("static const struct reference references[] = {")
line = "\t"
for name, text in rows:
    row = '{ "%s", "%s" },' % (name, "".join("&#%d;" % ord(c) for c in text))
    if len(line) + len(row) > 112:
        print(line.rstrip())
        line = "\t"
    line += row + " "
print(line.rstrip())
print("};")
print("/* clang-format on */")
