#!/usr/bin/env bash
# Builds the packages of `make dist`, which students unpack and use without root and without a network:
#
#   build.sh FOLDER PAGES        PAGES: the built handouts
#
#   FOLDER/lanewise-VERSION-ARCH.tar.zst           with NVIDIA's compiler
#   FOLDER/lanewise-VERSION-ARCH-nocuda.tar.zst    without it, for machines that have CUDA 13
#
# Both run on glibc 2.31 and later. So the programs are compiled against Debian 11, which has that version. Its own
# gcc cannot compile the emulator for several CPUs at once; the compiler is that of Debian 12:
#
#   FOLDER/roots/compiler              a bare Debian 12 with gcc, make, tar and zstd
#   FOLDER/roots/compiler/sysroot      a bare Debian 11 with the libraries that programs are linked with
#   FOLDER/roots/compiler/lanewise     the sources, copied anew for each build: the same folder on every machine
#
# All paths, tools and times are the same in every build, so equal sources give equal bytes. parts.sh chooses the
# files of the two systems that a package brings along. Exit code: 0, or 2 with lines that say what to do.
set -euo pipefail
parts=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$parts/../.." && pwd)
folder=$(realpath -m "${1:?folder}") pages=$(realpath -m "${2:?folder of pages}")
machine=$(uname -m)
version=$(sed -n 's/.*LANEWISE_VERSION "\(.*\)"/\1/p' "$root/grader/base/version.h")
name=lanewise-$version-$machine
compiler=$folder/roots/compiler sysroot=$folder/roots/compiler/sysroot
stage=$compiler/stage/$name
level=${DIST_LEVEL:-19} # zstd's compression level; 19 takes minutes and saves a third
epoch=${SOURCE_DATE_EPOCH:-$(git -C "$root" log -1 --format=%ct 2>/dev/null || echo 0)}

fail() {
    echo "make dist: $1" >&2
    exit 2
}

. "$parts/roots.sh"
. "$parts/parts.sh"

# --- the two systems ---------------------------------------------------------------------------------------------

# The Debian packages of set-up's table that grading needs.
needed_packages() {
    sed -n 's/^grade *|[^|]*|\([^|]*\)|.*/\1/p' "$root/grader/setup.sh" | tr -s ' \n' '\n' | sort -u
}

# Makes links to /lib/... relative, because absolute links would leave the sysroot.
mend_links() {
    local link
    find "$sysroot/usr/lib" "$sysroot/usr/lib64" -lname '/lib/*' 2>/dev/null | while read -r link; do
        ln -sfr "$sysroot$(readlink "$link")" "$link"
    done
}

# Writes a script for gcc of Debian 12 with the libraries of Debian 11. libarchive is linked statically, because the
# shared library needs 30 MB of libraries for formats that are not used. libstdc++ and libgcc are linked statically,
# because programs may bring their own.
write_gcc() {
    local triple=$1
    mkdir -p "$sysroot/static"
    ln -f "$sysroot/usr/lib/gcc/$triple/10/"{libstdc++.a,libgcc_eh.a} "$sysroot/usr/lib/$triple/libarchive.a" \
        "$sysroot/static/"
    cat >"$compiler/usr/local/bin/gcc" <<END
#!/bin/sh
case " \$* " in
*" -static-pie "*) ;; # the start-up code of -static-pie allows no library path
*) set -- -Wl,--disable-new-dtags,-rpath,'\$ORIGIN/tools/lib:\$ORIGIN/../tools/lib' "\$@" \\
    -Wl,--as-needed -lz -llzma -l:libbz2.so.1.0 ;; # libarchive needs the last three libraries
esac
exec /usr/bin/gcc --sysroot=/sysroot -L/sysroot/static -L/sysroot/lib/$triple -L/sysroot/usr/lib/$triple \\
    -Wl,-rpath-link,/sysroot/lib/$triple:/sysroot/usr/lib/$triple -static-libgcc -ffile-prefix-map=/lanewise=. "\$@"
END
    chmod +x "$compiler/usr/local/bin/gcc"
}

make_roots() {
    local triple
    [ ! -e "$compiler/ready" ] || return 0
    rm -rf "$compiler"
    mkdir -p "$folder/roots"
    echo '  a bare Debian 12, for the compiler'
    make_root bookworm "$compiler"
    echo 'deb-src '"$(debian_mirror)"' bookworm main' >>"$compiler/etc/apt/sources.list"
    install_in_root "$compiler" gcc make linux-libc-dev xz-utils zstd
    in_root "$compiler" sh -c 'mkdir -p /bubblewrap && cd /bubblewrap && apt-get source --download-only bubblewrap &&
        tar -xf *.orig.tar.xz --strip-components=1 && touch config.h' >"$compiler.log" 2>&1 || fail "no source of bubblewrap: $compiler.log"
    echo '  a bare Debian 11, for the libraries'
    make_root bullseye "$sysroot"
    # shellcheck disable=SC2046 # a list of words
    install_in_root "$sysroot" $(needed_packages) libcap-dev
    cp -a "$compiler/usr/include/linux" "$compiler/usr/include/asm-generic" "$sysroot/usr/include/"
    triple=$(in_root "$sysroot" gcc -dumpmachine)
    cp -a "$compiler/usr/include/$triple/asm" "$sysroot/usr/include/$triple/"
    mend_links
    write_gcc "$triple"
    date >"$compiler/ready"
}

