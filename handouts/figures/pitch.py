#!/usr/bin/env -S python3 -B
"""Rows with a pitch."""
from lib.svg import Picture

LEFT, WIDTH, PAD, ROW = 62, 330, 46, 26

picture = Picture(LEFT + WIDTH + PAD + 110, 5 * ROW + 82, "Rows whose pitch is longer than their width")
for y in range(5):
    top = 34 + y * ROW
    picture.text(0, top + 17, f"row {y}")
    picture.rect(LEFT, top, WIDTH, ROW, "b box")
    picture.hatch(LEFT + WIDTH, top, PAD, ROW)
picture.line(LEFT, 24, LEFT, 34 + 5 * ROW + 44, "line thick")
picture.text(LEFT + 6, 20, "each row begins with a line of memory", "dim small")
below = 34 + 5 * ROW
picture.arrow(LEFT + WIDTH / 2, below + 18, LEFT + WIDTH, below + 18)
picture.arrow(LEFT + WIDTH / 2, below + 18, LEFT + 2, below + 18)
picture.text(LEFT + WIDTH / 2, below + 14, "width × sizeof(float)", "code", "middle")
picture.arrow(LEFT + WIDTH / 2, below + 38, LEFT + WIDTH + PAD, below + 38)
picture.arrow(LEFT + WIDTH / 2, below + 38, LEFT + 2, below + 38)
picture.text(LEFT + WIDTH / 2, below + 34, "pitch", "code", "middle")
picture.text(LEFT + WIDTH + PAD + 8, 34 + 2.5 * ROW + 4, "unused bytes", "dim")
picture.show()
