#!/usr/bin/env bash
# Builds the Containerfile with podman and grades a lab in the container: with podman's filter of system calls, without
# it, and with the labs of another folder. The base is a bare Debian 13 that debootstrap makes, so no registry is needed.
#
#   try-container.sh FOLDER
#
# Prints seconds and megabytes. Exit code: 0, or 1 if a grading fails, 2 if the image could not be made.
set -euo pipefail
parts=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$parts/../.." && pwd)
folder=$(realpath -m "$1")
base=$folder/roots/base log=$folder/try-container.log image=localhost/lanewise-try

fail() {
    echo "make try-container: $1" >&2
    exit 2
}

. "$parts/roots.sh"

# The base that the Containerfile names, unless podman has it.
make_base() {
    podman image exists docker.io/library/debian:13-slim && return
    rm -rf "$base"
    mkdir -p "$folder/roots"
    make_root trixie "$base"
    tar -c -C "$base" . | podman import - docker.io/library/debian:13-slim >"$log" 2>&1 || fail "podman import failed: $log"
    rm -rf "$base"
}

# grade WHAT OPTIONS...: grades lab 01's solution in a new container.
grade() {
    local what=$1 start=$SECONDS
    shift
    podman run --rm --network none -v "$folder/container-labs:/lanewise/labs" "$@" $image \
        sh -c 'build/lanewise doctor; make grade LAB=01' >"$log" 2>&1 || true
    grep -q '100 of 100 points' "$log" || {
        tail -n 30 "$log" >&2
        echo "make try-container: no full marks $what" >&2
        exit 1
    }
    printf '  %s: 100 points in %d s; %s\n' "$what" $((SECONDS - start)) "$(grep -im 1 sandbox "$log" | sed 's/^ *//')"
}

need_root
make_base
start=$SECONDS
copy=$folder/container
rm -rf "$copy" "$folder/container-labs"
mkdir -p "$copy"
(cd "$root" && { git ls-files -z 2>/dev/null || find . -path ./build -prune -o -type f -print0; } |
    tar -c --null -T -) | tar -x -C "$copy"
certificates=
[ -z "${PIP_CERT:-}" ] || certificates=PIP_CERT=/etc/host-certificates.crt
podman build --network host ${certificates:+--env "$certificates"} -t $image -f "$copy/Containerfile" "$copy" >"$log" 2>&1 || {
    tail -n 20 "$log" >&2
    fail "podman build failed; the whole log is $log."
}
printf '  image: %d s, %d MB\n' $((SECONDS - start)) $(($(podman image inspect --format '{{.Size}}' $image) / 1000000))
cp -a "$copy/labs" "$folder/container-labs"
cp "$root/solutions/01-parallelize/parallelize.cu" "$folder/container-labs/01-parallelize/"
chown -R 1000:1000 "$folder/container-labs"
grade "in podman's default container"
grade 'with the line that improves it' --security-opt seccomp=unconfined --security-opt apparmor=unconfined
grade 'with a read-only image' --read-only --tmpfs /tmp --tmpfs /home/student
podman rmi -f $image >/dev/null
rm -rf "$copy" "$folder/container-labs"
