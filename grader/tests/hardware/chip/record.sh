#!/usr/bin/env bash
# Measures this machine's GPU: chip/record.sh PROGRAM, where PROGRAM is built from this folder. Writes GPU.txt beside
# this script; if the program fails, writes nothing. (make record-gpu calls it.)
set -eu -o pipefail
folder=$(dirname "$0")

query() {
    nvidia-smi --query-gpu="$1" --format=csv,noheader | head -n 1
}

# NVIDIA H100 80GB HBM3 -> h100
tag=$(query name | tr 'A-Z ' 'a-z\n' | grep -m 1 '[0-9]')
new=$(mktemp)
trap 'rm -f "$new"' EXIT
{
    echo "# $(query name), driver $(query driver_version), $(date +%F), by make record-gpu; idle before:" \
        "multiprocessors $(query clocks.sm), memory $(query clocks.mem)"
    "$1"
} >"$new"
cp "$new" "$folder/$tag.txt"
echo "wrote $folder/$tag.txt: $(grep -c ' = ' "$new") constants" >&2
