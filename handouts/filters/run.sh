#!/usr/bin/env bash
# Runs one command of a page, in the repository's root, as a student would type it:
#
#   handouts/filters/run.sh 'make grade LAB=01'
#
# It runs on fresh skeletons, because the labs of this tree may be half solved. It does not see the variables of the
# `make` that builds the pages. A command may take a minute (longer if LANEWISE_PATIENCE says so).
root=$(cd "$(dirname "$0")/../.." && pwd)
cd "$root" || exit 125
labs=$(mktemp -d) || exit 125
trap 'rm -rf "$labs"' EXIT
# Few processes: a build of the pages runs this script a hundred times.
folders=(labs/*/.skeleton.cu)
folders=("${folders[@]%.skeleton.cu}")
mkdir -p "${folders[@]/#labs/$labs}"
for folder in "${folders[@]}"; do
    files=("$folder"*.cu)
    cp "$folder.skeleton.cu" "$labs/${files[0]#labs/}"
done
(umask 077 && printf '%064d\n' 0 >"$labs/.secret.key") # the same inputs at each build
nvcc=$(sed -n 's/^CONFIG_NVCC := //p' build/config.mk 2>/dev/null)
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES HANDOUT HANDOUT_DEPS HANDOUT_FACTS
PATH=$PATH${nvcc:+:$(dirname "$nvcc")} NO_COLOR=1 COLUMNS=100 LANEWISE_LABS=$labs LANEWISE_SECRET=$labs/.secret.key \
    timeout $((60 * ${LANEWISE_PATIENCE:-1})) bash -c "$1" </dev/null 2>&1 | sed "s,$labs/,labs/,g"
exit "${PIPESTATUS[0]}"
