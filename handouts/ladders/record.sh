#!/usr/bin/env bash
# Records how long the ladders take on this machine's GPU: record.sh FOLDER LADDER..., where FOLDER has the
# programs and $NVCC is the compiler that built them. Writes handouts/data/GPU.tsv; if a program fails, writes
# nothing. (make record-ladders calls it.) The ladder "crossover" also times the CPU: see there for $LADDER_BLAS,
# $LADDER_CORES and $LADDER_MOST. The ladder "fast_product" also times cuBLAS: see there for $LADDER_CUBLAS.
set -eu -o pipefail
folder=$1
shift

query() {
    nvidia-smi --query-gpu="$1" --format=csv,noheader | head -n 1
}

device=$(query name)
# NVIDIA H100 80GB HBM3 -> h100
tag=$(tr 'A-Z ' 'a-z\n' <<<"$device" | grep -m 1 '[0-9]')
new=$(mktemp)
trap 'rm -f "$new"' EXIT
{
    echo "# How long the rungs of handouts/ladders/ take: microseconds, medians of up to 15 runs (ladder.cuh)"
    echo "# device: $device"
    echo "# driver: $(query driver_version)"
    echo "# toolkit: CUDA $("$NVCC" --version | sed -n 's/.*release \([0-9.]*\),.*/\1/p')"
    echo "# cpu: $(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -n 1), $(nproc) cores"
    echo "# date: $(date +%F)"
    echo "# command: make record-ladders"
    printf '# ladder\trung\tcolumn\tvalue\n'
    for ladder; do
        echo "  $ladder" >&2
        "$folder/$ladder" times | sed "s/^/$ladder\t/"
    done
} >"$new"
cp "$new" "handouts/data/$tag.tsv"
echo "wrote handouts/data/$tag.tsv" >&2
