#!/usr/bin/env bash
# make soak-batch: a class is graded once undisturbed, and once with `kill -9` at random moments. Both must
# give the same gradebook to the byte, with the points that each submission is known to be worth.
#
#   soak.sh MAKE_CLASS LANEWISE FOLDER STUDENTS KILLS
set -euo pipefail
make_class=$1 lanewise=$2 folder=$3 students=$4 kills=$5
"$make_class" "$folder" "$students"
cd "$folder"
batch() {
    "$lanewise" batch subs --roster roster.csv --device emulator --seed 20261121 "$@"
}

start=$SECONDS
batch --out whole | grep -v '^  '
seconds=$((SECONDS - start))
echo "undisturbed: $(wc -l <expected.csv) submissions in $seconds s"

# Every grade is what it must be.
awk -F, '
    { sub(/\r$/, "") }
    FNR == 1 && NR == 1 { for (i = 1; i <= NF; i++) column[i] = $i; next }
    NR == FNR { for (i = 3; i <= NF; i++) points[$1, column[i]] = $i; next }
    points[$1, $2] == "" || ($3 != "" && points[$1, $2] != $3) {
        print $1 " " $2 ": \"" points[$1, $2] "\" points, not " $3
        wrong++
    }
    END { exit wrong > 0 }' whole/gradebook.csv expected.csv

RANDOM=1
for ((i = 1; i <= kills; i++)); do
    "$lanewise" batch subs --roster roster.csv --device emulator --seed 20261121 --out broken >broken.log 2>&1 &
    # a random moment of a time in which all kills fit into the work
    sleep "$(awk "BEGIN { print 2 * $seconds / $kills * $RANDOM / 32768 }")"
    kill -9 $! 2>/dev/null && hit=killed || hit='had ended'
    wait $! 2>/dev/null || true
    echo "kill -9 number $i: $hit, $(grep -o '[0-9]* to grade' broken.log || echo 'before it began')"
done
batch --out broken | head -n 1
cmp whole/gradebook.csv broken/gradebook.csv
echo "the gradebook is the same after $kills times kill -9"
