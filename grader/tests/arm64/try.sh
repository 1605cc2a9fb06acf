#!/usr/bin/env bash
# try.sh [LAB...]: builds the kit for arm64 on an x86-64 machine, runs tests under emulation (enter.sh), and
# grades the skeletons and solutions of these labs on both: the results must be the same bytes, except times.
#
# TEST_FILTER names other tests, or all: '*'. That takes hours, and leaves out the tests in cannot_pass.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
tree=$root/build/arm64/tree
host_programs='build/tests/programs/host-reads-early build/tests/programs/host-writes-early'
# qemu-user 7.2 knows neither seccomp, Landlock nor PR_SET_CHILD_SUBREAPER, and ignores limits of memory; archives are
# read only with seccomp. The attacks are also tried where only seccomp and Landlock protect, and 14 of them end otherwise
# without these.
cannot_pass='batch_scan/*archives|batch_grade/a_wrong_folder_is_an_error|exec/what_is_left_is_killed'
cannot_pass+='|sandbox/holds_at_every_level_for_root_and_for_users|sandbox_levels/are_chosen_*'
cannot_pass+='|sandbox/a_program_that_is_not_there_is_the_graders_failure|attacks/end_as_they_must_*'
# These expect that this tree lies in no other kit, that nvcc is no script that starts another one, and that /usr/bin/g++
# compiles for arm64.
cannot_pass+='|batch_grade/a_grader_failure_gives_no_grade'
cannot_pass+='|kit/hides_thrust_in_a_toolkit_with_any_name|kit/its_folder_comes_from_the_programs_path'
cannot_pass+='|kit/shows_its_libraries_to_programs_also_in_usr'
test "${TEST_FILTER:-}" != '*' || {
    TEST_FILTER="!($cannot_pass)"
    handouts=handouts
}
filter=${TEST_FILTER:-'@(floats|opcodes|functions|hardware_answers|device)/*'}
# These tests are in these folders, so only they are compiled.
only=
test -n "${TEST_FILTER:-}" || only=TEST_FILES=$(cd "$root/grader/tests" &&
    find support hardware compile gpu/device gpu/execute gpu/observe/planted \( -name '*.c' -o -name '*.cu' \) \
        -printf 'grader/tests/%p ')

# Tests also run make. If its settings changed, it would build the kit again.
export LANEWISE_PATIENCE=40 LANEWISE_EMULATED=1 # emulation is 15 times slower, and each CPU may have several tasks

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

# What the report says about a program whose main() accesses memory of running kernels. To see such accesses,
# the library executes single instructions of main().
find_host_accesses() {
    cd "$1/grader/tests/gpu/observe/planted"
    "$1/build/lanewise" run --tools ordercheck "$1/build/tests/programs/$2" 2>&1
}

same_findings() {
    local name=$root/build/arm64/$1
    find_host_accesses "$root" "$1" >"$name.x86-64" || test $? -eq 1
    (find=$(declare -f find_host_accesses) arm64 bash -c 'eval "$find"; find_host_accesses "$@"' - "$tree" "$1") \
        >"$name.arm64" || test $? -eq 1
    diff -u "$name.x86-64" "$name.arm64" >&2 || return 1
    printf '  %-20s %s findings, as on x86-64\n' "$1" "$(grep -c ': error: ' "$name.arm64")"
}

copy_tree
# shellcheck disable=SC2086
arm64 make ${only:+"$only"} lanewise build/tests/unit $host_programs ${TEST_FILTER:+test-programs} ${handouts:-}
arm64 build/tests/unit --filter "$filter"
arm64 build/tests/unit --filter 'build/labs_can_be_built_for_a_gpu'
echo 'sandbox: namespaces, but no filter of system calls, because it is for arm64, and the kernel is not'
for program in $host_programs; do
    same_findings "${program##*/}"
done
# Two at a time, because a grading does one thing after another.
for lab; do
    same_grade "$lab" labs &
    skeleton=$!
    same_grade "$lab" solutions
    wait $skeleton
done
