#!/usr/bin/env python3
"""Joins all figures of the handouts into one file of facts.

    facts.py --out OUT --then then.json --ladders sumsq.json sumsq.g80.json ... --data handouts/data/h100.tsv ...

NAME.json is the record of ladder NAME's run on the emulator (lanewise run --json). NAME.tsv in the same folder is
the output of that run: rung, column, value. NAME.RULES.json is a record by the rules of an older GPU, and
NAME.predicted.json one at a size that is timed, with predicted times; NAME.predicted.tsv is its output. then.json
has the predicted times of the classic tutorial's own kernels (handouts/examples/then.cu). A data file has
figures from other sources, one a line: ladder, rung, column, value, and a unit if it differs from COLUMNS.
Writes OUT.json, and the same facts as OUT.lua for pandoc's filters:

  chips     {chip: {title, measured}}: GPUs whose times are predicted; measured: by microbenchmarks of that chip
  devices   {device: {device, driver, toolkit, date, command}}
  ladders   {ladder: {order: [rung], rungs: {rung: {column: value}}, columns: {column: {title, unit}}}}

A column from a data file gets the device's name: `time` of h100.tsv becomes `time_h100`. It is an error if a data file
has a rung that the ladder lacks, or lacks a rung that the ladder has: then record the ladders again. Until then, a line
"# without: LADDER LADDER.RUNG" lists what was added after the recording.
"""
import argparse
import json
import math
import os
import sys

# A column's title in tables, and its unit. Pages may also use any counter of Lanewise, by its own name.
COLUMNS = {
    "title": ("rung", ""),
    "then": ("then", ""),
    "then_kernel": ("then, the kernel alone", ""),
    "time": ("time", "µs"),
    "predicted": ("predicted", "µs"),
    "predicted_ratio": ("predicted / then", ""),
    "spread": ("spread", "%"),
    "n": ("numbers", ""),
    "threads": ("threads", ""),
    "launches": ("launches", ""),
    "longest_warp": ("longest warp", "instructions"),
    "warp_instructions": ("warp instructions", ""),
    "thread_instructions": ("thread instructions", ""),
    "active_lanes": ("active lanes", ""),
    "branches": ("branches", ""),
    "divergent_branches": ("divergent branches", ""),
    "divergent_percent": ("divergent", "%"),
    "barriers": ("barriers", ""),
    "requests": ("requests", ""),
    "sectors": ("sectors", ""),
    "sectors_ideal": ("ideal sectors", ""),
    "sectors_per_request": ("sectors a request", ""),
    "load_sectors_per_request": ("sectors a load", ""),
    "sectors_read": ("sectors read", ""),
    "store_sectors_per_request": ("sectors a store", ""),
    "lines": ("lines", ""),
    "lines_per_request": ("lines a request", ""),
    "load_requests": ("loads", ""),
    "store_requests": ("stores", ""),
    "atomic_requests": ("atomics", ""),
    "shared_requests": ("requests to shared memory", ""),
    "wavefronts": ("wavefronts", ""),
    "bank_conflicts": ("bank conflicts", ""),
    "load_conflicts_per_request": ("extra passes a load", ""),
    "transactions": ("transactions", ""),
    "transactions_per_request": ("transactions a request", ""),
    "load_transactions_per_half_warp": ("transactions for the loads of 16 threads", ""),
    "occupancy": ("occupancy", "%"),
    "occupancy_limit": ("limited by", ""),
    "registers": ("registers", ""),
    "gflops": ("speed", "GFLOP/s"),
    "share": ("share of cuBLAS", "%"),
    "waits": ("used too soon", ""),
    "async_copies": ("asynchronous copies", ""),
    "async_copies_exposed": ("awaited too soon", ""),
    "gb_per_s": ("rate", "GB/s"),
    "gops": ("speed", "thousand million a second"),
    "error": ("largest error", ""),
    "latency": ("latency", "ns"),
    "adds": ("additions to memory", ""),
    "cores": ("cores", ""),
    "library": ("library", ""),
    "beats_core": ("faster than one core from n", ""),
    "beats_cores": ("than all cores from n", ""),
    "beats_blas": ("than the BLAS from n", ""),
    "off": ("off by", "%"),
    "off_full": ("off by in a large picture", "%"),
    "steps": ("steps", ""),
    "looks": ("looks at the residual", ""),
    "ulp": ("largest error", "ulp"),
    "ulp_far": ("largest error, from 30 to 80", "ulp"),
    "atomic_collisions": ("lanes that meet", ""),
    "ways": ("ways", ""),
    "stride": ("stride", ""),
    "pitch": ("pitch", "bytes"),
    "kib": ("size", "KiB"),
    "shared_kib": ("shared memory", "KiB"),
    "local_bytes": ("local memory", "bytes a thread"),
}