# --- the programs ------------------------------------------------------------------------------------------------

copy_sources() {
    rm -rf "$compiler/lanewise"
    mkdir -p "$compiler/lanewise/build"
    (cd "$root" && { git ls-files -z 2>/dev/null || find . -path ./build -prune -o -type f -print0; } |
        tar -c --null -T - --ignore-failed-read 2>/dev/null) | tar -x -C "$compiler/lanewise"
    cp -al "$root/build/cuda" "$compiler/lanewise/build/cuda" 2>/dev/null ||
        cp -a "$root/build/cuda" "$compiler/lanewise/build/cuda"
}

# What set-up would write. The package finds its folder by itself: grader/base/kit.h.
write_config() {
    local home=/lanewise/build/cuda/nvidia/cu13
    printf '#define %s "%s"\n' LANEWISE_ROOT /lanewise LANEWISE_NVCC $home/bin/nvcc LANEWISE_CUDA_HOME $home \
        LANEWISE_CRITERION "$(in_root "$sysroot" dpkg-query -W -f '${source:Upstream-Version}' libcriterion-dev)" \
        >"$compiler/lanewise/build/config.h"
    printf '%s := %s\n' CONFIG_ROOT /lanewise CONFIG_NVCC $home/bin/nvcc CONFIG_CUDA_HOME $home \
        >"$compiler/lanewise/build/config.mk"
}

compile() {
    in_root "$compiler" env PATH=/usr/local/bin:/usr/bin:/bin MAKELEVEL=1 make -C /lanewise -j"$(nproc)" lanewise \
        >"$folder/compile.log" 2>&1 || {
        tail -n 20 "$folder/compile.log" >&2
        fail "the programs could not be compiled; the whole log is $folder/compile.log."
    }
    in_root "$compiler" sh -c 'cd /bubblewrap && /usr/local/bin/gcc -O2 -w -D_GNU_SOURCE -DPACKAGE_STRING="\"bubblewrap\"" \
        -o bwrap bubblewrap.c bind-mount.c network.c utils.c -l:libcap.a' >"$folder/compile.log" 2>&1 || {
        tail -n 20 "$folder/compile.log" >&2
        fail 'bubblewrap could not be compiled.'
    }
}

# --- the package -------------------------------------------------------------------------------------------------


stage_programs() {
    local built=$compiler/lanewise/build
    mkdir -p "$stage/build/lib/remote"
    cp -a "$built/lanewise" "$built/checks" "$built/sources" "$stage/build/"
    cp -a "$built/lib/"libcudart.so* "$built/lib/lanewise-device" "$built/lib/empty" "$stage/build/lib/"
    cp -a "$built/lib/remote/libcudart.so.13" "$stage/build/lib/remote/"
    find "$stage/build" -type f -size +3k -exec sh -c 'for f; do head -c 4 "$f" | grep -q ELF && printf "%s\0" "$f"; done' - {} + |
        xargs -0 -n 20 strip --strip-unneeded 2>/dev/null || true
    ln -s build/lanewise "$stage/lanewise"
}

# Students get no solutions, and each lab's skeleton, even if somebody has worked in this tree.
stage_texts() {
    local lab
    mkdir -p "$stage/grader/report" "$stage/grader/course" "$stage/build/handouts"
    cp -a "$compiler/lanewise/"{LICENSE,labs,shared,handouts} "$stage/"
    find "$stage/handouts" -mindepth 1 ! -name '*.md' -delete 2>/dev/null || true
    for lab in "$stage"/labs/*/; do
        cp "$lab.skeleton.cu" "$(find "$lab" -maxdepth 1 -name '*.cu' ! -name '.*' | head -n 1)"
    done
    cp -a "$compiler/lanewise/grader/report/examples" "$stage/grader/report/"
    cp -a "$compiler/lanewise/grader/course/course.yaml" "$stage/grader/course/"
    cp -a "$compiler/lanewise/grader/editor" "$stage/grader/"
    [ ! -d "$pages" ] || cp -a "$pages/." "$stage/build/handouts/"
    cp "$parts/README.md" "$stage/README.md"
    { sed "s/@VERSION@/$version/" "$parts/package.mk"; sed -n '/^##@ Students/,/^##@ Instructors/p' "$root/Makefile" |
        sed '$d'; } >"$stage/Makefile"
}

# Packs the stage as $1, without the files of $2.
pack() {
    in_root "$compiler" sh -c 'cd /stage && tar -c --sort=name --mtime=@"$1" --owner=0 --group=0 --numeric-owner \
        --mode=u+rwX,go+rX,go-w ${3:+"--exclude=$3"} "$2" | zstd -q -"$4" --long=27 -T2 -f -o /package.zst' \
        - "$epoch" "$name" "$2" "$level" 2>"$folder/pack.log" || fail "tar or zstd failed: $(tail -n 1 "$folder/pack.log")"
    mv "$compiler/package.zst" "$folder/$1"
    echo "  $folder/$1: $(($(stat -c %s "$folder/$1") / 1000000)) MB, sha256 $(sha256sum "$folder/$1" | cut -c 1-16)..."
}

make_roots
copy_sources
write_config
compile
rm -rf "$compiler/stage"
stage_programs
stage_texts
stage_tools
stage_cuda
pack "$name.tar.zst" ''
pack "$name-nocuda.tar.zst" "$name/build/cuda"
rm -rf "$compiler/stage"
