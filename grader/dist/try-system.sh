#!/usr/bin/env bash
# Follows the README on a bare Debian or Ubuntu: installs make, runs the README's first command for one lab, and says
# how long that took, how much of it processors worked, and how much it downloaded. The megabytes are those of the
# whole machine.
#
#   try-system.sh debian-12|debian-13|ubuntu-22|ubuntu-24 FOLDER
#
# Exit code: 0, or 2 with lines that say what failed.
set -euo pipefail
parts=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$parts/../.." && pwd)
system=$1 folder=$(realpath -m "$2")
in=$folder/roots/try-$system log=$folder/try-$system.log
declare -A suites=([debian-12]=bookworm [debian-13]=trixie [ubuntu-22]=jammy [ubuntu-24]=noble)

fail() {
    echo "make try-$system: $1" >&2
    exit 2
}

. "$parts/roots.sh"

# Bytes that this machine has received.
received() {
    awk 'NR > 2 && $1 != "lo:" { sum += $2 } END { print sum }' /proc/net/dev
}

need_root
suite=${suites[$system]:-}
[ -n "$suite" ] || fail "the known systems are ${!suites[*]}."
rm -rf "$in"
mkdir -p "$folder/roots"
make_root "$suite" "$in"
mkdir -p "$in/lanewise"
(cd "$root" && { git ls-files -z 2>/dev/null || find . -path ./build -prune -o -type f -print0; } |
    tar -c --null -T -) | tar -x -C "$in/lanewise"
cp "$root/solutions/01-parallelize/parallelize.cu" "$in/lanewise/labs/01-parallelize/"
before=$(received)
TIMEFORMAT='%R %U %S'
seconds=$({ time in_root "$in" sh -c 'apt-get update -qq && apt-get install -y --no-install-recommends make &&
    cd /lanewise && make grade LAB=01' >"$log" 2>&1 || true; } 2>&1)
grep -q '100 of 100 points' "$log" || {
    tail -n 20 "$log" >&2
    fail "no full marks; the whole log is $log."
}
printf '%s: bare system to first grade in %s, %d MB downloaded\n' "$system" \
    "$(awk '{ printf "%d s (processors %d s)", $1, $2 + $3 }' <<<"$seconds")" $((($(received) - before) / 1000000))
rm -rf "$in"
