#!/usr/bin/env bash
# Grades a lab with the package of `make dist` in containers of podman, as an ordinary user without a network: with
# podman's usual filter of system calls, without it, and in a read-only image. The image is a bare Debian 13 that
# debootstrap makes, so no registry is needed.
#
#   try-container.sh FOLDER        the folder of `make dist`
#
# Prints the seconds and the sandbox. Exit code: 0, or 1 if a grading fails, 2 if the image could not be made.
set -euo pipefail
parts=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$parts/../.." && pwd)
folder=$(realpath -m "$1")
base=$folder/roots/trixie log=$folder/try-container.log image=localhost/lanewise-try kit=$folder/container

fail() {
    echo "make try-container: $1" >&2
    exit 2
}

. "$parts/roots.sh"

make_image() {
    [ -e "$base.ready" ] || { rm -rf "$base" && make_root trixie "$base" && : >"$base.ready"; }
    tar -c -C "$base" --exclude=./home . | podman import - $image >"$log" 2>&1 || fail "podman import failed: $log"
}

unpack() {
    rm -rf "$kit"
    mkdir -p "$kit"
    zstd -dcq --long=27 "$package" | tar -x -C "$kit" --strip-components=1
    cp "$root/solutions/01-parallelize/parallelize.cu" "$kit/labs/01-parallelize/"
    chown -R 1000:1000 "$kit"
}

# grade WHAT OPTIONS...: grades a new program in a new container. runc also runs on machines that have both kinds of
# control groups; the limits are low enough for machines that let nobody raise them.
grade() {
    local what=$1 start=$SECONDS
    shift
    echo "// $RANDOM$RANDOM" >>"$kit/labs/01-parallelize/parallelize.cu"
    podman --runtime runc run --rm --network none --ulimit nofile=4096:4096 --ulimit nproc=4096:4096 --user 1000 "$@" \
        -v "$kit:/kit" -w /kit -e HOME=/tmp $image sh -c './lanewise doctor; ./lanewise grade --lab 01' >"$log" 2>&1 || true
    grep -q '100 of 100 points' "$log" || {
        tail -n 30 "$log" >&2
        echo "make try-container: no full marks $what" >&2
        exit 1
    }
    printf '  %s: %d s, sandbox: %s\n' "$what" $((SECONDS - start)) "$(sed -n 's/^sandbox *\([^:]*\):.*/\1/p' "$log")"
}

package=$(find "$folder" -maxdepth 1 -name "lanewise-*-$(uname -m).tar.zst" | head -n 1)
[ -n "$package" ] || fail "no package in $folder: run make dist first."
need_root
make_image
unpack
grade "podman's usual filter"
grade 'no filter' --security-opt seccomp=unconfined --security-opt apparmor=unconfined
grade 'a read-only image' --read-only
podman rmi -f $image >/dev/null
rm -rf "$kit"
