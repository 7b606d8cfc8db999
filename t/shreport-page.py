#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Check a page of shreport, and print its content as lines.

    t/shreport-page.py PAGE

Every element must be closed, and the page must load no files. Its only script must be the one whose hash is in its
policy. Lines: "title TEXT", "count NAME N", "bar LABEL N", "group ID SIZE LEAST", "pair ID1 ID2", "mark TEXT",
"gap TEXT", "lang LANG", "row FIELD...".
"""
import base64
import hashlib
import json
import sys
from html.parser import HTMLParser

VOID = {"meta", "input"}
KNOWN = VOID | set("html head title style body header h1 h2 dl div dt dd main section p table thead tbody tr th td i button "
    "output details summary span bdi mark svg rect noscript script footer".split())
FETCH = {"src", "href", "action", "data", "srcset", "poster", "background", "formaction"}


class Page(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.open, self.texts, self.lines, self.scripts, self.policy = [], [], [], [], ""
        self.names, self.ids, self.row = [], [], []
        self.feed(text)
        self.close()
        assert not self.open, self.open

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        assert tag in KNOWN, tag
        assert len(given) == len(attributes), attributes
        for name in given:
            assert name not in FETCH and not name.startswith("on"), (tag, name)
        if given.get("id"):
            assert given["id"] not in self.ids, given["id"]
            self.ids.append(given["id"])
        if given.get("http-equiv") == "Content-Security-Policy":
            self.policy = given["content"]
        if tag == "div" and "lang" in given:
            self.lines.append(("lang", given["lang"]))
        if tag not in VOID:
            self.open.append((tag, given))
            self.texts.append("")

    def handle_endtag(self, tag):
        opened, given = self.open.pop()
        text = self.texts.pop()
        assert opened == tag, (opened, tag)
        if tag == "script":
            self.scripts.append((given, text))
        if tag in ("title", "mark"):
            self.lines.append((tag, text))
        if tag in ("dt", "dd"):
            self.names.append(text)
        if tag == "dd":
            self.lines.append(("count", *self.names[-2:]))
        if given.get("class") == "gap":
            self.lines.append(("gap", text))
        if tag == "summary":
            self.lines.append(("pair", *self.ids_of_pair))
        if tag == "summary" or tag == "details":
            self.ids_of_pair = []
        if tag == "bdi" and self.open[-1][0] == "summary":
            self.ids_of_pair.append(text)
        if tag in ("th", "td"):
            self.row.append(text)
        if tag == "tr":
            kind = {3: "bar" if " – " in self.row[0] else "group"}.get(len(self.row), "")
            if kind and self.row[0] != "Group":
                self.lines.append((kind, *(x for x in self.row if x)))
            self.row = []
        if self.texts and tag not in ("script", "style"):
            self.texts[-1] += text

    def handle_data(self, data):
        assert data.isspace() or self.texts, data
        if self.texts:
            self.texts[-1] += data

    ids_of_pair = []


text = open(sys.argv[1], encoding="utf-8", newline="").read()
page = Page(text)
(_, data), (own, script) = page.scripts
assert not own
digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
assert page.policy == f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'", page.policy
for line in page.lines:
    print(*line, sep="\t")
for row in json.loads(data)["rows"]:
    print("row", *row, sep="\t")
