#!/usr/bin/env -S python3 -B
"""Sums of pictures of all sizes, on the CPU and on the GPU."""
from lib.curves import curves

curves("crossover", ["cpu-sum-core", "cpu-sum-cores", "gpu-sum", "gpu-sum-copies"],
       "The time of the sum of n x n pixels, on the CPU and on the GPU")
