#!/usr/bin/env python3
"""Makes a web font: fonts.py FROM.otf TO.woff2

It has only the letters that handouts may need, so that it is small, and TrueType's curves: Chromium embeds those
in a PDF as a font, and others only as drawings.
"""
import sys

from fontTools import subset
from fontTools.pens.cu2quPen import Cu2QuPen
from fontTools.pens.ttGlyphPen import TTGlyphPen
from fontTools.ttLib import TTFont, newTable

LETTERS = [
    (0x20, 0x17F),  # Latin
    (0x300, 0x338),  # accents, for mathematics
    (0x370, 0x3FF),  # Greek
    (0x2000, 0x206F),  # dashes, quotes, spaces
    (0x2070, 0x209F),  # small digits
    (0x20D0, 0x20DF),  # vectors
    (0x2100, 0x214F),  # letters of mathematics; more of them below
    (0x2190, 0x22FF),  # arrows, operators
    (0x2300, 0x23FF),  # brackets
    (0x25A0, 0x25FF),
    (0x27E6, 0x27EF),
    (0x1D400, 0x1D467),  # bold and italic
    (0x1D6A4, 0x1D71B),
]
ERROR = 0.5  # of a curve, in thousandths of a letter's height
FEATURES = ["kern", "liga", "mark", "mkmk", "ccmp", "smcp", "c2sc", "lnum", "tnum", "onum", "ssty", "dtls"]


def only_letters(font):
    options = subset.Options(layout_features=FEATURES, name_IDs=[1, 2, 4, 6], notdef_outline=True, hinting=False)
    options.drop_tables += ["FFTM"]
    letters = subset.Subsetter(options)
    letters.populate(unicodes=[code for first, last in LETTERS for code in range(first, last + 1)])
    letters.subset(font)


def to_truetype(font):
    order, glyphs = font.getGlyphOrder(), font.getGlyphSet()
    font["loca"], glyf = newTable("loca"), newTable("glyf")
    glyf.glyphOrder, glyf.glyphs = order, {}
    for name in order:
        pen = TTGlyphPen(glyphs)
        glyphs[name].draw(Cu2QuPen(pen, ERROR, reverse_direction=True))
        glyf[name] = pen.glyph()
    font["glyf"] = glyf
    del font["CFF "]
    if "VORG" in font:
        del font["VORG"]
    limits = font["maxp"]
    limits.tableVersion = 0x00010000
    for field in ("maxTwilightPoints", "maxStorage", "maxFunctionDefs", "maxInstructionDefs", "maxStackElements",
                  "maxSizeOfInstructions", "maxComponentElements", "maxComponentDepth"):
        setattr(limits, field, 0)
    limits.maxZones = 1
    font.sfntVersion = "\0\1\0\0"


def main(path, out):
    font = TTFont(path)
    only_letters(font)
    to_truetype(font)
    font.flavor = "woff2"
    font.save(out)


if __name__ == "__main__":
    main(*sys.argv[1:])
