#!/usr/bin/env -S python3 -B
"""The matrix product on every rung: in 2007, counted, and today."""
from lib.plot import plot

plot("matmul", {
    "then": ("then", "GFLOP/s, GeForce 8800 GT"),
    "sectors": ("sectors", "counted, 250 x 250"),
    "gflops_h100": ("now", "GFLOP/s, H100, n = 2,048"),
}, "The matrix product: speed then, sectors, speed now")
