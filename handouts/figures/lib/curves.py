"""Times over sizes, one curve for each rung of a ladder whose columns are time_N: both axes are logarithmic.

A rung's label stands at the right end of its curve. Discs are the GPU's times, rings those with copies, squares the
CPU's. Without a recording the picture only says so.
"""
import math
import re

from lib.plot import load
from lib.svg import Picture

LEFT, TOP, WIDTH, HEIGHT, LABEL = 56, 14, 380, 300, 190
UNITS = ((1e6, "s"), (1e3, "ms"), (1, "µs"))
DEFAULT = 1024  # the size of the column without a number


def times_of(row, device):
    """[(size, time)] of a rung."""
    found = []
    for column, value in row.items():
        match = re.fullmatch(rf"time(?:_(\d+))?_{device}", column)
        if match:
            found.append((int(match[1] or DEFAULT), value))
    return sorted(found)


def in_words(micros):
    size, unit = next((size, unit) for size, unit in UNITS if micros >= size or size == 1)
    return f"{micros / size:g} {unit}"


def spread(heights, gap=15):
    """The heights of labels, moved apart where they would touch. HEIGHTS rise."""
    for i in range(1, len(heights)):
        heights[i] = max(heights[i], heights[i - 1] + gap)
    return heights


def mark(picture, rung, x, y):
    if rung.startswith("cpu-"):
        picture.rect(x - 3.5, y - 3.5, 7, 7, "b box")
    elif rung.endswith("-copies"):
        picture.circle(x, y, 3.5, "e box")
    else:
        picture.circle(x, y, 4, "a")


def axes(picture, sizes, low, high, place):
    bottom = TOP + HEIGHT
    picture.line(LEFT, TOP, LEFT, bottom, "line")
    picture.line(LEFT, bottom, LEFT + WIDTH, bottom, "line")
    for power in range(math.ceil(low), math.floor(high) + 1):
        y = place(sizes[0], 10**power)[1]
        picture.line(LEFT, y, LEFT + WIDTH, y, "faint")
        picture.text(LEFT - 6, y + 4, in_words(10**power), "small", "end")
    for size in sizes:
        x = place(size, 1)[0]
        picture.line(x, bottom, x, bottom + 4, "line")
        if size & (size - 1) == 0:  # a power of 2
            picture.text(x, bottom + 17, f"{size:,}", "small", "middle")
    picture.text(LEFT + WIDTH / 2, bottom + 34, "n", "small", "middle")


def curves(name, rungs, title, device="h100"):
    ladder = load()["ladders"][name]
    found = {rung: times_of(ladder["rungs"][rung], device) for rung in rungs}
    found = {rung: times for rung, times in found.items() if times}
    if not found:
        picture = Picture(460, 40, title)
        picture.text(0, 24, "Not timed yet: make record-ladders does it, on a machine with a GPU.", "dim")
        return picture.show()
    values = [time for times in found.values() for _, time in times]
    sizes = sorted({size for times in found.values() for size, _ in times})
    low, high = math.log10(min(values)) - 0.1, math.log10(max(values)) + 0.1
    across = math.log(sizes[-1] / sizes[0]) or 1

    def place(size, time):
        return (LEFT + 8 + (WIDTH - 16) * math.log(size / sizes[0]) / across,
                TOP + HEIGHT * (high - math.log10(time)) / (high - low))

    picture = Picture(LEFT + WIDTH + LABEL, TOP + HEIGHT + 42, title)
    axes(picture, sizes, low, high, place)
    for rung, times in found.items():
        points = [place(*point) for point in times]
        picture.path(points, "line dashed" if rung.startswith("cpu-") else "line")
        for x, y in points:
            mark(picture, rung, x, y)
    ends = sorted((place(*times[-1])[1], rung) for rung, times in found.items())
    for (_, rung), y in zip(ends, spread([y for y, _ in ends])):
        picture.text(LEFT + WIDTH + 6, y + 4, ladder["rungs"][rung]["title"], "small")
    return picture.show()
