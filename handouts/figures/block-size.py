#!/usr/bin/env -S python3 -B
"""Lab 10's stencil: sectors, occupancy and time for several blocks and tiles."""
from lib.plot import plot

plot("block_size", {
    "global_load_sectors": ("sectors read", "counted"),
    "occupancy": ("occupancy", "%, counted"),
    "time_h100": ("time", "µs, H100"),
}, "Warps of a block and rows of a tile: sectors, occupancy, and time")
