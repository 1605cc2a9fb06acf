#!/usr/bin/env bash
# Records occupancy.tsv again: the answers of this machine's GPU about the kernels of occupancy.cu.
#
#   grader/tests/hardware/record_occupancy.sh >grader/tests/hardware/occupancy.tsv
#
# Needs nvcc and an NVIDIA GPU of compute capability 9.0.
set -eu
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

nvcc -O3 -lineinfo -o "$work/occupancy" occupancy.cu # the driver compiles the PTX for its GPU
device=$(nvidia-smi --query-gpu=name --format=csv,noheader | head -n 1)
nvcc=$(nvcc --version | sed -n 's/.*release [0-9.]*, V//p')
echo "# $device, nvcc $nvcc, $(date +%F), by record_occupancy.sh"
"$work/occupancy"
