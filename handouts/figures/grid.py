#!/usr/bin/env -S python3 -B
"""A grid of blocks, and the multiprocessors that run them."""
from lib.svg import Picture

BLOCK, GAP = 58, 8

picture = Picture(562, 236, "A grid of twelve blocks on four multiprocessors")
picture.text(0, 14, "a grid: kernel<<<12, 256>>>", "code")
for i in range(12):
    x = 2 + i % 6 * (BLOCK + GAP)
    y = 24 + i // 6 * 44
    picture.rect(x, y, BLOCK, 36, ("b" if i < 8 else "none") + " box", 3)
    picture.text(x + BLOCK / 2, y + 16, f"block {i}", "small" + (" on-b" if i < 8 else ""), "middle")
    picture.text(x + BLOCK / 2, y + 30, "8 warps", "small" + (" on-b" if i < 8 else " dim"), "middle")
picture.text(6 * (BLOCK + GAP) + 8, 44, "Any order:", "small dim")
picture.text(6 * (BLOCK + GAP) + 8, 60, "a block goes where there", "small dim")
picture.text(6 * (BLOCK + GAP) + 8, 76, "is room, stays until it", "small dim")
picture.text(6 * (BLOCK + GAP) + 8, 92, "ends, and the next comes.", "small dim")
for m in range(4):
    x = 2 + m * 138
    picture.rect(x, 134, 128, 84, "e box", 5)
    picture.text(x + 64, 150, f"multiprocessor {m}", "small", "middle")
    for k in range(2):
        picture.rect(x + 6 + k * (BLOCK + 2), 158, BLOCK - 2, 26, "b box", 3)
        picture.text(x + 5 + k * (BLOCK + 2) + BLOCK / 2, 175, f"block {m + 4 * k}", "small on-b", "middle")
    picture.text(x + 64, 204, "its shared memory", "small dim", "middle")
    picture.arrow(x + 64, 112, x + 64, 132)
picture.text(0, 232, "Here four multiprocessors with room for two blocks each: blocks 8 to 11 wait.", "small dim")
picture.show()
