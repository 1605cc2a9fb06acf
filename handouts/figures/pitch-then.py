#!/usr/bin/env -S python3 -B
"""A row in shared memory, without and with a pitch: in 2007, counted, and today."""
from lib.plot import plot

plot("matmul", {
    "then": ("then", "GFLOP/s, 8800 GT"),
    "lines": ("lines", "counted at 250 × 250"),
    "gflops_1000_h100": ("now", "GFLOP/s, H100"),
}, "A product with rows end to end and pitched: in 2007, counted, and today",
    rungs=["row", "row-pitched"])