RULES = ("g80", "gt200")


def fail(text):
    sys.exit("facts.py: " + text)


def number(text):
    try:
        value = float(text)
    except ValueError:
        return text
    return int(value) if value == int(value) and abs(value) < 2**53 else value


def read_table(path):
    """The rows of a table whose columns are separated by tabs, and the values of its "# name: value" lines."""
    rows, said = [], {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            line = line.rstrip("\n")
            if line.startswith("#"):
                name, colon, value = line[1:].strip().partition(": ")
                if colon:
                    said[name] = value
            elif line:
                rows.append(line.split("\t"))
    return rows, said


# --- counters ------------------------------------------------------------------------------------


def ratio(part, whole):
    return part / whole if whole else 0


def split_launches(path):
    """The launches of a record, in one list for each rung: see ladder_rung_begins() in ladder.cuh."""
    rungs = []
    with open(path, encoding="utf-8") as file:
        for launch in json.load(file)["launches"]:
            if launch["kernel"].startswith("ladder_rung_begins("):
                rungs.append([])
            elif rungs:  # earlier launches prepared the input
                rungs[-1].append(launch)
    return rungs


def add_up(launches):
    total = {}
    for launch in launches:
        for name, value in launch["counters"].items():
            longest = name == "longest_warp_instructions"
            total[name] = max(total.get(name, 0), value) if longest else total.get(name, 0) + value
    return total


def columns_of(launches):
    """The columns of a rung, from its launches: all counters, and figures that follow from them."""
    if not launches:  # the rung only copies
        return {}
    c = add_up(launches)
    kinds = ("load", "store", "atomic", "reduction")

    def all_of(what):
        return sum(c[f"global_{kind}_{what}"] for kind in kinds)

    shared = ("load", "store", "atomic")
    occupancy = launches[0]["occupancy"]
    return {
        **c,
        "launches": len(launches),
        "longest_warp": c["longest_warp_instructions"],
        "active_lanes": ratio(c["thread_instructions"], c["warp_instructions"]),
        "divergent_percent": 100 * ratio(c["divergent_branches"], c["branches"]),
        "requests": all_of("requests"),
        "sectors": all_of("sectors"),
        "sectors_ideal": all_of("sectors_ideal"),
        "lines": all_of("lines"),
        "sectors_per_request": ratio(all_of("sectors"), all_of("requests")),
        "lines_per_request": ratio(all_of("lines"), all_of("requests")),
        "load_requests": c["global_load_requests"],
        "store_requests": c["global_store_requests"],
        "waits": c.get("waits_for_loads", 0),
        "atomic_requests": c["global_atomic_requests"] + c["global_reduction_requests"],
        "load_sectors_per_request": ratio(c["global_load_sectors"], c["global_load_requests"]),
        "sectors_read": c["global_load_sectors"] + c["texture_sectors"],
        "store_sectors_per_request": ratio(c["global_store_sectors"], c["global_store_requests"]),
        "shared_requests": sum(c[f"shared_{kind}_requests"] for kind in shared),
        "wavefronts": sum(c[f"shared_{kind}_wavefronts"] for kind in shared),
        "bank_conflicts": sum(c[f"shared_{kind}_bank_conflicts"] for kind in shared),
        "load_conflicts_per_request": ratio(c["shared_load_bank_conflicts"], c["shared_load_requests"]),
        "occupancy": occupancy["percent"],
        "occupancy_limit": occupancy["limit"],
        "registers": occupancy["registers"],
    }


def columns_by_rules(launches, rules):
    """The columns by the rules of an older GPU: its requests are half-warps, and its lines are transactions."""
    new = columns_of(launches)
    if not new:
        return {}
    half_warps = sum(math.prod(launch["grid"] + launch["block"]) for launch in launches) / 16
    counted = {
        "requests": new["requests"],
        "transactions": new["lines"],
        "transactions_per_request": new["lines_per_request"],
        "load_transactions_per_half_warp": ratio(new["global_load_lines"], half_warps),
        "sectors": new["sectors"],
        "bank_conflicts": new["bank_conflicts"],
        "load_conflicts_per_request": new["load_conflicts_per_request"],
    }
    return {f"{column}_{rules}": value for column, value in counted.items()}


# --- joining ---------------------------------------------------------------------------------------


class Facts:
    def __init__(self):
        self.ladders, self.devices, self.recorded, self.chips = {}, {}, {}, {}
        self.sizes = {}  # by ladder: {suffix of columns: description of the size}
        self.climbed = {}  # by ladder: [(rung, suffix)] in the order of its runs
        self.units = {}  # by ladder: {column: unit}, where the unit differs from COLUMNS

    def add_ladder(self, name, path):
        ladder = self.ladders[name] = {"order": [], "rungs": {}, "columns": {}}
        self.sizes[name], self.climbed[name], self.units[name] = {}, [], {}
        for rung, column, value in read_table(path)[0]:
            if rung == "*":
                self.sizes[name][column.removeprefix("size")] = value
                continue
            if column.startswith("title"):
                self.climbed[name].append((rung, column.removeprefix("title")))
            if rung not in ladder["rungs"]:
                ladder["order"].append(rung)
                ladder["rungs"][rung] = {"title": value}
            elif not column.startswith("title"):
                ladder["rungs"][rung][column] = number(value)

    def add_record(self, name, rules, path):
        rungs, launches = self.ladders[name]["rungs"], split_launches(path)
        if len(launches) != len(self.climbed[name]):
            fail(f"{path} has {len(launches)} rungs, but the ladder printed {len(self.climbed[name])} titles")
        for (rung, size), of_rung in zip(self.climbed[name], launches):
            counted = columns_by_rules(of_rung, rules) if rules else columns_of(of_rung)
            rungs[rung].update((column + size, value) for column, value in counted.items())

    def add_predictions(self, name, path):
        """The predicted time of each rung: the sum of its launches' times."""
        titles = [row for row in read_table(path[: -len("json")] + "tsv")[0] if row[1].startswith("title")]
        launches = split_launches(path)
        if len(launches) != len(titles):
            fail(f"{path} has {len(launches)} rungs, but the ladder printed {len(titles)} titles")
        for (rung, size, _), of_rung in zip(titles, launches):
            predictions = [launch["predicted"] for launch in of_rung]
            chip = predictions[0]["gpu"]
            self.chips[chip] = {"title": predictions[0]["title"], "measured": predictions[0]["measured"]}
            column = f"predicted{size.removeprefix('title')}_{chip}"
            self.ladders[name]["rungs"][rung][column] = sum(p["us"] for p in predictions)

    def add_then(self, path):
        """What then.cu's kernels would take on the old GPU, in the units of the data: cycles, or GFLOP/s."""
        with open(path, encoding="utf-8") as file:
            launches = json.load(file)["launches"]
        rows = read_table(path[: -len("json")] + "tsv")[0]
        if len(launches) != len(rows):
            fail(f"{path} has {len(launches)} launches, but then.cu printed {len(rows)} rungs")
        for (key, *flop), launch in zip(rows, launches):
            name, rung = key.split(".")
            p, chip = launch["predicted"], launch["predicted"]["gpu"]
            self.chips[chip] = {"title": p["title"], "measured": p["measured"]}
            value = float(flop[0]) / (p["us"] - p["parts"]["launch"]) / 1e3 if flop else p["cycles"]
            row, column = self.ladders[name]["rungs"][rung], f"predicted_{chip}"
            row[column], self.units[name][column] = number(f"{value:.3g}"), "GFLOP/s" if flop else "cycles"
            then = row.get("then_kernel", row.get("then"))
            if then:
                row["predicted_ratio"] = round(value / then, 2)

    def add_recording(self, device, path):
        rows, self.devices[device] = read_table(path)
        self.recorded[device] = set()
        for name, rung, column, value, *unit in rows:
            if column.startswith("title"):
                self.recorded[device].add((name, rung))
                continue
            if rung == "*":
                self.sizes[name][column.removeprefix("size")] = value
                continue
            column = column if column.startswith("then") else f"{column}_{device}"
            if rung not in self.ladders.get(name, {"rungs": {}})["rungs"]:
                fail(f"{path}: ladder {name} has no rung {rung}; run make record-ladders")
            self.ladders[name]["rungs"][rung][column] = number(value)
            if unit:
                self.units[name][column] = unit[0]

    def check(self):
        rungs = {(name, rung) for name, ladder in self.ladders.items() for rung in ladder["order"]}
        for device in self.devices.keys() - {"classic"}:
            without = self.devices[device].get("without", "").split()
            missing = {f"{name}.{rung}" for name, rung in rungs - self.recorded[device] if name not in without}
            missing -= set(without)
            if missing:
                fail(f"handouts/data/{device}.tsv lacks {', '.join(sorted(missing))}; run make record-ladders")

    def describe(self, name, column):
        """A column's title and unit in a ladder. The column's name may end in a size, rules or a device."""
        base, notes = column, []
        while base not in COLUMNS and "_" in base:
            base, _, end = base.rpartition("_")
            if end in self.devices or end in self.chips:
                notes.append(end.upper())  # the line below a table names the device in full
            elif end in RULES:
                notes.append(f"rules {end}")
            elif "_" + end in self.sizes[name]:
                notes.append(self.sizes[name]["_" + end])
            else:
                return {"title": column.replace("_", " "), "unit": ""}
        title, unit = COLUMNS.get(base, (base, ""))
        return {"title": ", ".join([title, *notes]), "unit": self.units[name].get(column, unit)}

    def all(self):
        for name, ladder in self.ladders.items():
            used = sorted({column for rung in ladder["rungs"].values() for column in rung})
            ladder["columns"] = {column: self.describe(name, column) for column in used}
        return {"chips": self.chips, "devices": self.devices, "ladders": self.ladders}


# --- writing ----------------------------------------------------------------------------------------


def as_lua(value, indent=""):
    """A Lua expression for a JSON value. All JSON strings here are also valid Lua strings."""
    if isinstance(value, dict):
        inner = indent + "  "
        rows = [f"{inner}[{as_lua(k)}] = {as_lua(v, inner)},\n" for k, v in value.items()]
        return "{\n" + "".join(rows) + indent + "}"
    if isinstance(value, list):
        return "{" + ", ".join(as_lua(v) for v in value) + "}"
    return json.dumps(value, ensure_ascii=False)


def main():
    parser = argparse.ArgumentParser()
    for option in ("--out", "--then", "--ladders", "--data"):
        parser.add_argument(option, required=option != "--then", nargs="+" if option in ("--ladders", "--data") else 1)
    given, facts = parser.parse_args(), Facts()
    for path in sorted(given.ladders, key=lambda path: path.count(".")):
        name, *rules = os.path.basename(path)[: -len(".json")].split(".")
        if rules == ["predicted"]:
            facts.add_predictions(name, path)
            continue
        if not rules:
            facts.add_ladder(name, path[: -len("json")] + "tsv")
        facts.add_record(name, rules[0] if rules else None, path)
    for path in given.data:
        facts.add_recording(os.path.basename(path)[: -len(".tsv")], path)
    if given.then:
        facts.add_then(given.then[0])
    facts.check()
    with open(given.out[0] + ".json", "w", encoding="utf-8") as file:
        json.dump(facts.all(), file, indent=1, ensure_ascii=False)
        file.write("\n")
    with open(given.out[0] + ".lua", "w", encoding="utf-8") as file:
        file.write("return " + as_lua(facts.all()) + "\n")


if __name__ == "__main__":
    main()
