# shellcheck shell=bash
# A Slurm cluster in one folder: its own munged, its own slurmctld and several slurmd. All run on
# this machine, on separate ports. test.sh sources this file. The machine's own Slurm stays untouched.
#
#   cluster_start DIR NODE...     starts the cluster, waits until all nodes are idle, exports SLURM_CONF
#   cluster_kill_node NODE        kills (-9) the node's slurmd, its steps and their programs
#   cluster_stop                  ends all processes of the cluster

# Prints the first of COUNT consecutive free ports.
free_ports() {
    local base offset
    for base in $(seq 21000 50 60000); do
        for offset in $(seq 0 "$1"); do
            (: <"/dev/tcp/127.0.0.1/$((base + offset))") 2>/dev/null && continue 2
        done
        echo "$base"
        return
    done
    return 1
}

cluster_start() {
    cluster=$1
    shift
    local user port node number=0
    user=$(id -un)
    port=$(free_ports $#) || return
    mkdir -p "$cluster"/{munge,state,spool,log}
    chmod 700 "$cluster/munge"
    head -c 1024 /dev/urandom >"$cluster/munge/key"
    chmod 400 "$cluster/munge/key"
    munged --force --key-file="$cluster/munge/key" --socket="$cluster/munge/socket" \
        --pid-file="$cluster/munge/pid" --log-file="$cluster/log/munged" \
        --seed-file="$cluster/munge/seed" 2>/dev/null || return
    {
        cat <<END
ClusterName=lanewise
SlurmctldHost=$(hostname -s)(127.0.0.1)
SlurmctldPort=$port
AuthType=auth/munge
AuthInfo=socket=$cluster/munge/socket
CredType=cred/munge
SlurmUser=$user
SlurmdUser=$user
StateSaveLocation=$cluster/state
SlurmdSpoolDir=$cluster/spool/%n
SlurmctldPidFile=$cluster/slurmctld.pid
SlurmdPidFile=$cluster/slurmd-%n.pid
SlurmctldLogFile=$cluster/log/slurmctld
SlurmdLogFile=$cluster/log/slurmd-%n
MailProg=/bin/true
ProctrackType=proctrack/pgid
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdParameters=config_overrides
GresTypes=gpu
ReturnToService=2
SlurmdTimeout=10
KillWait=2
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP
END
        for node; do
            number=$((number + 1))
            echo "NodeName=$node NodeHostname=$(hostname -s) NodeAddr=127.0.0.1" \
                "Port=$((port + number)) CPUs=1 Gres=gpu:1"
        done
    } >"$cluster/slurm.conf"
    # Any existing file will do: the test of a GPU request needs no real GPU.
    echo 'Name=gpu File=/dev/zero' >"$cluster/gres.conf"
    export SLURM_CONF=$cluster/slurm.conf
    slurmctld -c || return
    for node; do
        mkdir "$cluster/spool/$node"
        slurmd -N "$node" || return
    done
    for _ in $(seq 60); do
        [ "$(sinfo --noheader --Node --states=idle 2>/dev/null | wc -l)" = $# ] && return
        sleep 1
    done
    echo 'cluster.sh: the nodes do not become idle' >&2
    tail -n 5 "$cluster"/log/* >&2
    return 1
}

# Prints process $1 and all its descendants.
tree_of() {
    local child
    echo "$1"
    for child in $(ps -o pid= --ppid "$1"); do
        tree_of "$child"
    done
}

# Prints the leading processes of a node's steps. Their parent is init, and they write to the node's
# log.
steps_of() {
    local pid
    for pid in $(pgrep slurmstepd); do
        readlink "/proc/$pid/fd/"* 2>/dev/null | grep -qx "$cluster/log/slurmd-$1" && echo "$pid"
    done
}

cluster_kill_node() {
    local pid pids
    pids=$(cat "$cluster/slurmd-$1.pid")
    for pid in $(steps_of "$1"); do
        pids="$pids $(tree_of "$pid")"
    done
    # shellcheck disable=SC2086
    kill -9 $pids 2>/dev/null # short-lived ones may have ended by now
}

cluster_stop() {
    local pid
    scancel --user="$(id -un)" 2>/dev/null
    sleep 3
    for pid in "$cluster"/*.pid "$cluster/munge/pid"; do
        [ -e "$pid" ] && kill "$(cat "$pid")" 2>/dev/null
    done
}
