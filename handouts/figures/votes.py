#!/usr/bin/env -S python3 -B
"""Compaction: atomics, barriers, requests to shared memory, and time."""
from lib.plot import plot

plot("votes", {
    "atomic_requests": ("atomics", "requests"),
    "barriers": ("barriers", "arrivals of warps"),
    "shared_requests": ("shared memory", "requests"),
    "time_h100": ("time", "µs, H100"),
}, "Compaction: atomics, barriers, requests to shared memory, and time",
    rungs=["add", "coalesced", "warps-32", "scan", "ballot", "warps"])
