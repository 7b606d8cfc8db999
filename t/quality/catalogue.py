#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Write the titles of a catalogue, made from templates: t/quality/catalogue.py >titles.tsv

Each line is `id<TAB>title`. An id is NUMBER-KIND. Titles of kind 0 are different things, although one template makes many
of them: another volume, year, part, model, size or colour is another thing. Each title of every tenth thing has a copy
of each other kind of KINDS, as two people would type it. Titles of one NUMBER are one thing. The order of lines is
random, with the originals first. Each run gives the same bytes.
"""
import random

KINDS = {"slip": "one slip", "slips": "two slips", "case": "case, punctuation", "short": "abbreviated", "moved": "parts exchanged"}
SHORT = {"Volume": "Vol.", "Number": "No.", "Introduction to": "Intro to", "International": "Int.", "and": "&", "Edition": "ed.",
         "Proceedings": "Proc.", "Conference": "Conf.", "inch": "in", "Annual": "Ann.", "Report": "Rep.", "Part": "Pt."}
THINGS = "Mouse Keyboard Monitor Headphones Charger Backpack Kettle Lamp Router Speaker Printer Tripod Blender Toaster".split()
BRANDS = "Acme Norvik Talbot Ferrum Luxor Kanto Brightline Osprey Helix Meridian".split()
FIELDS = ("Linear Algebra;Organic Chemistry;Roman Law;Machine Learning;Soil Mechanics;Medieval History;Number Theory;Plant Pathology;"
          "Public Finance;Marine Biology;Fluid Dynamics;Structural Geology;Cognitive Science;Urban Planning").split(";")
PLACES = "Bremen Leeds Porto Turin Ghent Malmo Graz Nantes Tampere Basel Utrecht Gdansk".split()
ROMAN = "I II III IV V VI VII VIII IX X XI XII".split()
KEYS = [f"{key} {mode}" for key in "C D E F G A B".split() for mode in ("major", "minor")]


def things(rng):
    pick = rng.choice
    templates = (
        lambda: f"{pick(BRANDS)} Wireless {pick(THINGS)} {pick('MXTZ')}{rng.randrange(100, 999)} {pick(['Black', 'White', 'Silver', 'Blue'])}",
        lambda: f"{pick(BRANDS)} {pick(THINGS)} {rng.randrange(10, 60)} inch, {pick(['Standard', 'Premium', 'Family'])} Edition",
        lambda: f"Introduction to {pick(FIELDS)}, Volume {rng.randrange(1, 9)}",
        lambda: f"Proceedings of the {rng.randrange(2, 40)}th International Conference on {pick(FIELDS)}, {pick(PLACES)} {rng.randrange(1980, 2024)}",
        lambda: f"Annual Report of the City of {pick(PLACES)} for {rng.randrange(1950, 2024)}",
        lambda: f"Sonata Number {rng.randrange(1, 33)} in {pick(KEYS)}: {pick(ROMAN)}. {pick(['Allegro', 'Adagio', 'Andante', 'Presto', 'Rondo'])}",
        lambda: f"{' and '.join(sorted(rng.sample(FIELDS, 2)))}: Part {pick(ROMAN)}",
    )
    seen = set()
    while len(seen) < 3000:
        title = pick(templates)()
        if title not in seen:
            seen.add(title)
            yield title


def slip(rng, text):
    letters = [i for i, c in enumerate(text) if c.isalpha()]
    i, what = rng.choice(letters), rng.randrange(3)
    return text[:i] + ("", rng.choice("abcdefghijklmnopqrstuvwxyz"), text[i] + rng.choice("aeinrst"))[what] + text[i + 1:]


def copy_of(rng, title, kind):
    if kind in ("slip", "slips"):
        for _ in range(1 if kind == "slip" else 2):
            title = slip(rng, title)
        return title
    if kind == "case":
        return (title.upper() if rng.random() < 0.5 else title.lower()).replace(",", "").replace(":", " -")
    if kind == "short":
        return " ".join(SHORT.get(word, word) for word in title.replace("Introduction to", "Intro to").split())
    for mark in (": ", ", ", " "):
        if mark in title:
            head, tail = title.split(mark, 1)
            return f"{tail}, {head}"
    return title


def main():
    rng = random.Random(20261128)
    copies = []
    for number, title in enumerate(things(rng)):
        print(f"{number:04}-0\t{title}")
        if number % 10 == 0:
            copies += [f"{number:04}-{kind}\t{copy_of(rng, title, kind)}" for kind in KINDS]
    rng.shuffle(copies)
    print("\n".join(copies))


if __name__ == "__main__":
    main()
