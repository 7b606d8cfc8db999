#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Write scripts.inc from the Unicode Character Database.

usage: gen-scripts.py [/usr/share/unicode] > scripts.inc

SCRIPT_RANGES: Script property of the scripts named below. A code point of Common
or Inherited whose Script_Extensions name only scripts that are cut into single
characters goes with the first of them (the prolonged sound mark U+30FC, the voiced
marks U+3099 and U+309A, U+3006); other Inherited ones are marks of any script.

COMPOSING_RANGES: NFC_Quick_Check=Maybe, the code points that may join the one
before them, plus the Hangul block's vowels and finals outside that property. The
vowel U+11A7 is not among them, since utf8proc takes it for an empty final, and
drops it behind a syllable without final.
"""
import sys
import textwrap

SCRIPTS = {
    'Inherited': 'INHERITED', 'Han': 'HAN', 'Hiragana': 'KANA', 'Katakana': 'KANA',
    'Hangul': 'HANGUL', 'Thai': 'THAI', 'Lao': 'LAO', 'Khmer': 'KHMER',
    'Myanmar': 'MYANMAR', 'Tibetan': 'TIBETAN',
}
CUT_EXTENSIONS = {
    'Hani': 'HAN', 'Hira': 'KANA', 'Kana': 'KANA', 'Thai': 'THAI', 'Laoo': 'LAO',
    'Khmr': 'KHMER', 'Mymr': 'MYANMAR', 'Tibt': 'TIBETAN',
}


def rows(path):
    """(first, last, fields after the code points) of each data line."""
    for line in open(path, encoding='utf-8'):
        data = line.split('#')[0].strip()
        if data:
            where, *fields = [f.strip() for f in data.split(';')]
            first, _, last = where.partition('..')
            yield int(first, 16), int(last or first, 16), fields


def ranges(table):
    """Merge {code point: value} into (first, last, value)."""
    merged = []
    for c in sorted(table):
        if merged and merged[-1][1] == c - 1 and merged[-1][2] == table[c]:
            merged[-1][1] = c
        else:
            merged.append([c, c, table[c]])
    return merged


def show(name, initialisers):
    """Print an array, several rows a line."""
    print(f'static const struct range {name}[] = {{')
    text = ' '.join(f'{{~{row.replace(" ", "~")}~}},' for row in initialisers)
    for line in textwrap.wrap(text, 92, break_on_hyphens=False):
        print('\t' + line.replace('~', ' '))
    print('};')


def main():
    ucd = sys.argv[1] if len(sys.argv) > 1 else '/usr/share/unicode'
    script, shared = {}, set()
    for first, last, (name,) in rows(ucd + '/Scripts.txt'):
        for c in range(first, last + 1):
            if name in ('Common', 'Inherited'):
                shared.add(c)
            if name in SCRIPTS:
                script[c] = SCRIPTS[name]
    for first, last, (names,) in rows(ucd + '/ScriptExtensions.txt'):
        cut = [CUT_EXTENSIONS.get(n) for n in names.split()]
        for c in range(first, last + 1):
            if c in shared and all(cut):
                script[c] = cut[0]
    composing = {c: True for c in range(0x1161, 0x1200) if c != 0x11A7}
    for first, last, fields in rows(ucd + '/DerivedNormalizationProps.txt'):
        if fields == ['NFC_QC', 'M']:
            composing.update((c, True) for c in range(first, last + 1))

    version = open(ucd + '/Scripts.txt', encoding='utf-8').readline()[2:].strip()
    print('/* SPDX-License-Identifier: MIT */')
    print(f'/* Made by: lib/unicode/gen-scripts.py {ucd} > lib/unicode/scripts.inc ({version}) */')
    print('/* clang-format off */')
    show('SCRIPT_RANGES', [f'0x{a:04X}, 0x{b:04X}, SH_SCRIPT_{name}' for a, b, name in ranges(script)])
    print()
    show('COMPOSING_RANGES', [f'0x{a:04X}, 0x{b:04X}' for a, b, _ in ranges(composing)])


main()
