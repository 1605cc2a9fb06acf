#!/usr/bin/env -S python3 -B
"""Copies to the GPU and back: pageable memory, pinned memory, and streams."""
from lib.plot import plot

plot("transfers", {
    "time_h100": ("time", "µs, H100, 256 MiB each way"),
    "gb_per_s_h100": ("rate", "GB/s, both ways"),
}, "Copies between host and GPU: time and rate",
     rungs=["pageable", "pinned", "streams-2", "streams-4", "streams-8"])
