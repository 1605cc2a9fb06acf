# What a package brings along from Debian 11 and from NVIDIA. Sourced by build.sh.
#
#   build/tools/bin/g++     a script that starts the host compiler below with the right paths
#   build/tools/bin/bwrap   bubblewrap, for the sandbox
#   build/tools/lib/        the libraries of all programs in the package, except the C library
#   build/tools/root/       the host compiler: a small part of a Debian 11 with its gcc
#   build/tools/licenses/   the licences of all of that
#   build/cuda/             nvcc

# The compiler: programs, their files, start files and the C library's link-time files. $triple is expanded.
host_files='
usr/bin/$triple-g++-10
usr/bin/$triple-as
usr/bin/$triple-ld.bfd
usr/lib/gcc/$triple/10/cc1plus
usr/lib/gcc/$triple/10/collect2
usr/lib/gcc/$triple/10/crt*.o
usr/lib/gcc/$triple/10/include
usr/lib/gcc/$triple/10/libgcc.a
usr/lib/gcc/$triple/10/libgcc_eh.a
usr/lib/gcc/$triple/10/libgcc_s.so
usr/lib/gcc/$triple/10/libstdc++.a
usr/lib/$triple/*crt*.o
usr/lib/$triple/libc.so
usr/lib/$triple/libm.so
usr/lib/$triple/libc_nonshared.a
usr/lib/$triple/lib*-2.31.so
usr/lib/$triple/ld-2.31.so
usr/lib/$triple/libc.so.6
usr/lib/$triple/libm.so.6
usr/lib/$triple/libmvec.so.1
usr/lib/$triple/libpthread.so.0
usr/lib/$triple/libdl.so.2
usr/lib/$triple/librt.so.1
usr/lib/$triple/libpthread.so
usr/lib/$triple/libpthread.a
usr/lib/$triple/libdl.so
usr/lib/$triple/librt.so
usr/lib/$triple/libgcc_s.so.1
usr/lib/$triple/ld-linux-*
lib
lib64
usr/lib64
'
# Packages whose headers a CUDA program may include.
header_packages='libc6-dev linux-libc-dev libstdc++-10-dev libcrypt-dev'

# The libraries of these programs that are not part of the C library, as paths in the Debian 11.
needed_libraries() {
    in_root "$sysroot" sh -c 'for program; do ldd "$program"; done' - "$@" |
        sed -n 's/.* => \(\/[^ ]*\) .*/\1/p' | grep -v '/empty/' |
        grep -vE '/(libc|libm|libmvec|libpthread|libdl|librt|libanl|libresolv|ld-linux[^/]*)\.so\.[0-9]+$' | sort -u
}

stage_libraries() {
    local triple=$1 library
    rm -rf "$sysroot/stage"
    cp -al "$compiler/stage/$name" "$sysroot/stage"
    # shellcheck disable=SC2046,SC2016
    needed_libraries $(cd "$sysroot" && printf '/%s\n' stage/build/lanewise stage/build/checks/* \
        stage/build/lib/libcudart.so.13 "usr/lib/gcc/$triple/10/cc1plus" "usr/bin/$triple-as" \
        "usr/bin/$triple-ld.bfd" "usr/bin/$triple-g++-10") >"$folder/libraries"
    rm -rf "$sysroot/stage"
    echo "/usr/lib/$triple/libgcc_s.so.1" >>"$folder/libraries" # for nvcc
    while read -r library; do
        cp -L "$sysroot$library" "$stage/build/tools/lib/"
    done <"$folder/libraries"
}

stage_host_compiler() {
    local triple=$1 file pattern to=$stage/build/tools/root
    mkdir -p "$to"
    while read -r pattern; do
        [ -n "$pattern" ] || continue
        (cd "$sysroot" && eval "printf '%s\n' $pattern") | while read -r file; do
            [ -e "$sysroot/$file" ] || [ -L "$sysroot/$file" ] || continue
            if [ -d "$sysroot/$file" ] && [ ! -L "$sysroot/$file" ] || [ "$file" = usr/lib64 ]; then
                mkdir -p "$to/$file" && cp -a "$sysroot/$file/." "$to/$file/"
            else
                mkdir -p "$to/$(dirname "$file")" && cp -a "$sysroot/$file" "$to/$file"
            fi
        done
    done <<<"$host_files"
    # shellcheck disable=SC2086
    in_root "$sysroot" sh -c 'dpkg -L "$@"' - $header_packages | grep '^/usr/include/' | while read -r file; do
        [ ! -f "$sysroot$file" ] && [ ! -L "$sysroot$file" ] || echo ".$file"
    done | tar -c -C "$sysroot" -T - | tar -x -C "$to"
    cp -a "$sysroot/usr/include/linux" "$sysroot/usr/include/asm-generic" "$to/usr/include/"
    find "$to" \( -name '*.a' -o -name '*.o' \) -type f -exec strip --strip-debug -D {} + # saves 7 MB
    ln -s "$triple-as" "$to/usr/bin/as"
    ln -s "$triple-ld.bfd" "$to/usr/bin/ld"
    sed "s/@TRIPLE@/$triple/g" "$parts/g++" >"$stage/build/tools/bin/g++"
    chmod 755 "$stage/build/tools/bin/g++"
}

stage_licenses() {
    local to=$stage/build/tools/licenses package
    mkdir -p "$to"
    # shellcheck disable=SC2046
    in_root "$sysroot" sh -c 'dpkg -S "$@" 2>/dev/null | sed "s/:.*//" | sort -u' - \
        $(cat "$folder/libraries") $(sed 's|^/lib/|/usr/lib/|' "$folder/libraries") \
        /usr/bin/as /usr/bin/g++-10 /usr/include/stdio.h /usr/include/linux/types.h >"$folder/packages"
    while read -r package; do
        cp -L "$sysroot/usr/share/doc/$package/copyright" "$to/$package" 2>/dev/null || true
    done <"$folder/packages"
    cp "$compiler/bubblewrap/COPYING" "$to/bubblewrap"
}

stage_tools() {
    local triple
    triple=$(in_root "$sysroot" gcc -dumpmachine)
    mkdir -p "$stage/build/tools/bin" "$stage/build/tools/lib"
    cp "$compiler/bubblewrap/bwrap" "$stage/build/tools/bin/bwrap"
    strip "$stage/build/tools/bin/bwrap"
    stage_libraries "$triple"
    stage_host_compiler "$triple"
    stage_licenses
}

# Copies nvcc and the programs that it starts, without libnvvm, which only programs that compile at run time need.
stage_cuda() {
    cp -a "$compiler/lanewise/build/cuda" "$stage/build/cuda"
    find "$stage/build/cuda" \( -name 'libnvvm.so*' -o -name __pycache__ -o -name 'RECORD' -o -name INSTALLER \
        -o -name REQUESTED \) -exec rm -rf {} +
}
