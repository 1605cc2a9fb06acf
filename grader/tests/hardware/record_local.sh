#!/usr/bin/env bash
# Records local.tsv again: what Nsight Compute counts in local memory for every launch of local.cu.
#
#   grader/tests/hardware/record_local.sh [FOLDER]     writes it to FOLDER; default: this script's folder
#
# Needs nvcc, ncu, an NVIDIA GPU, and permission to read its performance counters.
set -eu
folder=$(realpath "${1:-$(dirname "$0")}")
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

nvcc -O3 -lineinfo -arch=native -o "$work/local" local.cu
metrics=
for what in requests sectors; do
    for kind in ld st; do
        metrics+=,l1tex__t_${what}_pipe_lsu_mem_local_op_$kind.sum
    done
done
ncu --csv --page raw --metrics "${metrics#,}" "$work/local" >"$work/csv" || {
    cat "$work/csv" >&2
    exit 1
}
device=$(nvidia-smi --query-gpu=name --format=csv,noheader | head -n 1)
nvcc=$(nvcc --version | sed -n 's/.*release [0-9.]*, V//p')
{
    echo "# $device, nvcc $nvcc, $(date +%F), by record_local.sh"
    printf '# kernel\tload_requests\tstore_requests\tload_sectors\tstore_sectors\n'
    # Every field is quoted, so '","' separates the fields. The first line has their names, the second their
    # units.
    grep '^"' "$work/csv" | awk -F '","' -v OFS='\t' -v names="Kernel Name$metrics" '
        { sub(/"$/, "", $NF) }
        NR == 1 { n = split(names, wanted, ","); for (i = 1; i <= NF; i++) place[$i] = i; next }
        NR == 2 { next }
        { line = $(place[wanted[1]])
          for (i = 2; i <= n; i++) { value = $(place[wanted[i]]); gsub(",", "", value); line = line OFS value }
          print line }'
} >"$work/local.tsv"
mv "$work/local.tsv" "$folder"
