#!/usr/bin/env bash
# Records collisions.tsv again: which lane of a warp wins on this machine's GPU if several
# access the same memory.
#
#   grader/tests/hardware/record_collisions.sh >grader/tests/hardware/collisions.tsv
#
# Needs nvcc and an NVIDIA GPU.
set -eu
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

nvcc -O3 -o "$work/collisions" collisions.cu # the driver compiles the PTX for its GPU
device=$(nvidia-smi --query-gpu=name --format=csv,noheader | head -n 1)
nvcc=$(nvcc --version | sed -n 's/.*release [0-9.]*, V//p')
echo "# $device, nvcc $nvcc, $(date +%F), by record_collisions.sh"
"$work/collisions"
