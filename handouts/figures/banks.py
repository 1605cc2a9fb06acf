#!/usr/bin/env -S python3 -B
"""32 lanes and 32 banks, for strides of 1, 2, 32 and 33 words."""
from lib.svg import Picture

STEP, LEFT, HIGH = 14, 124, 56
STRIDES = ((1, "no conflict"), (2, "2 passes"), (32, "32 passes"), (33, "no conflict"))

picture = Picture(LEFT + 32 * STEP + 4, len(STRIDES) * (HIGH + 42), "Which of 32 banks each of 32 lanes wants, for four strides")
for row, (stride, cost) in enumerate(STRIDES):
    top = row * (HIGH + 42) + 8
    picture.text(0, top + 10, f"stride {stride}", "strong")
    picture.text(0, top + 28, cost, "dim small")
    picture.text(LEFT - 8, top + 10, "lanes", "small dim", "end")
    picture.text(LEFT - 8, top + HIGH + 14, "banks", "small dim", "end")
    wanted = [i * stride % 32 for i in range(32)]
    for i, bank in enumerate(wanted):
        x, to = LEFT + (i + 0.5) * STEP, LEFT + (bank + 0.5) * STEP
        picture.rect(LEFT + i * STEP, top, STEP, 12, "e box")
        picture.line(x, top + 12, to, top + HIGH)
    for bank in range(32):
        picture.rect(LEFT + bank * STEP, top + HIGH, STEP, 16, f"{'a' if bank in wanted else 'none'} box")
picture.show()
