#!/usr/bin/env -S python3 -B
"""A sum by atomics for each thread, and by shared memory: then, counted, and now."""
from lib.plot import plot

plot("sumsq", {
    "then": ("then", "cycles, GeForce 8800 GT"),
    "atomic_requests": ("atomic requests", "counted"),
    "time_h100": ("now", "µs, H100"),
}, "Sums with an atomic addition for each thread and for each block: then, counted, and now",
    rungs=["blocks-32", "grid", "grid-reduced"])
