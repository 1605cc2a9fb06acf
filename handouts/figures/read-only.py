#!/usr/bin/env -S python3 -B
"""A turned picture: warp instructions, and sectors that loads and textures touch."""
from lib.plot import plot

plot("read_only", {
    "warp_instructions": ("instructions", "of warps, counted"),
    "sectors_read": ("sectors", "read, counted"),
}, "A turned picture in five ways: instructions and sectors",
    rungs=["turn-loads-rows", "turn-loads-squares", "turn-texture-rows", "turn-texture-16", "turn-texture-squares"])
