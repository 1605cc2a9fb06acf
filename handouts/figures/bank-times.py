#!/usr/bin/env -S python3 -B
"""Strides in shared memory."""
from lib.plot import plot

plot("banks", {
    "bank_conflicts": ("bank conflicts", "counted, 1 block"),
    "bank_conflicts_g80": ("bank conflicts", "16 banks, rules g80"),
    "time_h100": ("time", "µs, H100, 1,056 blocks"),
}, "Strides in shared memory: bank conflicts with 32 banks and with 16, and time")
