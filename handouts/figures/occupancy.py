#!/usr/bin/env -S python3 -B
"""Occupancy and time, for a kernel that only waits for memory."""
from lib.plot import plot

plot("occupancy", {
    "occupancy": ("occupancy", "%, counted"),
    "time_h100": ("time", "µs, H100"),
}, "Block sizes and shared memory: occupancy, and time")
