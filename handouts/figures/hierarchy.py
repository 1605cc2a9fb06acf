#!/usr/bin/env -S python3 -B
"""The memories of a GPU, and how long a thread waits for a number from each of them."""
from lib.plot import load, short
from lib.svg import Picture

ladders = load()["ladders"]
latency = {rung: f"{values['latency_h100']:.0f} ns" for rung, values in ladders["latency"]["rungs"].items()}
rate = {rung: f"{short(values['gb_per_s_h100'])} GB/s" for rung, values in ladders["transfers"]["rungs"].items()}

picture = Picture(560, 330, "The memories of a GPU, with the time that a thread waits for each")


def level(y, x, width, name, note, kind, on="", what=None):
    picture.rect(x, y, width, 42, kind + " box", 4)
    picture.text(x + 12, y + 18, name, ("strong " + on).strip())
    picture.text(x + 12, y + 34, note, ("small " + on).strip())
    if what:
        picture.text(x + width - 12, y + 26, what, ("strong " + on).strip(), "end")


picture.rect(8, 8, 544, 118, "none box", 6)
picture.text(20, 26, "each multiprocessor", "dim small")
level(32, 20, 256, "registers", "each thread's own", "b", "on-b")
level(32, 284, 256, "shared memory", "the threads of one block", "b", "on-b", latency["shared"])
level(78, 20, 520, "L1 cache", "what the multiprocessor fetched recently", "c", "on-b", latency["l1"])
picture.arrow(280, 126, 280, 146)
level(148, 8, 544, "L2 cache", "what the GPU fetched recently", "e", "", latency["l2"])
picture.arrow(280, 190, 280, 210)
level(212, 8, 544, "the GPU's memory", f"cudaMalloc(): all threads, from launch to launch; copied at {rate['on-gpu']}", "e", "", latency["memory"])
picture.arrow(280, 254, 280, 278)
picture.text(292, 270, f"cudaMemcpy: {rate['pinned']} with pinned memory", "small dim")
level(280, 8, 544, "the host's memory", "the program on the CPU", "none")
picture.show()
