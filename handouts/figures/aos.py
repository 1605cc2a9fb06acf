#!/usr/bin/env -S python3 -B
"""Structures and arrays, by the rules of three generations and in time."""
from lib.plot import plot

plot("aos", {
    "load_transactions_per_half_warp_g80": ("transactions", "of 16 threads, rules g80"),
    "load_transactions_per_half_warp_gt200": ("transactions", "of 16 threads, gt200"),
    "load_sectors_per_request": ("sectors a load", "of 32 threads, today"),
    "time_h100": ("time", "µs, H100"),
}, "Arrays of structures and structures of arrays: by three generations' rules, and time")
