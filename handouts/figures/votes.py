#!/usr/bin/env -S python3 -B
"""Compaction: barriers, requests to shared memory, all instructions, and time."""
from lib.plot import plot

plot("votes", {
    "barriers": ("barriers", "arrivals of warps"),
    "shared_requests": ("shared memory", "requests"),
    "warp_instructions": ("all warps", "instructions"),
    "time_h100": ("time", "µs, H100"),
}, "Compaction: barriers, requests to shared memory, instructions, and time",
    rungs=["inc", "add", "scan", "ballot", "warps", "coalesced"])
