#!/usr/bin/env python3
"""Print lib/report/page.inc: the style and the script of a report's page as strings of C.

    lib/report/gen-page.py >lib/report/page.inc

The page allows this script alone, by the SHA-256 of its bytes.
"""
import base64
import hashlib
from pathlib import Path

HERE = Path(__file__).resolve().parent


def rows(text):
    for line in text.splitlines(keepends=True):
        print('\t"' + line.replace("\\", "\\\\").replace('"', '\\"').replace("\t", "\\t").replace("\n", "\\n") + '"')


style = (HERE / "page.css").read_text()
script = (HERE / "page.js").read_text()
digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
print("/* Made by: lib/report/gen-page.py > lib/report/page.inc */")
print("/* clang-format off */")
print("static const char STYLE[] =")
rows(style)
print("\t;")
print("static const char SCRIPT[] =")
rows(script)
print("\t;")
print(f'static const char SCRIPT_SHA256[] = "{digest}";')
print("/* clang-format on */")
