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
grade='grade() { ./lanewise grade --lab 01 --seed 1 "$@" 2>&1 |
    grep -oE "[0-9]+ of 100 points$|unchanged since|^.*(disk|quota|space).*$|^lanewise.*"; }; '
new='echo "// $RANDOM$RANDOM" >>labs/01-parallelize/parallelize.cu; '
# Files that a grading should have removed, also the names that NFS gives to removed files that are still open.
left='find ~ -name "lanewise-work-*" -o -name ".nfs*" | wc -l; '
points='100 of 100 points'

try_version() {
    mount -t nfs -o "$2" 127.0.0.1:/srv/home /home || echo "try: $1: WRONG: mount failed"
    expect "$1, two gradings" "$points"$'\nunchanged since\n'"$points"$'\n0' "$grade $new grade; grade; $left"
    expect "$1, three at once" "      3 $points"$'\n0' \
        "$grade $new (grade & grade & grade & wait) | grep -v unch | sort | uniq -c; $left"
    mount -t tmpfs -o noexec,mode=1777 tmpfs /tmp
    mount -t tmpfs -o noexec,mode=1777 tmpfs /var/tmp
    expect "$1, no programs in /tmp" "$points"$'\n0' "$grade $new grade; $left"
    expect "$1, after a killed grading" "$points"$'\n0' \
        "$grade $new ./lanewise grade --lab 01 >/dev/null 2>&1 & sleep 15; kill -9 \$!; wait
        sleep 2; touch -d '2 days ago' ~/.cache/lanewise-work-*; $new grade; $left"
    umount /tmp /var/tmp
    umount /home || umount -l /home
}

# The student has used up the quota but for some KB.
try_quota() {
    local used
    mount -t nfs -o vers=4.2 127.0.0.1:/srv/home /home
    for room in 0 8 100; do
        used=$(quota -u -w --no-wrap $uid 2>/dev/null | awk 'END { print $2 }' | tr -d '*')
        setquota -u $uid 0 $((used + room)) 0 0 /
        expect "quota, $room KB left" "$points"$'\n'"$points"$'\n0' "$grade grade --seed 5 | grep -v unch; grade --seed 6 | grep -v unch; $left"
        find /srv/home -size 0 -newer /proc/1/exe -name '*json*' | sed 's/^/try: quota: WRONG: empty /'
    done
    mount -t tmpfs -o noexec,mode=1777 tmpfs /tmp
    mount -t tmpfs -o noexec,mode=1777 tmpfs /var/tmp
    setquota -u $uid 0 $((used + 2000)) 0 0 /
    echo "try: quota, 2 MB left, programs only at home: $(student "$grade $new grade; echo \${PIPESTATUS[0]}" | tr '\n' ';')"
    umount /tmp /var/tmp
    setquota -u $uid 0 0 0 0 /
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
