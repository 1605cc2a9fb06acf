#!/usr/bin/env bash
# make soak-batch: grades one class twice, once undisturbed and once with `kill -9` at
# random moments. Both runs must give the same gradebook, byte for byte, and each
# submission its expected points.
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
batch --out whole >whole.log
grep -v '^  ' whole.log
seconds=$((SECONDS - start))
echo "undisturbed: $(wc -l <expected.csv) submissions in $seconds s"

# Checks that every grade is as expected.
awk -F, '
    { sub(/\r$/, "") }
    FNR == 1 && NR == 1 { for (i = 1; i <= NF; i++) column[i] = $i; next }
    NR == FNR { for (i = 3; i <= NF; i++) points[$1, column[i]] = $i; next }
    points[$1, $2] == "" || ($3 != "" && points[$1, $2] != $3) {
        print $1 " " $2 ": \"" points[$1, $2] "\" points, not " $3
        wrong++
    }
    END { exit wrong > 0 }' whole/gradebook.csv expected.csv

# Kills the batch after a random number of further grades and a random delay. If the batch
# has ended before the kill, it is started again, so that exactly KILLS kills hit a
# running batch on any machine.
graded() {
    sed -n 's/^  \([0-9]*\) of .*/\1/p' broken.log | tail -n 1 | grep . || echo 0
}
RANDOM=1
total=$(grep -o '[0-9]* to grade' whole.log | grep -o '[0-9]*')
hits=0 classes=0
while ((hits < kills)); do
    more=$((2 * total * RANDOM / kills / 32768))
    "$lanewise" batch subs --roster roster.csv --device emulator --seed 20261121 --out broken >broken.log 2>&1 &
    until [ "$(graded)" -ge "$more" ] || ! kill -0 $! 2>/dev/null; do
        sleep 0.2
    done
    sleep "$(awk "BEGIN { print $RANDOM / 32768 }")"
    if kill -9 $! 2>/dev/null; then
        hits=$((hits + 1))
        echo "kill -9 number $hits: $(grep -o '[0-9]* to grade' broken.log || echo 'before it began')"
        wait $! 2>/dev/null || true
    else
        wait $!
        cmp whole/gradebook.csv broken/gradebook.csv
        rm -r broken
        classes=$((classes + 1))
    fi
done
batch --out broken | head -n 1
cmp whole/gradebook.csv broken/gradebook.csv
echo "the gradebook is the same after $hits times kill -9, in $((classes + 1)) classes"
