#!/usr/bin/env -S python3 -B
"""Products of all sizes, on the CPU and on the GPU."""
from lib.curves import curves

curves("crossover", ["cpu-core", "cpu-cores", "cpu-blas", "tiles-16", "tiles-16-copies", "tiles-32"],
       "The time of a product of two n x n matrices, on the CPU and on the GPU")
