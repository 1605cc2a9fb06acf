#!/usr/bin/env -S python3 -B
"""Ways to add up a block's numbers."""
from lib.plot import plot

plot("reduce", {
    "then": ("then", "cycles, GeForce 8800 GT"),
    "longest_warp": ("longest warp", "instructions, counted"),
    "warp_instructions": ("all warps", "instructions, counted"),
    "time_h100": ("time", "µs, H100, blocks of 256"),
    "time_1024_h100": ("time", "µs, blocks of 1,024"),
}, "Eight reductions: then, the longest warp, all instructions, and time with two sizes of blocks")
