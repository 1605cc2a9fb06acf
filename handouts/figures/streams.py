#!/usr/bin/env -S python3 -B
"""Copies and kernels, one after the other or in pieces that overlap."""
from lib.svg import COLOURS, Picture

LEFT, ROW, LONG = 92, 24, 148

picture = Picture(LEFT + 3 * LONG + 6, 236, "One stream does one thing after the other; in four streams copies and kernels overlap")
names = ("copy in", "kernel", "copy out")
picture.text(0, 14, "one stream", "strong")
for k, name in enumerate(names):
    picture.text(0, 40 + k * ROW, name, "small")
    picture.cell(LEFT + k * LONG, 26 + k * ROW, LONG, 20, "all", "e")
picture.text(0, 124, "four streams, a quarter in each", "strong")
part = LONG / 4
for k, name in enumerate(names):
    picture.text(0, 150 + k * ROW, name, "small")
    for s in range(4):
        picture.cell(LEFT + (s + k) * part, 136 + k * ROW, part, 20, s, *COLOURS[s])
end = LEFT + 6 * part
picture.line(end, 130, end, 136 + 3 * ROW + 4, "line dashed")
picture.text(end + 6, 136 + 3 * ROW - 8, "done", "small dim")
picture.arrow(LEFT, 218, LEFT + 3 * LONG, 218)
picture.text(LEFT, 232, "time: as long as the slowest engine needs, and a little more", "small dim")
picture.show()
