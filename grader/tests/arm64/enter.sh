#!/usr/bin/env bash
# enter.sh COMMAND...: runs a command on this x86-64 machine as if it were an arm64 machine. It needs root, or
# a system that lets users make namespaces.
#
#   gcc, g++, ar, ...   cross compilers, under the names of ordinary ones (first in PATH)
#   nvcc                this machine's; it builds kernels as usual, and arm64 code for the host
#   arm64 programs      run in qemu-user, which the kernel starts by itself (binfmt_misc)
#   arm64 libraries     in /usr/lib and /usr/include, but only for this command: two overlay mounts in a
#                       namespace of its own. Debian's packages cannot all be installed beside those of x86-64.
#                       CUDA's runtime is in /usr/lib/cuda-arm64, where sandboxes see it
#
# Downloads and builds nothing twice; everything is in build/arm64. LANEWISE_ARM64_ONLY=packages only prepares.
set -eu
root=$(cd "$(dirname "$0")/../../.." && pwd)
home=$root/build/arm64
tools='gcc g++ cpp ar nm objcopy ld readelf objdump strip'
libraries="libstdc++-12-dev $(sed -nE 's/^grade +\| links [^|]*\| *([^|]*[^| ]) *\|.*/\1/p' "$root/grader/setup.sh" | xargs)"

fail() {
    printf '%s\n' "$@" >&2
    exit 2
}

# apt for arm64 with a state of its own, so that this machine's packages do not change.
apt_arm64() {
    mkdir -p "$home/apt/lists/partial" "$home/apt/archives/partial"
    : >"$home/apt/status"
    cat >"$home/apt/conf" <<END
APT::Architecture "arm64";
APT::Architectures { "arm64"; };
APT::Install-Recommends "false";
APT::Sandbox::User "root";
Dir::State "$home/apt";
Dir::State::status "$home/apt/status";
Dir::Cache "$home/apt";
END
    APT_CONFIG=$home/apt/conf apt-get -qq "$@"
}

unpack_libraries() {
    echo "downloading arm64 libraries from Debian into build/arm64 (50 MB)"
    rm -rf "$home/libraries" "$home/part"
    apt_arm64 update
    # shellcheck disable=SC2086
    apt_arm64 install -y --download-only $libraries >"$home/apt/log" 2>&1 || fail "$(tail "$home/apt/log")"
    mkdir -p "$home/part/usr/lib"
    local package
    for package in "$home"/apt/archives/*.deb; do
        dpkg-deb --fsys-tarfile "$package" |
            tar -x -C "$home/part" --wildcards './lib/*' './usr/lib/*' './usr/include/*' 2>/dev/null || true
    done
    cp -a "$home/part/lib/." "$home/part/usr/lib/" # /lib is a link to /usr/lib
    rm -rf "$home/part/lib" "$home/apt"
    printf '%s\n' "$libraries" >"$home/part/list"
    mv "$home/part" "$home/libraries"
}

# CUDA's runtime for arm64: the linker asks for it, although the emulator's replaces it.
unpack_runtime() {
    local wheel=nvidia-cuda-runtime==13.0.96
    echo "downloading $wheel for arm64 from PyPI into build/arm64 (2 MB)"
    PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_ROOT_USER_ACTION=ignore python3 -m pip install --quiet --no-deps \
        --only-binary=:all: --platform manylinux2014_aarch64 --no-compile --target "$home/cuda.part" "$wheel" ||
        fail "pip could not download $wheel for arm64"
    rm -rf "$home/cuda"
    mkdir -p "$home/cuda/usr/include" "$home/cuda/usr/lib"
    mv "$home"/cuda.part/nvidia/cu*/lib "$home/cuda/usr/lib/cuda-arm64"
    rm -rf "$home/cuda.part"
    ln -s libcudart.so.13 "$home/cuda/usr/lib/cuda-arm64/libcudart.so"
}

# Writes the tool $1 from standard input. An equal one keeps its time, because the cache of built submissions compares
# that of nvcc.
write_tool() {
    local text
    text=$(cat)
    [ "$(cat "$home/bin/$1" 2>/dev/null)" = "$text" ] || printf '%s\n' "$text" >"$home/bin/$1"
    chmod +x "$home/bin/$1"
}

# The names under which make and nvcc find the cross compilers. They are scripts, because ccache asks under which name
# it was started; nvcc also runs in sandboxes, where ccache cannot write. There is no apt-get: set-up would install packages
# of x86-64.
write_tools() {
    local tool include
    mkdir -p "$home/bin"
    for tool in $tools; do
        printf '#!/bin/sh\nexec aarch64-linux-gnu-%s "$@"\n' "$tool" | write_tool "$tool"
    done
    ln -sf /bin/false "$home/bin/apt-get"
    include=$(sed -n 's/^CONFIG_CUDA_HOME := //p' "$root/build/config.mk")/include
    write_tool nvcc <<END
#!/bin/sh
exec $(sed -n 's/^CONFIG_NVCC := //p' "$root/build/config.mk") -ccbin $(PATH=$(getconf PATH) type -P aarch64-linux-gnu-g++) \\
    -I$include -isystem $include/cccl -L/usr/lib/cuda-arm64 "\$@"
END
}

# The kernel must know the emulator, and hold it open: programs also run where the emulator is not visible.
check_emulator() {
    local known=/proc/sys/fs/binfmt_misc/qemu-aarch64
    [ -e "$known" ] || mount -t binfmt_misc binfmt_misc /proc/sys/fs/binfmt_misc 2>/dev/null || true
    [ -e "$known" ] || update-binfmts --enable qemu-aarch64 2>/dev/null || true
    grep -q '^flags:.*F' "$known" 2>/dev/null ||
        fail 'This machine cannot run arm64 programs: its kernel does not know qemu-aarch64.' \
            'Load the kernel module binfmt_misc and run: update-binfmts --enable qemu-aarch64'
}

[ "$(uname -m)" = x86_64 ] || fail 'This machine is no x86-64 machine. On arm64, use make as usual.'
mkdir -p "$home"
check_emulator
[ "$(cat "$home/libraries/list" 2>/dev/null)" = "$libraries" ] || unpack_libraries
[ -e "$home/cuda/usr/lib/cuda-arm64/libcudart.so" ] || unpack_runtime
write_tools
[ "${LANEWISE_ARM64_ONLY:-}" = packages ] && exit

namespace='--mount'
[ "$(id -u)" = 0 ] || namespace='--mount --map-root-user'
# shellcheck disable=SC2016,SC2086
exec unshare $namespace bash -c '
    for folder in lib include; do
        mount -t overlay -o "ro,lowerdir=/usr/$folder:$0/libraries/usr/$folder:$0/cuda/usr/$folder" arm64 "/usr/$folder" || exit 2
    done
    exec "$@"' "$home" env PATH="$home/bin:$PATH" NVCC="$home/bin/nvcc" "$@"
