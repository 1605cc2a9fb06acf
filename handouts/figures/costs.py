#!/usr/bin/env -S python3 -B
"""What operations cost, on a fully busy GPU."""
from lib.plot import load, plot

plot("costs", {"gops_h100": ("speed", "10⁹ a second, H100")},
     "Operations a second of an H100",
     rungs=[rung for rung in load()["ladders"]["costs"]["order"] if rung != "launch"])
