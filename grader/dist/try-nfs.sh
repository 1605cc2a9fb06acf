#!/usr/bin/env bash
# Tries the package of `make dist` in a home folder on NFS, with a quota, as at many schools. A machine that QEMU
# emulates is server and client at once: Debian 12 with its kernel. No network and no KVM is needed; emulation is about
# 20 times slower.
#
#   try-nfs.sh FOLDER        the folder of `make dist`
#
# Prints a line for each try (nfs-guest.sh). Exit code: 0, or 1 if a try fails, 2 if the machine could not be made.
set -euo pipefail
parts=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$parts/../.." && pwd)
folder=$(realpath -m "$1")
in=$folder/roots/nfs image=$folder/nfs.img log=$folder/try-nfs.log
packages='make linux-image-cloud-amd64 initramfs-tools nfs-kernel-server nfs-common kmod quota procps iproute2'

fail() {
    echo "make try-nfs: $1" >&2
    exit 2
}

. "$parts/roots.sh"

# Debian 12 with a kernel and with the drivers that this kernel needs before it can mount its disk.
make_system() {
    rm -rf "$in"
    make_root bookworm "$in"
    # shellcheck disable=SC2086 # a list of words
    install_in_root "$in" $packages
    sed -i 's/MODULES=most/MODULES=list/' "$in/etc/initramfs-tools/initramfs.conf"
    printf '%s\n' quota_v2 virtio_pci virtio_blk ext4 >>"$in/etc/initramfs-tools/modules"
    in_root "$in" update-initramfs -u >"$in.log" 2>&1 || fail "no initial file system: $in.log"
    : >"$in.ready"
}

package=$(find "$folder" -maxdepth 1 -name "lanewise-*-$(uname -m).tar.zst" ! -name '*nocuda*' | head -n 1)
[ -n "$package" ] || fail "no package in $folder: run make dist first."
[ "$(uname -m)" = x86_64 ] || fail 'only for x86-64 so far.'
need_root
[ -e "$in.ready" ] || make_system

rm -rf "$in/srv/home" "$in/kit"
mkdir -p "$in/srv/home/student" "$in/kit" "$in/home"
zstd -dcq --long=27 "$package" | tar -x -C "$in/srv/home/student"
cp "$root/solutions/01-parallelize/parallelize.cu" "$in/srv/home/student/"lanewise-*/labs/01-parallelize/
chown -R 1000:1000 "$in/srv/home/student"
install -m 755 "$parts/nfs-guest.sh" "$in/sbin/try-nfs"
rm -f "$image"
mke2fs -q -t ext4 -O quota -E quotatype=usrquota -d "$in" "$image" 3G >"$log" 2>&1 || fail "mke2fs failed: $log"
e2fsck -fy "$image" >>"$log" 2>&1 || [ $? = 1 ] || fail "e2fsck failed: $log" # counts what each user has

start=$SECONDS
timeout 3000 qemu-system-x86_64 -accel tcg -cpu max -smp 2 -m 3072 -nic none -display none -no-reboot -serial stdio \
    -drive "file=$image,format=raw,if=virtio,cache=unsafe" -kernel "$(echo "$in"/boot/vmlinuz-*)" \
    -initrd "$(echo "$in"/boot/initrd.img-*)" \
    -append 'console=ttyS0 root=/dev/vda rw quiet panic=-1 mitigations=off no_timer_check init=/sbin/try-nfs' </dev/null 2>&1 |
    tr -d '\r' | tee "$log" | sed -nu 's/^try: /  /p'
rm -f "$image"
grep -q '^try: the end' "$log" || fail "the emulated machine stopped early; the whole log is $log."
! grep -q '^try: .*WRONG' "$log" || exit 1
echo "all in $((SECONDS - start)) s, under emulation"
