#!/usr/bin/env bash
# try.sh [LAB...]: builds the kit for arm64 on an x86-64 machine, runs tests under emulation (enter.sh), and
# grades the skeletons and solutions of these labs on both: the results must be the same bytes, except times.
#
# LANEWISE is this machine's build of the grader; TEST_FILTER names other tests, or all: '*'.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
tree=$root/build/arm64/tree
filter=${TEST_FILTER:-'@(floats|opcodes|functions|hardware_answers|guard|misleading_host)/*'}

arm64() {
    (cd "$tree" && "$here/enter.sh" "$@")
}

copy_tree() {
    mkdir -p "$tree"
    tar -c -C "$root" --exclude=./build --exclude=./.git --exclude=./.dev . | tar -x -C "$tree"
}

# grade FOLDER LAB SUBMISSION: prints the result without what may differ between two builds.
grade() {
    local result
    result=$(mktemp)
    cd "$1"
    LANEWISE_SANDBOX=none build/lanewise grade --unsafe --seed 42 --lab "$2" --submission "$3" \
        --json "$result" >"$result.report" 2>&1 || test $? -eq 1 || cat "$result.report" >&2
    sed -E '/"(seconds|cached|grader_sha256)": /d' "$result"
    sed -E 's/ +[0-9.]+ s$//; s/ \(unchanged since the last build\)//' "$result.report"
    rm -f "$result" "$result.report"
}

# Grades a submission on both. True: the results are equal.
same_grade() {
    local name=$root/build/arm64/${2%%/*}-$1
    grade "$root" "$1" "$2/$1" >"$name.x86-64"
    (grade=$(declare -f grade) arm64 bash -c 'eval "$grade"; grade "$@"' - "$tree" "$1" "$2/$1") >"$name.arm64"
    cmp -s "$name.x86-64" "$name.arm64" || {
        diff -u "$name.x86-64" "$name.arm64" | head -n 60 >&2
        return 1
    }
    printf '  %-20s %-10s %s, as on x86-64\n' "$1" "$2" "$(sed -n 's/^  "score": \(.*\),/\1/p' "$name.arm64")"
}

copy_tree
# Emulation is about 15 times slower, and each CPU of this machine may have more than one task.
arm64 make LANEWISE_PATIENCE=40 lanewise build/tests/unit
arm64 build/tests/unit --filter "$filter"
echo 'no sandbox under emulation: its filter of system calls is for arm64, but the kernel is not'
for lab; do
    for submission in labs solutions; do
        same_grade "$lab" "$submission"
    done
done
