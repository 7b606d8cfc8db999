#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Print lib/ingest/references.inc: the references of HTML that HTML 4 did not have, or had otherwise.
References that begin with one that needs no semicolon are in it, too.

    lib/ingest/gen-references.py >lib/ingest/references.inc

Both lists are in Python's html.entities; HTML 4 is what libxml2 knows, and &apos;.
"""
import unicodedata
from html.entities import html5, name2codepoint

known = {name: chr(code) for name, code in name2codepoint.items()}
known["apos"] = "'"
old = sorted((name for name in html5 if name[-1] != ";"), key=lambda name: name + "=")
rows = [(name[:-1], text) for name, text in html5.items() if name[-1] == ";" and (
    known.get(name[:-1]) != text or any(name.startswith(o) and name[:-1] not in old for o in old))]
rows.sort(key=lambda row: row[0] + "=")


def literal(text):
    """Return the text for a literal of C: what cannot be seen as its code."""
    return "".join(
        {9: r"\t", 10: r"\n", 34: r"\"", 92: r"\\"}.get(ord(c)) or
        ((r"\u%04x" if ord(c) < 0x10000 else r"\U%08x") % ord(c)
         if unicodedata.category(c)[0] in "CMZ" or unicodedata.east_asian_width(c) in "WF" else c) for c in text)


def table(name, words):
    print("static const char *const %s[] = {" % name)
    line = ""
    for word in words + [None]:
        if word is None or len(line) + len(word) > 106:
            print('\t"%s ",' % line)
            line = ""
        line += " %s" % word
    print("};")


print("/* SPDX-License-Identifier: MIT */")
print("/* Made by: lib/ingest/gen-references.py > lib/ingest/references.inc */")
print("/* clang-format off */")
table("references", ["%s=%s" % (name, literal(text)) for name, text in rows])
table("old_references", [name + "=" for name in old])
print("/* clang-format on */")
