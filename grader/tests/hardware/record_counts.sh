#!/usr/bin/env bash
# Records counts.tsv and counts_lines.tsv again: what Nsight Compute counts on this machine's GPU for every
# launch of counts.cu, in total and for each source line.
#
#   grader/tests/hardware/record_counts.sh [FOLDER]     writes them to FOLDER; default: this script's folder
#
# Needs nvcc, ncu with its Python module, an NVIDIA GPU, and permission to read its performance counters.
set -eu
folder=$(realpath "${1:-$(dirname "$0")}")
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

nvcc -O3 -lineinfo -arch=native -o "$work/counts" counts.cu
metrics=memory_l2_theoretical_sectors_global,memory_l2_theoretical_sectors_global_ideal
metrics+=,memory_l1_tag_requests_global,memory_l1_wavefronts_shared,memory_l1_wavefronts_shared_ideal
metrics+=,smsp__sass_branch_targets_threads_divergent.sum
doubles=smsp__sass_thread_inst_executed_ops_dadd_dmul_dfma_pred_on.sum
totals=$metrics,$doubles,sm__maximum_warps_per_active_cycle_pct
ncu --metrics "$totals,inst_executed" -o "$work/report" "$work/counts" >"$work/log" 2>&1 || {
    cat "$work/log" >&2
    exit 1
}
ncu --csv --page raw --import "$work/report.ncu-rep" >"$work/csv"

device=$(nvidia-smi --query-gpu=name --format=csv,noheader | head -n 1)
nvcc=$(nvcc --version | sed -n 's/.*release [0-9.]*, V//p')
about="# $device, nvcc $nvcc, $(date +%F), by record_counts.sh"
columns='sectors\tsectors_ideal\tlines\twavefronts\twavefronts_ideal'
{
    printf "$about\n# kernel\t$columns\tdivergent_branches\tdouble_operations\toccupancy\n"
    # Every field is quoted, so '","' separates the fields. The first line has their names, the second their
    # units.
    grep '^"' "$work/csv" | awk -F '","' -v OFS='\t' -v names="Kernel Name,$totals" '
        NR == 1 { n = split(names, wanted, ","); for (i = 1; i <= NF; i++) place[$i] = i
                  sub(/"$/, "", $NF); place[$NF] = NF; next }
        NR == 2 { next }
        { sub(/"$/, "", $NF)
          line = $(place[wanted[1]])
          for (i = 2; i <= n; i++) { value = $(place[wanted[i]]); gsub(",", "", value); line = line OFS value }
          print line }'
} >"$work/counts.tsv"
{ # all except branches, which Nsight Compute does not count for each instruction
    printf "$about\n# launch\tkernel\tline\t$columns\n"
    python3 report_lines.py "$work/report.ncu-rep" counts.cu "${metrics%,*}"
} >"$work/counts_lines.tsv"
mv "$work"/counts.tsv "$work"/counts_lines.tsv "$folder"
