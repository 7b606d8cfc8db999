#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Print lib/ingest/references.inc: the references of HTML that HTML 4 did not have, or had otherwise.
References that begin with one that needs no semicolon are in it, too.

    lib/ingest/gen-references.py >lib/ingest/references.inc

Both lists are in Python's html.entities; HTML 4 is what libxml2 knows, and &apos;.
"""
from html.entities import html5, name2codepoint

known = {name: chr(code) for name, code in name2codepoint.items()}
known["apos"] = "'"
old = [name for name in html5 if name[-1] != ";"]
rows = sorted((name[:-1], text) for name, text in html5.items() if name[-1] == ";" and (
    known.get(name[:-1]) != text or any(name.startswith(o) and name[:-1] not in old for o in old)))

print("/* SPDX-License-Identifier: MIT */")
print("/* Made by: lib/ingest/gen-references.py > lib/ingest/references.inc */")
print("/* clang-format off */")
print("static const struct reference references[] = {")
line = "\t"
for name, text in rows:
    codes = [str(ord(c)) for c in text]
    row = '{ "%s", %s }, ' % (name, codes[0] if len(codes) == 1 else "PAIR(%s, %s)" % tuple(codes))
    if len(line) + len(row) > 116:
        print(line.rstrip())
        line = "\t"
    line += row
print(line.rstrip())
print("};")
print("/* clang-format on */")
