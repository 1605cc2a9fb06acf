#!/usr/bin/env bash
# Records how long the launches of a set take on this machine's GPU, and what Nsight Compute counts:
#
#   grader/tests/hardware/times/record.sh development    writes development/GPU.tsv, such as h200.tsv
#
# Sets: labs, development, unseen, fresh, unseen2, unseen3, unseen4. A set is a folder with a list `runs` (run.sh
# says what is in it). Needs nvcc, ncu, an NVIDIA GPU, and permission to read its performance counters. (make
# record-launches calls it.)
set -eu -o pipefail
cd "$(dirname "$0")"
set=${1%/}
root=../../../..
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

query() {
    nvidia-smi --query-gpu="$1" --format=csv,noheader | head -n 1
}

build() { # OUTPUT SOURCE
    echo "-O3 -lineinfo -std=c++17 -arch=native -cudart shared -I$root/shared -o $work/$1 $2"
}

nvcc=${NVCC:-nvcc}
{
    if [ "$set" = labs ]; then
        for solution in $root/solutions/*/*.cu; do
            name=$(basename "$solution" .cu)
            build "lab_${name}_solution" "$solution"
            build "lab_${name}_skeleton" "${solution/solutions/labs}"
        done
    else
        for source in "$set"/*.cu; do
            build "$(basename "$source" .cu)" "$source"
        done
    fi
    echo "-O2 -std=c++17 -arch=native -cudart shared -shared -Xcompiler -fPIC -o $work/libmeasure.so measure.cu -ldl"
} | xargs -P "$(nproc)" -L 1 "$nvcc"

LD_LIBRARY_PATH=$(dirname "$(command -v "$nvcc")")/../lib64${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export LD_LIBRARY_PATH
./run.sh "$work" "$set/runs" "$work/times"
MEASURE_PROFILE=1 ncu --target-processes all --profile-from-start off --clock-control none --cache-control none \
    --metrics "$(paste -sd , metrics)" -o "$work/report" ./run.sh "$work" "$set/runs" "$work/order" >"$work/log" 2>&1 || {
    cat "$work/log" >&2
    exit 1
}
ncu --csv --page raw --print-units base --import "$work/report.ncu-rep" >"$work/ncu.csv"
{
    echo "# $(query name), driver $(query driver_version), CUDA $("$nvcc" --version | sed -n 's/.*release [0-9.]*, V//p')," \
        "$(date +%F); memory $(query clocks.mem), multiprocessors: column clock_mhz; clocks not fixed"
    echo "# Each launch is repeated (measure.cu): a time is the steady state of repeated launches, in microseconds."
    python3 table.py "$work/times" "$work/order" "$work/ncu.csv"
} >"$work/table"
# NVIDIA H100 80GB HBM3 -> h100
tag=$(query name | tr 'A-Z ' 'a-z\n' | grep -m 1 '[0-9]')
cp "$work/table" "$set/$tag.tsv"
echo "wrote $set/$tag.tsv: $(grep -vc '^#' "$work/table") launches" >&2
