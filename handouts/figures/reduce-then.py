#!/usr/bin/env -S python3 -B
"""A sum with an atomic for each thread, and through shared memory: in 2007, counted, and today."""
from lib.plot import plot

plot("sumsq", {
    "then": ("then", "cycles, GeForce 8800 GT"),
    "atomic_requests": ("atomic requests", "counted"),
    "time_h100": ("now", "µs, H100"),
}, "Sums with an atomic addition for each thread and for each block: in 2007, counted, and today",
    rungs=["blocks-32", "grid", "grid-reduced"])
