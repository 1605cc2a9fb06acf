#!/usr/bin/env python3
"""Prints the counts in a report of Nsight Compute, for each source line of each launch.

    report_lines.py REPORT FILE METRIC,METRIC...     a row: launch (from 0), kernel, line, the metrics

Lines of other files than FILE and lines on which all metrics are 0 are left out. Needs ncu's Python module, which comes with ncu.
"""
import glob
import os
import shutil
import sys
from collections import defaultdict

ncu = os.path.realpath(shutil.which("ncu"))
for up in range(1, 5):  # ncu is at different depths of its folder
    root = os.path.join(os.path.dirname(ncu), *[".."] * (up - 1))
    sys.path += glob.glob(os.path.join(root, "extras", "python"))
sys.path += glob.glob("/opt/nvidia/nsight-compute/*/extras/python")
import ncu_report  # noqa: E402


def lines_of(action, file, metrics):
    """{line: [a sum for each metric]}"""
    sums = defaultdict(lambda: [0] * len(metrics))
    for column, name in enumerate(metrics):
        metric = action.metric_by_name(name)
        addresses = metric.correlation_ids()
        for i in range(metric.num_instances()):
            place = action.source_info(addresses.as_uint64(i))
            if place and os.path.basename(place.file_name()) == file:
                sums[place.line()][column] += metric.as_uint64(i)
    return sums


def main():
    metrics = sys.argv[3].split(",")
    report = ncu_report.load_report(sys.argv[1])[0]
    for launch in range(report.num_actions()):
        action = report[launch]
        name = action.name(action.NameBase_DEMANGLED)
        for line, counts in sorted(lines_of(action, sys.argv[2], metrics).items()):
            if any(counts):
                print(launch, name, line, *counts, sep="\t")


main()
