#!/usr/bin/env -S python3 -B
"""Twelve numbers for four threads: in chunks, and dealt out."""
from lib.svg import COLOURS, Picture

SIZE = 34

picture = Picture(12 * SIZE + 100, 150, "Twelve numbers shared by four threads: in chunks, and dealt out")
for y, words, owner in ((26, "in chunks", lambda i: i // 3), (96, "dealt out", lambda i: i % 4)):
    picture.text(0, y + 22, words, "strong")
    for i in range(12):
        x = 90 + i * SIZE
        picture.cell(x, y, SIZE, SIZE, i, *COLOURS[owner(i)])
        picture.text(x + SIZE / 2, y - 6, f"t{owner(i)}", "small dim", "middle")
picture.show()
