#!/usr/bin/env -S python3 -B
"""Rows end to end and pitched."""
from lib.plot import plot

plot("pitch", {
    "sectors_per_request": ("sectors a request", "counted"),
    "lines_per_request": ("lines a request", "counted"),
    "time_h100": ("time", "µs, H100"),
}, "Rows end to end and pitched: sectors, lines, and time",
     rungs=[f"copy-{width}{end}" for width in (1000, 1001, 8191) for end in ("", "-pitched")])
