#!/usr/bin/env bash
# Follows the README on a bare Debian system: installs make, runs the README's first command for one lab, and says
# how long that took and how much it downloaded.
#
#   try-debian.sh 12|13 FOLDER
#
# Exit code: 0, or 2 with lines that say what failed.
set -euo pipefail
parts=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$parts/../.." && pwd)
number=$1 folder=$(realpath -m "$2")
in=$folder/roots/try-debian-$number log=$folder/try-debian-$number.log
declare -A suites=([12]=bookworm [13]=trixie)

fail() {
    echo "make try-debian-$number: $1" >&2
    exit 2
}

. "$parts/roots.sh"

# Bytes that this machine has received.
received() {
    awk 'NR > 2 && $1 != "lo:" { sum += $2 } END { print sum }' /proc/net/dev
}

need_root
suite=${suites[$number]:-}
[ -n "$suite" ] || fail 'the known systems are 12 and 13.'
rm -rf "$in"
mkdir -p "$folder/roots"
make_root "$suite" "$in"
mkdir -p "$in/lanewise"
(cd "$root" && { git ls-files -z 2>/dev/null || find . -path ./build -prune -o -type f -print0; } |
    tar -c --null -T -) | tar -x -C "$in/lanewise"
cp "$root/solutions/01-parallelize/parallelize.cu" "$in/lanewise/labs/01-parallelize/"
before=$(received) start=$SECONDS
in_root "$in" sh -c 'apt-get update -qq && apt-get install -y --no-install-recommends make &&
    cd /lanewise && make grade LAB=01' >"$log" 2>&1 || true
grep -q '100 of 100 points' "$log" || {
    tail -n 20 "$log" >&2
    fail "no full marks; the whole log is $log."
}
printf 'Debian %s: bare system to first grade in %d s, %d MB downloaded\n' "$number" $((SECONDS - start)) \
    $((($(received) - before) / 1000000))
rm -rf "$in"
