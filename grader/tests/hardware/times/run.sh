#!/usr/bin/env bash
# Runs the programs of a list under libmeasure.so: run.sh PROGRAMS RUNS OUT. PROGRAMS is the folder of the built
# programs; a line of RUNS is: a label, which launches to measure (see measure.cu), a program and its arguments.
# OUT gets the lines.
set -u
programs=$1 runs=$2 out=$3
while read -r label which program arguments; do
    case $label in '' | '#'*) continue ;; esac
    (cd "$(dirname "$runs")" && MEASURE_OUT=$out MEASURE_LABEL=$label MEASURE_WHICH=$which \
        LD_PRELOAD=$programs/libmeasure.so timeout 60 "$programs/$program" $arguments >/dev/null 2>"$out.log") ||
        echo "$label: exit $?: $(tail -n 2 "$out.log" | tr '\n' ' ')" >&2
done <"$runs"
