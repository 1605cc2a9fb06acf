#!/usr/bin/env -S python3 -B
"""What strides and offsets cost, by three GPUs' rules and in time."""
from lib.plot import plot

plot("strides", {
    "load_transactions_per_half_warp_g80": ("transactions", "of 16 loads, rules g80"),
    "load_transactions_per_half_warp_gt200": ("transactions", "of 16 loads, rules gt200"),
    "load_sectors_per_request": ("sectors", "of 32 loads, today"),
    "time_h100": ("time", "µs, H100"),
}, "Loads with strides and offsets: by the rules of three generations, and time")
