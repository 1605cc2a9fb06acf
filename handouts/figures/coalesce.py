#!/usr/bin/env -S python3 -B
"""Chunks against interleaved words, with few blocks and with many."""
from lib.plot import plot

plot("coalesce", {
    "load_sectors_per_request": ("sectors a load", "counted"),
    "time_h100": ("time", "µs, H100, 64 M ints"),
    "time_256m_h100": ("time", "µs, H100, 256 M ints"),
}, "Chunks against interleaved words: sectors of a load, and time")
