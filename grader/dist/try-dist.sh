#!/usr/bin/env bash
# Tries the package of `make dist` as a student would: in bare Debian systems (debootstrap's minbase, and make), and in
# a system that holds only the C library, sh and make. It works as an ordinary user, without a network.
#
#   try-dist.sh FOLDER        the folder of `make dist`
#
# Grades lab 01's solution, which must get full marks, twice: the second grading must take its program from the cache.
# Prints the seconds. Exit code: 0, or 1 if a grading fails, 2 if a system could not be made.
set -euo pipefail
parts=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$parts/../.." && pwd)
folder=$(realpath -m "$1")
suites='bullseye bookworm trixie'

fail() {
    echo "make try-dist: $1" >&2
    exit 2
}

. "$parts/roots.sh"

package=$(find "$folder" -maxdepth 1 -name "lanewise-*-$(uname -m).tar.zst" | head -n 1)
[ -n "$package" ] || fail "no package in $folder: run make dist first."

# Runs a command in a root, as user 1000 without network. Does not use chroot, because there the kernel refuses the
# namespaces of a sandbox. $mounts are options for bwrap.
mounts=()
as_student() {
    local in=$1
    shift
    setpriv --reuid 1000 --regid 1000 --clear-groups bwrap --unshare-user --unshare-net --unshare-pid --bind "$in" / \
        --proc /proc --dev /dev "${mounts[@]}" --clearenv --setenv HOME /home/student --setenv PATH /usr/bin:/bin "$@"
}

# grade ROOT COMMAND [NAME] [N]: runs COMMAND in the unpacked package, which must give full marks N times.
grade() {
    local in=$1 command=$2 TIMEFORMAT=%1R seconds
    seconds=$({ time as_student "$in" sh -c "cd /home/student/lanewise-* && $command" >"$folder/try.log" 2>&1 ||
        true; } 2>&1)
    [ "$(grep -c '100 of 100 points' "$folder/try.log")" = "${4:-1}" ] || {
        cat "$folder/try.log" >&2
        echo "make try-dist: $(basename "$in"): no full marks: ${3:-$command}" >&2
        exit 1
    }
    printf '  %-9s %5.1f s  %s\n' "$(basename "$in")" "$seconds" "${3:-$command}"
    grep -m 1 'weak sandbox' "$folder/try.log" || true
}

# Grades for twenty students at the same time, in a package that they cannot write into. Each student has a home, copies
# of the labs, files that nobody else may read, and a locale that is not UTF-8.
grade_shared() {
    local in=$1
    mounts=(--ro-bind "$in/home/student" /home/student --tmpfs /tmp)
    # shellcheck disable=SC2016 # the inner shell expands these
    grade "$in" 'for n in $(seq 20); do
        (export HOME=/tmp/$n LANEWISE_LABS=/tmp/$n/labs LC_ALL=C; umask 077; mkdir $HOME; cp -r labs $HOME/labs
        ./lanewise grade --lab 01 >$HOME/report 2>&1) & done; wait
        cat /tmp/*/report' 'twenty students at once, in a read-only package' 20
    mounts=()
}

unpack() {
    local in=$1
    rm -rf "$in/home/student"
    mkdir -p "$in/home/student"
    zstd -dcq --long=27 "$package" | tar -x -C "$in/home/student"
    cp "$root/solutions/01-parallelize/parallelize.cu" "$in/home/student/"lanewise-*/labs/01-parallelize/
    chown -R 1000:1000 "$in/home/student"
}

# Makes a system in $2 with the C library, sh and make of the system in $1, and nothing else. /bin and so on are links
# into /usr.
make_smallest() {
    rm -rf "$2"
    mkdir -p "$2/proc" "$2/dev" "$2/tmp"
    chmod 1777 "$2/tmp"
    # shellcheck disable=SC2016
    in_root "$1" sh -c 'echo /bin/sh; dpkg -L libc6 dash make | grep -E "^/(usr/)?(bin|lib|lib64)/" | while read -r path; do
        [ -d "$path" ] && [ ! -L "$path" ] || echo "$path"; done' |
        sed -E 's,^/(usr/)?,usr/,' | sort -u | tar -c -C "$1" -T - bin lib lib64 | tar -x -C "$2"
}

need_root
for suite in $suites; do
    in=$folder/roots/$suite
    [ -e "$in.ready" ] || { rm -rf "$in" && make_root "$suite" "$in" && install_in_root "$in" make && : >"$in.ready"; }
    unpack "$in"
    grade "$in" './lanewise grade --lab 01'
    grade "$in" './lanewise grade --lab 01'
    grade "$in" 'make grade LAB=01'
done
grade_shared "$in"
in=$folder/roots/smallest
make_smallest "$folder/roots/bookworm" "$in"
unpack "$in"
grade "$in" './lanewise grade --lab 01'
grade "$in" 'make grade LAB=01'
