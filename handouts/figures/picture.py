#!/usr/bin/env -S python3 -B
"""The sum of a picture: times then, the longest warp and, once it was recorded, times now."""
from lib.plot import load, plot

rungs = ["cpu", "one-thread", "one-block", "blocks-16", "tree", "tree-grid"]
columns = {
    "then": ("then", "ms"),
    "longest_warp": ("longest warp", "instructions"),
    "time_h100": ("now", "µs, H100"),
}
known = load()["ladders"]["picture"]["columns"]
plot("picture", {name: words for name, words in columns.items() if name in known},
     "The sum of a picture: then, the longest warp of each kernel, and now", rungs=rungs)
