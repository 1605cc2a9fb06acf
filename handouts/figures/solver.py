#!/usr/bin/env -S python3 -B
"""Steps of Jacobi's method: sectors and loads, for a dense matrix and for a grid."""
from lib.plot import plot

plot("solver", {
    "sectors": ("sectors", "moved by kernels"),
    "load_requests": ("loads", "of warps"),
}, "Steps of Jacobi's method: sectors and loads",
    rungs=["dense-rows", "dense-columns", "dense-warps", "diagonals", "stencil", "stencil-tile", "stencil-two"])
