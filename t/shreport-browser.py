#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Use a page of shreport in Chromium as a reader does, and print the measurements.

    t/shreport-browser.py PAGE WORD...

The page is tested at three widths, light and dark. Nothing may be wider than the window, and the contrast must meet
WCAG AA. A click on the head of a column must sort by the column, and a second click must reverse the order. The search
box must find each WORD in ids and texts. Scrolling must show more rows, and "rows more" must be shown when there are more
rows. The expected rows are computed from the data of the page.
"""
import json
import os
import sys
import time

from browser import check_colours, views

TIMEOUT = 60  # seconds for an action of the page; the machine may be busy
LOOK = """(() => {
    const rows = [...document.querySelectorAll('#rows tbody tr')];
    const rgb = (element, what) => getComputedStyle(element)[what];
    return {
        rows: rows.map(row => [...row.cells].slice(0, 2).map(cell => cell.textContent)),
        sorts: [...document.querySelectorAll('#rows thead th')].map(head => head.getAttribute('aria-sort')),
        found: document.getElementById('found').textContent,
        pairs: [...document.querySelectorAll('.pair')].map(pair => getComputedStyle(pair).display !== 'none'),
        more: rgb(document.getElementById('more'), 'display') !== 'none',
        second: [...document.querySelectorAll('.pair .cell + .cell')].map(cell => rgb(cell, 'borderLeftWidth')),
        wide: document.documentElement.scrollWidth, window: innerWidth,
        ink: rgb(document.body, 'color'), paper: rgb(document.documentElement, 'backgroundColor'),
        ground: rgb(document.body, 'backgroundColor'),
    };
})()"""


def check_look(look, scheme, width):
    paper = look["paper"] if not look["paper"].startswith("rgba(0, 0, 0, 0") else look["ground"]
    check_colours(look["ink"], paper, scheme)
    # An emulated phone makes its window wider when the page is too wide.
    assert look["wide"] <= width, ("wider than the window", look["wide"], width)
    # In a narrow window one text is below the other. A bar then marks the second text and the second id.
    assert set(look["second"]) <= {"3px" if look["window"] < 640 else "1px"}, look["second"]


def shown(browser, want, what, found="", least=100):
    """Waits until the table shows the first rows of those wanted: all of them, or at least `least`. found: the text
    beside the search box."""
    end = time.monotonic() + TIMEOUT
    while True:
        got = browser.run(LOOK)
        if got["found"] == found and got["rows"] == want[:len(got["rows"])] and len(got["rows"]) >= min(least, len(want)):
            return got
        assert time.monotonic() < end, (what, got["found"], len(got["rows"]), got["rows"][:3], want[:3])
        time.sleep(0.02)


def check(browser, data, texts, words):
    rows = data["rows"]
    names = [row[:2] for row in rows]
    shown(browser, names, "at the beginning")
    for column in range(len(rows[0])):
        for down in False, True:
            browser.click("#rows thead th:nth-child(%d) button" % (column + 1))
            # The page compares strings by UTF-16 units. Its sort is stable.
            key = (lambda row: row[column].encode("utf-16-be")) if column < 2 else (lambda row: row[column])
            want = [row[:2] for row in sorted(rows, key=key, reverse=down)]
            got = shown(browser, want, ("sorted by", column, down))
            assert got["sorts"] == [("descending" if down else "ascending") if i == column else None
                for i in range(len(rows[0]))], got["sorts"]
    for word in words:
        browser.type(word)
        has = [word.lower() in "\t".join(row[:2]).lower() or (i < len(texts) and word.lower() in texts[i].lower())
            for i, row in enumerate(rows)]
        got = shown(browser, [name for name, there in zip(names, has) if there], ("found", word),
            "{:,} of {:,} pairs".format(sum(has), len(rows)))
        assert got["more"] == (len(got["rows"]) < sum(has)), ("rows more", got["more"])
        assert got["pairs"] == has[:len(texts)], (word, got["pairs"])
    browser.type("")
    shown(browser, names, "after the search")
    browser.run("document.getElementById('more').scrollIntoView()")
    shown(browser, names, "further down", least=200)


def main():
    page, words = os.path.abspath(sys.argv[1]), sys.argv[2:]
    for browser, width, scheme in views():
        seconds = browser.load("file://" + page)
        data = json.loads(browser.run("document.getElementById('data').textContent"))
        texts = browser.run("[...document.querySelectorAll('.pair')].map(pair => pair.textContent)")
        check_look(browser.run(LOOK), scheme, width)
        begin = time.monotonic()
        check(browser, data, texts, words)
        print("%d px, %s: %d rows, opened in %.1f s, used for %.1f s" % (
            width, scheme, len(data["rows"]), seconds, time.monotonic() - begin))


main()
