#!/usr/bin/env bash
# shellcheck disable=SC2317 # tests are called by name
# make slurm-test: `lanewise batch --slurm` on a real Slurm, which this script starts and stops.
# It grades a class on this machine and on the cluster, undisturbed and disturbed; the gradebooks
# must be the same bytes.
#
#   test.sh LANEWISE ROOT [all|same|dies|late|gone|gres]
set -u
lanewise=$1 root=$2 only=${3:-all}
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=grader/tests/batch/slurm/cluster.sh
. "$here/cluster.sh"
work=$(mktemp -d) || exit 2
failures=0

finish() {
    # shellcheck disable=SC2046
    kill $(jobs -p) 2>/dev/null
    cluster_stop
    [ "$failures" = 0 ] && rm -rf "$work" || echo "what was there is in $work"
}
trap finish EXIT
trap 'exit 130' INT TERM

ok() {
    if [ "$1" = 0 ]; then echo "ok      $2"; else
        echo "FAILED  $2"
        failures=$((failures + 1))
    fi
}

# Makes a class of twelve students: solutions, skeletons, a file that does not compile, no file, an
# archive, a copy.
make_class() {
    local i student
    for i in $(seq 10 21); do
        student=$work/class/s$i
        mkdir -p "$student"
        case $i in
        1[0-3]) sed "1i // $i" "$root/solutions/01-parallelize/parallelize.cu" >"$student/parallelize.cu" ;;
        1[4-6]) sed "1i // $i" "$root/labs/02-coalesce/.skeleton.cu" >"$student/coalesce.cu" ;;
        17) echo 'int main( {' >"$student/parallelize.cu" ;;
        18) ;;
        19) cp "$work/class/s10/parallelize.cu" "$student" ;;
        2*) sed "1i // $i" "$root/solutions/02-coalesce/coalesce.cu" >"$student/coalesce.cu" ;;
        esac
    done
    sed "1i // late" "$root/labs/01-parallelize/.skeleton.cu" >"$work/class/s20/parallelize.cu"
}

# batch OUT OPTION...: grades the class into $work/OUT.
batch() {
    local out=$work/$1
    shift
    "$lanewise" batch "$work/class" --out "$out" --labs 1,2 --seed 1 --device emulator "$@" \
        >"$out.log" 2>&1
}

same_gradebook() {
    cmp "$work/here/gradebook.csv" "$work/$1/gradebook.csv"
    ok $? "$1: $2"
    [ ! -e "$work/$1/slurm" ]
    ok $? "$1: nothing is left of the jobs"
}

# wait_for SECONDS COMMAND...: waits until the command prints something.
wait_for() {
    local seconds=$1
    shift
    for _ in $(seq "$seconds"); do
        [ -n "$("$@" 2>/dev/null)" ] && return
        sleep 1
    done
    return 1
}

running_on() {
    squeue --noheader --nodelist="$1" --states=running --format=%A
}

t_same() {
    batch same --slurm --chunk-size 2
    ok $? 'same: the class is graded on the cluster'
    same_gradebook same 'the gradebook is that of this machine'
    [ "$(grep -c '_job_complete: JobId=.* done' "$cluster/log/slurmctld")" -ge 5 ]
    ok $? 'same: by several tasks'
    batch same --slurm
    grep -q '; 0 to grade' "$work/same.log"
    ok $? 'same: a second run grades nothing'
}

t_gres() {
    batch gres --slurm --slurm-options '--gres=gpu:1 --comment=tried' --chunk-size 8
    ok $? 'gres: tasks that ask for a GPU run where there is one'
    same_gradebook gres 'the gradebook is that of this machine'
    batch refused --slurm --slurm-options --partition=none
    [ $? = 2 ] && grep -q 'sbatch did not accept the job: .*invalid partition' "$work/refused.log"
    ok $? 'gres: the reason that sbatch gives is reported'
}

# A node dies half-way: its tasks restart on another node and do the remaining work.
t_dies() {
    batch dies --slurm --chunk-size 4 &
    local head=$!
    wait_for 60 running_on n2
    ok $? 'dies: a task runs on n2'
    cluster_kill_node n2
    wait "$head"
    ok $? 'dies: the class is graded though n2 is dead'
    same_gradebook dies 'the gradebook is that of this machine'
    grep -q 'Nodes n2 not responding' "$cluster/log/slurmctld"
    ok $? 'dies: Slurm has seen n2 die'
    slurmd -N n2
    wait_for 60 sinfo --noheader --nodes=n2 --states=idle
    ok $? 'dies: n2 is back'
}

# A task hangs until its time is up: the next job grades its remaining submissions.
t_late() {
    batch late --slurm --chunk-size 100 --slurm-options --time=1 &
    local head=$! step
    wait_for 60 eval 'ls "$work"/late/slurm/log/*'
    # The step itself continues to run and enforces its time limit.
    for step in $(steps_of n1) $(steps_of n2); do
        # shellcheck disable=SC2046
        kill -STOP $(tree_of "$step" | tail -n +2) 2>/dev/null
    done
    wait "$head"
    ok $? 'late: the class is graded though a task hung'
    same_gradebook late 'the gradebook is that of this machine'
    grep -q 'Time limit exhausted' "$cluster/log/slurmctld"
    ok $? 'late: the time of a task was up'
}

# The batch command is killed: the next one waits for the running job, and starts no other job for
# its submissions.
t_gone() {
    local jobs
    batch gone --slurm --chunk-size 4 &
    local head=$!
    wait_for 60 eval 'cat "$work/gone/slurm/job"'
    # shellcheck disable=SC2046
    kill -9 $(tree_of "$head")
    wait "$head" 2>/dev/null
    jobs=$(grep -c '_slurm_rpc_submit_batch_job' "$cluster/log/slurmctld")
    batch gone --slurm --chunk-size 4
    ok $? 'gone: the class is graded by the next run'
    same_gradebook gone 'the gradebook is that of this machine'
    [ "$(grep -c '_slurm_rpc_submit_batch_job' "$cluster/log/slurmctld")" = "$jobs" ]
    ok $? 'gone: by the job that was under way'
}

cluster_start "$work/cluster" n1 n2 || exit 2
make_class
batch here
ok $? 'the class is graded on this machine'
for name in same gres dies late gone; do
    case $only in all | "$name") "t_$name" ;; esac
done
[ "$failures" = 0 ] && echo 'Slurm: all is well'
exit $((failures > 0))
