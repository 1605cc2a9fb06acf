#!/usr/bin/env -S python3 -B
"""Transposes, the one ladder in which bank conflicts show clearly in time."""
from lib.plot import plot

plot("transpose", {
    "store_sectors_per_request": ("sectors a store", "counted"),
    "bank_conflicts": ("bank conflicts", "counted, 256 x 256"),
    "time_h100": ("time", "µs, H100, 8,192 x 8,192"),
}, "Four ways to move a matrix: sectors of a store, bank conflicts, and time")
