#!/usr/bin/env -S python3 -B
"""A single warp often waits; of six warps, one can always work."""
from lib.svg import Picture

LEFT, WORK, WAIT, ROW = 70, 26, 130, 20


def warps(top, count, words):
    picture.text(0, top - 8, words, "strong")
    for w in range(count):
        y = top + w * ROW
        picture.text(0, y + 12, f"warp {w}", "small")
        x = LEFT + w * WORK
        for turn in range(3):
            picture.rect(x, y, WORK, 14, "b box")
            wait = min(WAIT, LEFT + 3 * (WORK + WAIT) - x - WORK)
            if wait > 0:
                picture.hatch(x + WORK, y, wait, 14)
            x += WORK + WAIT
            if x >= LEFT + 3 * (WORK + WAIT):
                break
    y = top + count * ROW + 4
    picture.text(0, y + 11, "computes", "small")
    for slot in range(18):
        busy = slot % 6 < count
        picture.rect(LEFT + slot * WORK, y, WORK, 14, ("a" if busy else "none") + " box")


picture = Picture(LEFT + 18 * WORK + 6, 276, "Latency hiding: one warp leaves the multiprocessor idle, six keep it busy")
warps(24, 1, "one warp")
warps(104, 6, "six warps")
picture.text(LEFT, 270, "filled: computes; hatched: waits for memory; last row: what the multiprocessor does", "small dim")
picture.show()
