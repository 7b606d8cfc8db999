#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Use the documentation site in Chromium as a reader does.

    t/site-browser.py SITE

Some pages are tested at three widths, light and dark. Nothing may be wider than the window, and the contrast must meet
WCAG AA. The contents are open on a wide screen only. The search box finds sections, and its first result opens. A copy
button copies the commands of a transcript without prompts and output.
"""
import os
import sys
import time

from browser import check_colours, views

# Pages, each with words to search for, and a part of the address of the first result.
PAGES = (("index.html", "near-duplicate threshold", ""), ("cookbook.html", "shspan", "man/shspan.1.html"),
         ("man/shdedup.1.html", "keys recall", "man/shdedup.1.html"), ("tutorial.zh.html", "重复", "tutorial.zh.html"), ("comparison.html", "datasketch", ""), ("python.html", "cluster", "python.html"))
LOOK = """(() => {
    const css = (element, what) => getComputedStyle(element)[what], contents = document.querySelector('.contents');
    return {
        wide: document.documentElement.scrollWidth, ink: css(document.body, 'color'), ground: css(document.body, 'backgroundColor'),
        soft: css(document.querySelector('.code button') || document.body, 'color'),
        links: [...document.querySelectorAll('main a')].slice(0, 1).map(a => css(a, 'color')),
        open: contents && contents.open, blocks: document.querySelectorAll('main pre').length,
        buttons: document.querySelectorAll('.code button').length,
        over: contents && css(contents, 'position') == 'fixed' && [...document.querySelectorAll('main > p')].some(
            p => p.getBoundingClientRect().right > contents.getBoundingClientRect().left),
    };
})()"""


def wait(browser, script, what):
    end = time.monotonic() + 60
    while not (got := browser.run(script)):
        assert time.monotonic() < end, what
        time.sleep(0.02)
    return got


def check(browser, site, page, words, first, width, scheme):
    where = (page, width, scheme)
    browser.load("file://" + os.path.join(site, page))
    look = browser.run(LOOK)
    assert look["wide"] <= width, (where, "wider than the window", look["wide"])
    for ink in [look["ink"], look["soft"], *look["links"]]:
        check_colours(ink, look["ground"], scheme)
    assert look["open"] in (None, width >= 1280), (where, "contents", look["open"])
    assert not look["over"], (where, "the contents cover the text")
    assert look["buttons"] == look["blocks"], (where, look["buttons"], look["blocks"])
    if page == "index.html":
        browser.run("navigator.clipboard.writeText = async text => { window.copied = text; }")
        browser.run("document.querySelector('.code button').click()")
        copied = wait(browser, "window.copied", (where, "copy"))
        assert copied.startswith("printf ") and copied.endswith("\ncat dropped.tsv") and "\nn3\n" not in copied, (where, copied)
    browser.type(words)
    address = wait(browser, "document.querySelector('#found a')?.href", (where, words))
    assert first in address, (where, words, address)
    assert browser.run("document.documentElement.scrollWidth") <= width, (where, "the results are wider than the window")
    text = browser.run("document.querySelector('#found li').textContent").lower()
    assert all(word in text or word in browser.run("document.querySelector('#found').textContent").lower() for word in words.split()), text
    browser.type("zzzqqq")
    wait(browser, "document.querySelector('#found') && !document.querySelector('#found a')", (where, "no result"))
    browser.load("about:blank")  # a new place in the same page would not load it
    browser.load(address)
    assert browser.run("!location.hash || !!document.getElementById(decodeURIComponent(location.hash.slice(1)))"), (where, address)


def main():
    site = os.path.abspath(sys.argv[1])
    for browser, width, scheme in views():
        for page in PAGES:
            check(browser, site, *page, width, scheme)
        print("%d px, %s: %d pages" % (width, scheme, len(PAGES)))


main()
