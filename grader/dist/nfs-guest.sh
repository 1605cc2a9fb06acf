#!/bin/bash
# The first process of the machine that try-nfs.sh emulates: exports /srv/home, mounts it as /home, and grades there.
# Prints "try: NAME: ..." for each try, with WRONG in it if the result is not the expected one.
export PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C
uid=1000

serve() {
    mount -t proc proc /proc
    mount -t sysfs sysfs /sys 2>/dev/null
    mount -t tmpfs tmpfs /run
    mount -t tmpfs -o mode=1777 tmpfs /tmp
    mount -t tmpfs -o mode=1777 tmpfs /var/tmp
    mkdir -p /run/rpcbind /var/lib/nfs/rpc_pipefs /dev/shm
    mount -t tmpfs -o mode=1777 tmpfs /dev/shm
    ip link set lo up
    modprobe nfs
    modprobe nfsd
    modprobe quota_v2
    quotaon -u / 2>/dev/null
    mount -t nfsd nfsd /proc/fs/nfsd
    echo '/srv/home 127.0.0.1(rw,sync,no_subtree_check,fsid=1)' >/etc/exports
    rpcbind -w
    rpc.statd --no-notify
    exportfs -ra
    rpc.nfsd 4
    rpc.mountd
}

# Runs a script as the student, in the package.
student() {
    (cd /home/student/lanewise-* && exec setpriv --reuid $uid --regid $uid --clear-groups \
        env -i HOME=/home/student PATH=/usr/bin:/bin bash -c "$1") 2>&1
}

# expect NAME WANTED SCRIPT: the script must print the wanted lines.
expect() {
    local start=$SECONDS text
    text=$(student "$3")
    if [ "$text" = "$2" ]; then
        printf 'try: %s: %s (%d s)\n' "$1" "$(tr '\n' ';' <<<"$text" | sed 's/;$//; s/;/; /g')" $((SECONDS - start))
    else
        printf 'try: %s: WRONG: %s\n' "$1" "$(tr '\n' '~' <<<"$text")"
        student './lanewise grade --lab 01 --seed 3; echo code $?'
    fi
}

# What a grading says about points, the cache and the disk.
grade='grade() { ./lanewise grade --lab 01 --seed 1 2>&1 | grep -oE "[0-9]+ of 100 points$|unchanged since|(the disk|your quota) .*";
    }; '
new='echo "// $RANDOM$RANDOM" >>labs/01-parallelize/parallelize.cu; '
# Files that a grading should have removed, also the names that NFS gives to removed files that are still open.
left='find ~ -name "lanewise-work-*" -o -name ".nfs*" | wc -l'
points='100 of 100 points'

# Programs may be started only at home.
without_tmp() {
    mount -t tmpfs -o noexec,mode=1777 tmpfs /tmp
    mount -t tmpfs -o noexec,mode=1777 tmpfs /var/tmp
    "$@"
    umount /tmp /var/tmp
}

# Grades at home, and removes what a grading that was killed two days ago has left.
try_version() {
    mount -t nfs -o "$2" 127.0.0.1:/srv/home /home || echo "try: $1: WRONG: mount failed"
    expect "$1, two gradings" "$points"$'\nunchanged since\n'"$points"$'\n0' "$grade $new grade; grade; $left"
    without_tmp expect "$1, no programs in /tmp" "$points"$'\n0' "$grade $new mkdir -p ~/.cache/lanewise-work-killed
        touch -d '2 days ago' ~/.cache/lanewise-work-killed; grade; $left"
    umount /home || umount -l /home
}

# Sets the student's quota to what is used now, and this many KB.
leave() {
    local used
    used=$(repquota -n -u / | awk -v user="#$uid" '$1 == user { print $3 }')
    setquota -u $uid 0 $((used + $1)) 0 0 /
}

try_quota() {
    mount -t nfs -o vers=4.2 127.0.0.1:/srv/home /home
    leave 0
    expect 'quota, 0 KB left' "$points"$'\n0' "$grade $new grade | grep -v unchanged; $left"
    leave 2000
    without_tmp expect 'quota, 2 MB left, no programs in /tmp' \
        $'your quota of disk space is nearly used up: gradings need 64 MB in /home/student/.cache\n2\n0' \
        "$grade $new ./lanewise grade --lab 01 2>&1 | grep -o 'your quota.*'; echo \${PIPESTATUS[0]}; $left"
    umount /home
}

serve
try_version 'NFS 4.2' vers=4.2
try_version 'NFS 3 without locks' vers=3,nolock
try_quota
echo 'try: the end'
sync
echo o >/proc/sysrq-trigger
sleep 60
