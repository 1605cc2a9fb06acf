#!/usr/bin/env -S python3 -B
"""A warp's 32 addresses and the sectors that they touch: side by side, and far apart."""
from lib.svg import Picture

LANE, LEFT = 15, 76
WIDTH = 32 * LANE


def lanes(y):
    picture.text(0, y + 12, "32 lanes", "strong")
    for i in range(32):
        picture.cell(LEFT + i * LANE, y, LANE, 16, "", "a")


picture = Picture(LEFT + WIDTH + 4, 262, "32 lanes: four sectors side by side, or 32 far apart")
lanes(4)
for i in range(32):
    picture.arrow(LEFT + (i + 0.5) * LANE, 22, LEFT + (i + 0.5) * LANE, 46)
for k in range(4):
    for i in range(8):
        picture.rect(LEFT + (8 * k + i) * LANE, 48, LANE, 22, "b box")
    picture.rect(LEFT + 8 * k * LANE, 48, 8 * LANE, 22, "none box thick")
picture.text(0, 63, "memory", "strong")
picture.text(LEFT, 92, "stride 1: 4 sectors of 32 bytes, every byte of them is used", "dim")

lanes(126)
for i in range(32):
    x = LEFT + i * LANE
    picture.arrow(x + 2.5, 144, x + 2.5, 174)
    picture.hatch(x + 1, 176, LANE - 2, 22)
    picture.rect(x + 1, 176, 3, 22, "b box")
picture.text(0, 191, "memory", "strong")
picture.text(LEFT, 220, "stride 8 and more: 32 sectors, one word in eight is used;", "dim")
picture.text(LEFT, 238, "the hatched rest is fetched and thrown away", "dim")
picture.show()
