#!/usr/bin/env -S python3 -B
"""32 floats of a row that begins with a line, and 32 of the next row, which begins 4,004 bytes later."""
from lib.svg import Picture

WORD, LEFT = 7, 112
SECTOR, LINE = 8 * WORD, 32 * WORD

picture = Picture(LEFT + 2 * LINE + 4, 196, "32 floats of row 0 fill four sectors; 32 of row 1 touch five sectors and two lines")
for y, begin, name, words in ((40, 0, "row 0", "4 sectors, 1 line"), (120, 4004 % 128 // 4, "row 1", "5 sectors, 2 lines")):
    picture.text(0, y + 14, name, "strong")
    picture.text(0, y + 30, words, "small dim")
    for k in range(8):
        touched = begin < 8 * (k + 1) and begin + 32 > 8 * k
        if touched:
            picture.hatch(LEFT + k * SECTOR, y, SECTOR, 36)
        else:
            picture.rect(LEFT + k * SECTOR, y, SECTOR, 36, "none faint")
    for i in range(32):
        picture.rect(LEFT + (begin + i) * WORD, y + 8, WORD, 20, "b box")
    for k in range(3):
        picture.line(LEFT + k * LINE, y - 8, LEFT + k * LINE, y + 44, "line thick")
for k in range(2):
    picture.text(LEFT + (k + 0.5) * LINE, 22, "a line: 128 bytes, 4 sectors", "dim small", "middle")
picture.text(LEFT, 186, "rows of 1,001 floats, end to end: row 1 begins 36 bytes into a line", "dim small")
picture.show()
