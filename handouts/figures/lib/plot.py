"""Plots of ladders: a row for each rung, a panel for each column. A mark shows each value, with the number next to it.

A panel whose largest value is many times its smallest has a logarithmic axis, with a tick for each power of ten. The
mark's shape shows the value's source: a ring for the old card's, a square for a count, a disc for a measured time.
"""
import json
import math
import sys

from lib.svg import Picture

AXIS = 98  # length of a panel's axis, up to its largest mark
ROW, HEAD, FOOT, PANEL, GAP = 24, 52, 24, 150, 18


def load():
    with open(sys.argv[1], encoding="utf-8") as file:
        return json.load(file)


def short(value):
    """VALUE as a short text, because a plot has little room: 640 M, 13,300, 8.19; a count below a million in full."""
    if isinstance(value, int) and abs(value) < 1e6:
        return f"{value:,}"
    for unit, size in ((" G", 1e9), (" M", 1e6)):
        if abs(value) >= size:
            return f"{value / size:.3g}{unit}" if value < 999.5 * size else f"{value / size:,.0f}{unit}"
    if abs(value) >= 1000:
        digits = len(str(int(abs(value)))) - 3
        return f"{round(value, -digits):,.0f}"
    return f"{value:.3g}"


def scale_of(values):
    """A function from a value to its place in a panel, 0 to 1, and the powers of ten on a logarithmic axis."""
    low, high = min(values), max(values)
    if low <= 0 or high <= 12 * low:
        return lambda value: value / high if high else 0, []
    bottom = math.log10(low) - 0.12 * math.log10(high / low)
    powers = range(math.ceil(bottom), math.floor(math.log10(high)) + 1)
    return lambda value: (math.log10(value) - bottom) / (math.log10(high) - bottom), [10**k for k in powers]


def mark(picture, column, x, y):
    if column == "then":
        picture.circle(x, y, 4.5, "line")
    elif column.endswith("_h100"):
        picture.circle(x, y, 5, "a")
    else:
        picture.rect(x - 4.5, y - 4.5, 9, 9, "b box")


def head(picture, ladder, column, x, words):
    """The two lines above a panel: the column's title, and its unit or source."""
    unit = ladder["columns"][column]["unit"]
    first, second = words if words else (ladder["columns"][column]["title"], unit)
    picture.text(x, 18, first, "strong")
    picture.text(x, 35, second, "dim small")


def plot(name, columns, title, rungs=None):
    """Shows ladder NAME's COLUMNS: {column: (first line, second line) of its head, or None}."""
    ladder = load()["ladders"][name]
    rungs = rungs or ladder["order"]
    rows = [ladder["rungs"][rung] for rung in rungs]
    label, bottom = 16 + 6.9 * max(len(row["title"]) for row in rows), HEAD + len(rungs) * ROW
    width = max(label + len(columns) * (PANEL + GAP), 420)  # room for the note below the plot
    picture = Picture(round(width), bottom + 6, title)
    for i, row in enumerate(rows):
        y = HEAD + ROW * i + ROW / 2
        picture.line(0, y + ROW / 2, picture.width, y + ROW / 2, "faint")
        picture.text(0, y + 4, row["title"])
    for k, (column, words) in enumerate(columns.items()):
        left = label + k * (PANEL + GAP)
        head(picture, ladder, column, left, words)
        picture.line(left, HEAD, left, bottom, "line")
        place, powers = scale_of([row[column] for row in rows if column in row])
        for power in powers:
            picture.line(left + place(power) * AXIS, HEAD - 5, left + place(power) * AXIS, HEAD, "line")
        if powers:
            picture.height = bottom + FOOT
        for i, row in enumerate(rows):
            if column in row:
                figure(picture, column, left, HEAD + ROW * i + ROW / 2, place(row[column]), row[column])
            else:
                picture.text(left + 8, HEAD + ROW * i + ROW / 2 + 4, "–", "dim")
    if picture.height == bottom + FOOT:
        picture.text(0, bottom + 17, "Axes with ticks are logarithmic: each tick is ten times the tick before.", "dim small")
    picture.show()


def figure(picture, column, left, y, place, value):
    """A mark, a thin line that leads to it, and the number to its right."""
    x = left + place * AXIS
    picture.line(left, y, x, y, "line")
    mark(picture, column, x, y)
    picture.text(x + 10, y + 4, short(value), "small")
