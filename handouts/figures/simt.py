#!/usr/bin/env -S python3 -B
"""A branch that some lanes take and others do not: the warp executes both paths, one after the other."""
from lib.svg import Picture

LANE, LEFT, ROW = 26, 196, 24
STEPS = (
    ("int i = …;", lambda lane: True),
    ("if (i % 2 == 0)", lambda lane: True),
    ("    x = f(i);", lambda lane: lane % 2 == 0),
    ("    x = x + 1;", lambda lane: lane % 2 == 0),
    ("else", lambda lane: None),
    ("    x = g(i);", lambda lane: lane % 2 == 1),
    ("out[i] = x;", lambda lane: True),
)

picture = Picture(LEFT + 12 * LANE + 30, 40 + len(STEPS) * ROW + 24, "Lanes of a warp at a branch that diverges")
for lane in range(12):
    picture.text(LEFT + (lane + 0.5) * LANE, 18, lane, "small dim", "middle")
picture.text(LEFT + 12 * LANE + 8, 18, "…", "dim")
for step, (code, active) in enumerate(STEPS):
    y = 28 + step * ROW
    picture.text(code.count("    ") * 24, y + 14, code.strip(), "code")
    for lane in range(12):
        if active(lane):
            picture.rect(LEFT + lane * LANE + 2, y, LANE - 4, ROW - 6, "a box")
        elif active(lane) is False:
            picture.hatch(LEFT + lane * LANE + 2, y, LANE - 4, ROW - 6)
picture.text(LEFT, 28 + len(STEPS) * ROW + 16, "filled: the lane works; hatched: it waits for the others", "small dim")
picture.show()
