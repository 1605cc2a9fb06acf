#!/usr/bin/env python3
"""Compares predicted times with measured ones: report.py LANEWISE SET/GPU.tsv PROGRAMS [--gpu h200] [--only PROGRAM]

SET/GPU.tsv is what table.py wrote on that GPU. PROGRAMS is the folder of the same programs, built for the emulator.
Every launch gets a line; the last lines sum up. The predicted time is compared with queued_us: between two
events, without the host's part. Where a program launches everything once, its first launch finds its data in
memory and not in the cache, so its time is cold_us.

A launch that the model declines to predict is no prediction: it is counted and named apart, with the reason.

Two kinds of pairs are counted, if their measured times differ by more than 10 %: any two launches of a program,
and those that a student would compare, which pairs.tsv lists.
"""
import argparse
import json
import os
import shlex
import subprocess
import sys
import tempfile

LIMITS = {"shared": "l1", "l1": "l1", "l2": "l2", "dram": "dram", "latency": "latency", "launch": "latency",
          "atomics": "latency"}  # the others are "sm"


def read_rows(path):
    head, rows = None, []
    for line in open(path, encoding="utf-8"):
        fields = line.rstrip("\n").split("\t")
        if line.startswith("#"):
            head = [fields[0][2:]] + fields[1:] if len(fields) > 1 else head
        else:
            rows.append(dict(zip(head, fields)))
    return rows


def read_runs(path):
    """The lines of the set's `runs`: label -> (which launches, program, arguments)."""
    runs = {}
    for line in open(path, encoding="utf-8"):
        words = shlex.split(line, comments=True)
        if words:
            runs[words[0]] = (words[1], words[2], words[3:])
    return runs


def predict(options, program, arguments):
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "run.json")
        command = [options.lanewise, "run", "--gpu", options.gpu, "--json", out,
                   os.path.join(options.programs, program)]
        subprocess.run(command + arguments, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        if not os.path.exists(out):
            return []
        with open(out, encoding="utf-8") as file:
            return json.load(file)["launches"]


def identity(kernel, grid, block):
    name = kernel.split("(")[0].replace("void ", "")
    return name, "x".join(map(str, grid)), "x".join(map(str, block))


def match(rows, launches, which):
    """Pairs each row with its launch: the second of two equal ones, or the N-th."""
    found, at = [], 0
    keys = [identity(launch["kernel"], launch["grid"], launch["block"]) for launch in launches]
    for row in rows:
        key = identity(row["kernel"], [row["grid"]], [row["block"]])
        places = [i for i in range(at, len(keys)) if keys[i] == key]
        number = 1 if which == "second" else int(which) - 1
        place = places[number] if len(places) > number else None
        if which == "second" and place is not None:
            at = place + 1
        found.append((row, launches[place] if place is not None else None))
    return found


def utilised(row, limit):
    """Whether Nsight Compute sees LIMIT as the top, or within ten points of it."""
    percent = {name: float(row[name + "_pct"]) for name in ("sm", "l1", "l2", "dram")}
    top = max(percent.values())
    if limit == row["limit"]:
        return True
    return top < 70 if limit == "latency" else percent[limit] > top - 10 and percent[limit] > 50


def part(sorted_values, fraction):
    return sorted_values[min(len(sorted_values) - 1, int(fraction * len(sorted_values)))]


def name_faster(pairs):
    """Counts the pairs ((measured, predicted), (measured, predicted)) that differ, and whose faster one is named right."""
    differ = [(a, b) for a, b in pairs if max(a[0], b[0]) >= 1.1 * min(a[0], b[0])]
    right = sum((a[0] < b[0]) == (a[1] < b[1]) for a, b in differ)
    return f"{100 * right / len(differ) if differ else 100:.1f} % of {len(differ)} named right"


def pairs_of_programs(times):
    keys = list(times)
    return [(times[a], times[b]) for i, a in enumerate(keys) for b in keys[:i] if a[0] == b[0]]


def pairs_of_students(times, table):
    """Those of pairs.tsv whose two launches are in TIMES: (program, number of the launch) -> (measured, predicted)."""
    name = os.path.basename(os.path.dirname(os.path.abspath(table)))
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "pairs.tsv")
    fields = [line.rstrip("\n").split("\t") for line in open(path, encoding="utf-8") if not line.startswith("#")]
    keys = [((f[2], f[3]), (f[5], f[6])) for f in fields if f[0] == name]
    return [(times[a], times[b]) for a, b in keys if a in times and b in times]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("lanewise")
    parser.add_argument("table")
    parser.add_argument("programs")
    parser.add_argument("--gpu", default="h200")
    parser.add_argument("--only")
    options = parser.parse_args()
    rows, times, ratios, held, agreed, near, missing = read_rows(options.table), {}, [], 0, 0, 0, 0
    declined = []
    for label, (which, program, arguments) in read_runs(os.path.join(os.path.dirname(options.table), "runs")).items():
        mine = [row for row in rows if row["program"] == label]
        if not mine or (options.only and options.only != label):
            continue
        for number, (row, launch) in enumerate(match(mine, predict(options, program, arguments), which)):
            predicted = launch and launch.get("predicted")
            gap = launch and launch.get("not_predicted")
            if gap:
                declined.append(f"{label} {row['kernel'].split('(')[0]} {row['grid']} {row['block']}: {gap['why']}")
                print(f"{label:18} {row['kernel'][:32]:32} not predicted: {gap['why']}")
                continue
            if not predicted:
                missing += 1
                print(f"{label:18} {row['kernel'][:32]:32} no prediction")
                continue
            measured, us = float(row["queued_us" if which == "second" or number else "cold_us"]), predicted["us"]
            limit = LIMITS.get(predicted["limit"], "sm")
            times[label, row["launch"]] = measured, us
            ratios.append(us / measured)
            held += predicted["low_us"] <= measured <= predicted["high_us"]
            agreed += limit == row["limit"]
            near += utilised(row, limit)
            print(f"{label:18} {row['kernel'][:32]:32} {row['grid']:>12} {row['block']:>9} measured {measured:9.2f} us, "
                  f"predicted {us:9.2f}, {us / measured:5.2f}; {predicted['limit']}, measured {row['limit']}")
    if not ratios:
        sys.exit("no launch has a prediction")
    errors, count = sorted(max(r, 1 / r) for r in ratios), len(ratios)
    print(f"\n{count} launches, {missing} without a prediction, {len(declined)} not predicted\n"
          + "".join(f"not predicted     {line}\n" for line in declined) +
          f"median error      {100 * part(sorted(abs(r - 1) for r in ratios), 0.5):.1f} %\n"
          f"nine of ten       within {part(errors, 0.9):.2f}x; worst {errors[-1]:.2f}x\n"
          f"interval holds    {100 * held / count:.0f} %\n"
          f"limit             {100 * agreed / count:.0f} % equal to Nsight Compute's, {100 * near / count:.0f} % within ten points\n"
          f"faster of a pair  {name_faster(pairs_of_programs(times))} (of a program), "
          f"{name_faster(pairs_of_students(times, options.table))} (pairs.tsv)")


if __name__ == "__main__":
    main()
