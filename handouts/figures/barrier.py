#!/usr/bin/env -S python3 -B
"""The warps of a block at __syncthreads()."""
from lib.svg import Picture

WALL, LEFT = 330, 62
ARRIVES = (190, 300, 240, 150, 330, 270, 210, 120)

picture = Picture(530, 8 * 24 + 56, "Eight warps of a block wait for each other at a barrier")
for i, end in enumerate(ARRIVES):
    y = 30 + 24 * i
    picture.text(0, y + 12, f"warp {i}")
    picture.rect(LEFT, y, end - LEFT, 15, "a box")
    if end < WALL:
        picture.line(end, y + 7.5, WALL, y + 7.5, "line dashed")
    picture.rect(WALL, y, 150, 15, "b box")
picture.line(WALL, 22, WALL, 30 + 8 * 24, "line thick")
picture.text(WALL, 14, "__syncthreads()", "code", "middle")
picture.text(LEFT, 30 + 8 * 24 + 18, "writes", "dim")
picture.text(WALL - 8, 30 + 8 * 24 + 18, "dashed: waits", "dim", "end")
picture.text(WALL + 10, 30 + 8 * 24 + 18, "reads what others wrote", "dim")
picture.show()
