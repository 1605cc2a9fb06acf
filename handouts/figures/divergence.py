#!/usr/bin/env -S python3 -B
"""Lanes of a warp that go different ways at a branch."""
from lib.plot import plot

plot("divergence", {
    "active_lanes": ("active lanes", "of 32, counted"),
    "longest_warp": ("longest warp", "instructions, counted"),
    "time_h100": ("time", "µs, H100"),
}, "Lanes that go different ways: active lanes, the longest warp, and time")
