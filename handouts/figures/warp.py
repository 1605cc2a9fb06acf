#!/usr/bin/env -S python3 -B
"""A block's threads are cut into warps; a warp executes one instruction for all its lanes."""
from lib.svg import Picture

LANE, LEFT = 14, 76

picture = Picture(LEFT + 32 * LANE + 4, 214, "A block of 256 threads is eight warps of 32 lanes")
picture.text(LEFT, 14, "a block of 256 threads is 8 warps of 32 lanes", "dim")
for warp in range(8):
    y = 24 + warp * 17
    picture.text(0, y + 11, f"warp {warp}", "strong" if warp == 2 else "")
    for lane in range(32):
        picture.rect(LEFT + lane * LANE, y, LANE, 13, ("a" if warp == 2 else "e") + " box")
y = 24 + 3 * 17
picture.rect(LEFT, 176, 32 * LANE, 22, "b box", 4)
picture.text(LEFT + 16 * LANE, 191, "sum += square(data[i]);", "code on-b", "middle")
for lane in range(0, 32, 2):
    picture.line(LEFT + (lane + 1) * LANE, 24 + 2 * 17 + 13, LEFT + (lane + 1) * LANE, 174, "faint")
picture.arrow(LEFT - 14, 176 + 11, LEFT - 14, 24 + 2 * 17 + 10)
picture.line(LEFT - 14, 187, LEFT, 187)
picture.text(LEFT, 212, "one instruction for all 32 lanes, each with a thread's own registers", "dim small")
picture.show()
