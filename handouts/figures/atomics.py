#!/usr/bin/env -S python3 -B
"""How many additions go to global memory, and how long they take."""
from lib.plot import plot

plot("atomics", {
    "adds": ("additions", "to global memory"),
    "atomic_requests": ("atomic requests", "counted"),
    "time_h100": ("time", "µs, H100"),
}, "Atomics: additions that go to global memory, their requests, and time")
