#!/usr/bin/env -S python3 -B
"""Lab 13's jobs in several ways: the largest error, operations in double, and time. Halves are exact: no error."""
from lib.plot import load, plot

plot("precision", {
    "ulp_h100": ("largest error", "ulp, H100"),
    "double_operations": ("in double", "operations, counted"),
    "time_h100": ("time", "µs, H100"),
}, "The jobs of lab 13: errors, operations in double, and times",
     rungs=[rung for rung in load()["ladders"]["precision"]["order"] if not rung.startswith("halves")])
