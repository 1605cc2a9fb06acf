#!/usr/bin/env -S python3 -B
"""The sum of squares on every rung: in 2007, counted, and today."""
from lib.plot import plot

plot("sumsq", {
    "then": ("then", "cycles, GeForce 8800 GT"),
    "longest_warp": ("longest warp", "instructions, counted"),
    "time_h100": ("now", "µs, H100"),
}, "Sum of squares of a million ints: in 2007, counted, and today")
