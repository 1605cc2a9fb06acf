#!/usr/bin/env -S python3 -B
"""A tile of C, and the strips of A and B from which it is computed."""
from lib.svg import Picture

SIZE, GAP, TILE = 160, 22, 40
A, B = (0, SIZE + GAP), (SIZE + GAP, 0)
C = (SIZE + GAP, SIZE + GAP)
ROW, COLUMN, STEP = 1, 2, 1  # of tiles

picture = Picture(2 * SIZE + GAP + 4, 2 * SIZE + GAP + 4, "The tiles of a matrix product")
for name, (x, y) in (("A", A), ("B", B), ("C", C)):
    picture.rect(x + 2, y + 2, SIZE, SIZE, "none box")
    for k in range(1, 4):
        picture.line(x + 2 + k * TILE, y + 2, x + 2 + k * TILE, y + 2 + SIZE, "faint")
        picture.line(x + 2, y + 2 + k * TILE, x + 2 + SIZE, y + 2 + k * TILE, "faint")
for k in range(4):
    picture.rect(A[0] + 2 + k * TILE, A[1] + 2 + ROW * TILE, TILE, TILE, ("a" if k == STEP else "e") + " box")
    picture.rect(B[0] + 2 + COLUMN * TILE, B[1] + 2 + k * TILE, TILE, TILE, ("a" if k == STEP else "e") + " box")
picture.rect(C[0] + 2 + COLUMN * TILE, C[1] + 2 + ROW * TILE, TILE, TILE, "b box")
y = A[1] + 2 + (ROW + 0.5) * TILE
picture.arrow(A[0] + 2 + (STEP + 1) * TILE + 4, y, A[0] + SIZE - 8, y)
x = B[0] + 2 + (COLUMN + 0.5) * TILE
picture.arrow(x, B[1] + 2 + (STEP + 1) * TILE + 4, x, B[1] + SIZE - 8)
for words, (x, y) in (("A", A), ("B", B), ("C", C)):
    picture.text(x + 10, y + 22, words, "strong")
picture.text(2, SIZE - 46, "In each step the block loads the", "small dim")
picture.text(2, SIZE - 30, "filled tiles of A and B and adds", "small dim")
picture.text(2, SIZE - 14, "their product to its tile of C.", "small dim")
picture.show()
