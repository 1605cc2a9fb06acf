#!/usr/bin/env bash
# Records counts.tsv anew: Nsight Compute's counts of every launch of counts.cu on this machine's GPU.
#
#   grader/tests/hardware/record_counts.sh >grader/tests/hardware/counts.tsv
#
# Needs nvcc, ncu and an NVIDIA GPU whose performance counters may be read.
set -eu
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

nvcc -O3 -lineinfo -arch=native -o "$work/counts" counts.cu
metrics=memory_l2_theoretical_sectors_global,memory_l2_theoretical_sectors_global_ideal
metrics+=,memory_l1_tag_requests_global,memory_l1_wavefronts_shared,memory_l1_wavefronts_shared_ideal
metrics+=,smsp__sass_branch_targets_threads_divergent.sum
ncu --csv --page raw --metrics "$metrics" "$work/counts" >"$work/csv" 2>"$work/log" || {
    cat "$work/csv" "$work/log" >&2
    exit 1
}

device=$(nvidia-smi --query-gpu=name --format=csv,noheader | head -n 1)
nvcc=$(nvcc --version | sed -n 's/.*release [0-9.]*, V//p')
echo "# $device, nvcc $nvcc, $(date +%F), by record_counts.sh"
printf '# kernel\tsectors\tsectors_ideal\tlines\twavefronts\twavefronts_ideal\tdivergent_branches\n'
# Every field is quoted, so '","' parts them; the first line names them, the second has their units.
grep '^"' "$work/csv" | awk -F '","' -v OFS='\t' -v names="Kernel Name,$metrics" '
    NR == 1 { n = split(names, wanted, ","); for (i = 1; i <= NF; i++) place[$i] = i
              sub(/"$/, "", $NF); place[$NF] = NF; next }
    NR == 2 { next }
    { sub(/"$/, "", $NF)
      line = $(place[wanted[1]])
      for (i = 2; i <= n; i++) { value = $(place[wanted[i]]); gsub(",", "", value); line = line OFS value }
      print line }'
