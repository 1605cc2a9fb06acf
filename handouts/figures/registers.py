#!/usr/bin/env -S python3 -B
"""More values in registers: fewer threads fit, and in the end values spill."""
from lib.plot import plot

plot("registers", {
    "registers_h100": ("registers", "a thread, H100"),
    "occupancy_h100": ("occupancy", "%, H100"),
    "time_h100": ("time", "µs, H100"),
}, "Values that a thread keeps in registers: registers, occupancy, and time")
