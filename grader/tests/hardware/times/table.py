#!/usr/bin/env python3
"""Joins what libmeasure.so has timed with what Nsight Compute has counted.

    table.py TIMES ORDER NCU.csv >table.tsv

TIMES and ORDER are the lines of measure.cu, without and with $MEASURE_PROFILE; NCU.csv is
`ncu --csv --page raw --print-units base` of the same launches, in the same order as ORDER.
"""
import csv
import sys

TIMED = ("program launch kernel grid block dynamic_shared static_shared registers local_bytes us us_low us_high "
         "queued_us queued_low queued_high next_us next_low next_high cold_us cold_spread repeats clock_mhz").split()
COUNTED = {
    "ncu_ns": "gpu__time_duration.sum",
    "cycles": "sm__cycles_elapsed.max",
    "active_cycles": "sm__cycles_active.avg",
    "instructions": "smsp__inst_executed.sum",
    "issued": "smsp__inst_issued.sum",
    "issue_pct": "smsp__issue_active.avg.pct_of_peak_sustained_active",
    "dram_read": "dram__bytes_read.sum",
    "dram_written": "dram__bytes_write.sum",
    "l2_sectors": "lts__t_sectors.sum",
    "l2_hit_pct": "lts__t_sector_hit_rate.pct",
    "l1_sectors": "l1tex__t_sectors.sum",
    "l1_hit_pct": "l1tex__t_sector_hit_rate.pct",
    "lsu_wavefronts": "l1tex__data_pipe_lsu_wavefronts.sum",
    "occupancy_pct": "sm__warps_active.avg.pct_of_peak_sustained_active",
    "sm_pct": "sm__throughput.avg.pct_of_peak_sustained_elapsed",
    "l1_pct": "l1tex__throughput.avg.pct_of_peak_sustained_active",
    "l2_pct": "lts__throughput.avg.pct_of_peak_sustained_elapsed",
    "dram_pct": "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed",
    "pipe_alu": "sm__inst_executed_pipe_alu.sum",
    "pipe_fma": "sm__inst_executed_pipe_fma.sum",
    "pipe_fp64": "sm__inst_executed_pipe_fp64.sum",
    "pipe_xu": "sm__inst_executed_pipe_xu.sum",
    "pipe_lsu": "sm__inst_executed_pipe_lsu.sum",
    "pipe_adu": "sm__inst_executed_pipe_adu.sum",
    "pipe_uniform": "sm__inst_executed_pipe_uniform.sum",
}
STALL = "smsp__average_warps_issue_stalled_", "_per_issue_active.ratio"
# Nsight Compute calls a kernel bound by latency if it uses less than this of everything.
ENOUGH = 60


def number(text):
    return float(text.replace(",", "") or 0)


def show(value):
    return f"{value:.0f}" if value >= 1000 or value == int(value) else f"{value:.4g}"


def limit(row):
    """What is used most, or latency if nothing is used much."""
    most = max(("sm", "l1", "l2", "dram"), key=lambda name: number(row[COUNTED[name + "_pct"]]))
    return most if number(row[COUNTED[most + "_pct"]]) >= ENOUGH else "latency"


def stalls(row):
    """Why warps wait, most often first: reasons and shares in percent of all waiting."""
    reasons = {name[len(STALL[0]):-len(STALL[1])]: number(value) for name, value in row.items()
               if name.startswith(STALL[0]) and "selected" not in name}
    total = sum(reasons.values()) or 1
    top = sorted(reasons, key=reasons.get, reverse=True)[:2]
    return ",".join(f"{name}:{100 * reasons[name] / total:.0f}" for name in top)


def counted(ncu_csv, order):
    with open(ncu_csv) as lines:
        rows = list(csv.DictReader(line for line in lines if line.startswith('"')))[1:]
    marks = [line.rstrip("\n").split("\t") for line in open(order)]
    if len(marks) != len(rows):
        sys.exit(f"{order}: {len(marks)} launches, but {ncu_csv} has {len(rows)}")
    result = {}
    for mark, row in zip(marks, rows):
        plain = row["Kernel Name"].split("(")[0].split("<")[0].split()[-1].split("::")[-1]
        if plain not in mark[2]:
            sys.exit(f"{order}: {mark[2]} is {row['Kernel Name']} in {ncu_csv}")
        result[mark[0], mark[1]] = [show(number(row[name])) for name in COUNTED.values()] + [limit(row), stalls(row)]
    return result


def main(times, order, ncu_csv):
    counts = counted(ncu_csv, order)
    print("# " + "\t".join(TIMED + list(COUNTED) + ["limit", "stalls"]))
    for line in open(times):
        fields = line.rstrip("\n").split("\t")
        print("\t".join(fields + counts.get((fields[0], fields[1]), ["-"] * (len(COUNTED) + 2))))


main(*sys.argv[1:])
