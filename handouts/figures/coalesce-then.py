#!/usr/bin/env -S python3 -B
"""One block, in chunks and interleaved: in 2007, counted, and today."""
from lib.plot import plot

plot("sumsq", {
    "then": ("then", "cycles, GeForce 8800 GT"),
    "load_sectors_per_request": ("sectors a load", "counted"),
    "time_64m_h100": ("now", "µs, H100, 64 M ints"),
}, "One block in chunks and interleaved: in 2007, counted, and today",
    rungs=["chunks", "coalesced"])
