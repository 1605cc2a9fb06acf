#!/usr/bin/env -S python3 -B
"""Three ways to choose the threads and words of a tree, for 8 threads and warps of 4."""
from lib.svg import COLOURS, Picture

CELL, LEFT, ROW = 40, 6, 44
TREES = (
    ("t % (2 * off) == 0", "Both warps work in nearly every step, with fewer and fewer lanes: divergence.", False, lambda t, off: t if t % (2 * off) == 0 else None),
    ("i = 2 * off * t", "Whole warps rest. But the words that a warp touches are 2 * off apart: bank conflicts.", False, lambda t, off: 2 * off * t if 2 * off * t < 8 else None),
    ("t < off, off = 4, 2, 1", "Whole warps rest, and a warp touches words side by side.", True, lambda t, off: t if t < off else None),
)

picture = Picture(2 * LEFT + 8 * CELL + 190, len(TREES) * (4 * ROW + 46), "Three trees that add up eight numbers")
for index, (code, words, halving, word_of) in enumerate(TREES):
    top = index * (4 * ROW + 46) + 18
    picture.text(LEFT, top - 4, code, "code")
    for i in range(8):
        picture.cell(LEFT + i * CELL, top + 6, CELL, 20, f"s[{i}]")
    for step, off in enumerate((4, 2, 1) if halving else (1, 2, 4)):
        y, above = top + 6 + (step + 1) * ROW, top + 26 + step * ROW
        adders = {word_of(t, off): t for t in range(8) if word_of(t, off) is not None}
        picture.text(LEFT + 8 * CELL + 12, y + 14, f"off = {off}", "small dim")
        for i in range(8):
            x = LEFT + (i + 0.5) * CELL
            if i in adders:
                picture.line(x, above, x, y)
                picture.line(x + off * CELL, above, x, y)
                t = adders[i]
                picture.cell(LEFT + i * CELL, y, CELL, 20, f"t{t}", *COLOURS[t // 4])
            elif step < 2:
                picture.rect(LEFT + i * CELL, y, CELL, 20, "none faint")
    picture.text(LEFT, top + 4 * ROW - 2, words, "small dim")
for warp in range(2):
    x = LEFT + 8 * CELL + 70
    picture.cell(x, 24 + warp * 26, 26, 20, f"t{4 * warp}", *COLOURS[warp])
    picture.text(x + 34, 38 + warp * 26, f"of warp {warp}", "small dim")
picture.show()
