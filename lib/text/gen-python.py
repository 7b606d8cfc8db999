#!/usr/bin/env python3
"""Print lib/text/python.inc: what Python's str.lower() and \\w know of characters.

    lib/text/gen-python.py >lib/text/python.inc

Found out by asking Python itself, so that its own tables need no reading. Three lists of
ranges: WORD (\\w), CASED (cased and not case-ignorable) and IGNORABLE (case-ignorable), the
latter two for the rule of the final sigma.
"""
import re
import sys
import unicodedata

CODES = [c for c in range(0x110000) if not 0xD800 <= c < 0xE000]


def ranges(has):
    out = []
    for c in CODES:
        if not has(c):
            continue
        if out and out[-1][1] == c - 1:
            out[-1][1] = c
        else:
            out.append([c, c])
    return out


def cased(c):
    return (chr(c) + "\u03a3").lower().endswith("\u03c2")


def ignorable(c):
    return not cased(c) and ("A" + chr(c) + "\u03a3").lower().endswith("\u03c2")


def show(name, list_of_ranges):
    print(f"static const struct range {name}[] = {{")
    line = "\t"
    for first, last in list_of_ranges:
        item = f"{{ 0x{first:X}, 0x{last:X} }}, "
        if len(line) + len(item) > 92:
            print(line.rstrip())
            line = "\t"
        line += item
    print(line.rstrip() + "\n};\n")


word = re.compile(r"\w")
version = ".".join(map(str, sys.version_info[:2]))
print(f"/* By gen-python.py from Python {version}, Unicode {unicodedata.unidata_version}. */")
print("/* clang-format off */\n")
show("WORD", ranges(lambda c: word.match(chr(c))))
show("CASED", ranges(cased))
show("IGNORABLE", ranges(ignorable))
