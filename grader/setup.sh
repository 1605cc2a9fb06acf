#!/usr/bin/env bash
# Set-up for a purpose: checks what the purpose needs, and installs only what is missing.
#
#   grader/setup.sh [grade|test|check|autograder|slurm|bench|fuzz|arm64|handouts|handouts-pdf|editor|dist|container]
#
# make calls it when needed. If you run it by hand, it checks everything again. It tries each command
# and library (a program that uses the library must link and start) instead of asking for installed
# packages, so libraries in other places (CPATH, LIBRARY_PATH, LD_LIBRARY_PATH) count, too. Missing
# Debian packages are installed with apt. A missing nvcc comes from NVIDIA's own packages on PyPI,
# which are unpacked into build/cuda.
#
# Writes build/config.mk (for make), build/config.h (for the C code) and build/setup/PURPOSE.
# Exit code: 0 ready; 2 something could not be installed, and the last lines say what to do.
#
# LANEWISE_HIDE_CUDA=1 ignores every nvcc except the one in build/cuda. Tests of the download use it.
set -u
root=$(cd "$(dirname "$0")/.." && pwd)
purpose=${1:-grade}

# The needs of each purpose: purpose | probe and its arguments | Debian packages | reason.
needs='
grade    | runs gcc --version                            | gcc libc6-dev       | the C compiler that builds Lanewise
grade    | runs g++ --version                            | g++                 | the C++ compiler that nvcc works with
grade    | runs make --version                           | make                | the build
grade    | links stdio.h puts                            | libc6-dev           | the C library
grade    | links criterion/criterion.h criterion_initialize -lcriterion | libcriterion-dev | the checks of the labs, and our own tests
grade    | links jansson.h json_object -ljansson         | libjansson-dev      | reading and writing JSON
grade    | links nettle/sha2.h nettle_sha256_init -lnettle | nettle-dev        | the SHA-256 of a submission
grade    | links seccomp.h seccomp_init -lseccomp       | libseccomp-dev      | the sandbox: filters system calls
grade    | links sqlite3.h sqlite3_open -lsqlite3       | libsqlite3-dev      | storing the grades of a class
grade    | links archive.h archive_version_number -larchive | libarchive-dev  | reading submissions in zip and tar files
grade    | links csv.h csv_init -lcsv                   | libcsv-dev          | reading lists of students
grade    | links unistr.h u8_check -lunistring          | libunistring-dev    | comparing names in any language
grade    | runs bwrap --version                          | bubblewrap          | the sandbox: limits files and processes
grade    | links yaml.h yaml_parser_load -lyaml         | libyaml-dev         | reading course files
grade    | links png.h png_image_write_to_memory -lpng | libpng-dev        | pictures in reports
grade    | links lz4.h LZ4_versionNumber -llz4           | liblz4-dev          | unpacking the PTX inside programs
grade    | links zstd.h ZSTD_versionNumber -lzstd        | libzstd-dev         | unpacking the PTX inside programs
grade    | links zlib.h compress2 -lz                   | zlib1g-dev          | packing recordings for `lanewise step`
grade    | links mpfr.h mpfr_get_version -lmpfr          | libmpfr-dev         | correctly rounded results to compare with
grade    | links gelf.h elf_version -lelf                | libelf-dev          | listing the symbols that a program defines
grade    | links elfutils/libdwfl.h dwfl_begin -ldw     | libdw-dev           | finding the line of a program that made a call
test     | runs chromium --version                       | chromium            | opening reports in a browser
test     | runs tidy --version                           | tidy                | checking that handouts are valid HTML
test     | imports jsonschema                            | python3-jsonschema  | checking JSON for learning systems
test     | runs unzip -v                                | unzip               | inspecting packed autograders
test     | runs xmllint --version                        | libxml2-utils       | checking XML for learning systems
test     | runs bsdtar --version                         | libarchive-tools    | making zip and tar files
test     | spells                                        | hunspell hunspell-en-gb | checking the spelling of handouts
test     | runs pdffonts -v                              | poppler-utils       | inspecting printed handouts
wheels   | runs python3 -m pip --version                 | python3-pip         | downloading the CUDA compiler
autograder | runs zip -v                                | zip                 | packing an autograder
check    | runs clang-format --version                   | clang-format        | the format of the sources
slurm    | runs slurmctld -V                             | slurm-wlm           | a cluster to try `lanewise batch --slurm` on
slurm    | runs munged --version                         | munge               | authentication in that cluster
bench    | runs oclgrind --version                       | oclgrind            | an emulator to compare ours with
bench    | runs test -e /etc/OpenCL/vendors/pocl.icd      | pocl-opencl-icd     | native code to compare ours with
bench    | links CL/cl.h clGetPlatformIDs -lOpenCL       | ocl-icd-opencl-dev opencl-headers | building programs for Oclgrind
fuzz     | runs clang --version                         | clang libclang-rt-dev | fuzzing
editor   | runs clangd --version                         | clangd              | completion and errors in an editor
dist     | runs debootstrap --version                    | debootstrap         | bare Debian systems to build and try packages in
dist     | runs strip --version                          | binutils            | smaller programs in packages
container | runs podman --version                        | podman              | running containers
container | runs runc --version                          | runc                | starting them
arm64    | runs aarch64-linux-gnu-g++ --version         | gcc-aarch64-linux-gnu g++-aarch64-linux-gnu | building for arm64
arm64    | runs qemu-aarch64-static --version            | qemu-user-static binfmt-support | running arm64 programs
arm64    | runs python3 -m pip --version                 | python3-pip         | downloading the CUDA runtime for arm64
handouts | runs pandoc --version                         | pandoc              | making pages from handouts
handouts | font tex-gyre/texgyrepagella-regular.otf      | fonts-texgyre       | the font of the handouts
handouts | font tex-gyre-math/texgyrepagella-math.otf    | fonts-texgyre-math  | the font of their formulas
handouts | imports fontTools brotli                       | python3-fonttools python3-brotli | making fonts for browsers
handouts-pdf | runs chromium --version                   | chromium            | printing handouts
handouts-pdf | runs pdfinfo -v                           | poppler-utils       | the page numbers in the table of contents
'
purposes='grade test check autograder slurm bench fuzz arm64 handouts handouts-pdf editor dist container'

# One pinned CUDA release: the compiler, its libraries, the runtime's headers and library, and two
# small packages of headers, for cooperative_groups.h and cuda_profiler_api.h.
cuda_major=13
wheels='nvidia-cuda-nvcc==13.0.88 nvidia-nvvm==13.0.88 nvidia-cuda-crt==13.0.88
    nvidia-cuda-runtime==13.0.96 nvidia-cuda-cccl==13.0.85 nvidia-cuda-profiler-api==13.0.85'
wheels_size='100 MB to download, 280 MB on disk'
wheels_home=$root/build/cuda/nvidia/cu$cuda_major

work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT

say() {
    printf '%s\n' "$@"
}

fail() {
    printf '%s\n' "$@" >&2
    exit 2
}

# --- probes: silent, true if the thing exists and works --------------------------------------------------

runs() {
    "$@" >"$work/log" 2>&1
}

# links HEADER SYMBOL [-lLIBRARY]: a program that uses SYMBOL compiles, links and starts.
links() {
    printf '#include <%s>\nint main(void)\n{\n    void *volatile used = (void *)%s;\n    return !used;\n}\n' \
        "$1" "$2" >"$work/probe.c"
    runs gcc -D_GNU_SOURCE -DCL_TARGET_OPENCL_VERSION=120 -o "$work/probe" "$work/probe.c" ${3:+"$3"} &&
        runs "$work/probe"
}

# True if the spelling checker has British English.
spells() {
    printf 'colour\n' | runs hunspell -d en_GB -l
}

# imports MODULE...: Debian's Python has these modules; another one in the PATH may not.
imports() {
    local module
    for module; do
        runs /usr/bin/python3 -c "import $module" || return
    done
}

# font FILE: the font is where Debian puts it and where handouts/rules.mk expects it.
font() {
    test -r "/usr/share/texmf/fonts/opentype/public/$1"
}

trim() {
    read -r trimmed <<<"$1"
    printf '%s' "$trimmed"
}

# --- Debian packages --------------------------------------------------------------------------------------

# What a probe looks for, in words that hold on every system.
thing() {
    case $1 in
    runs) printf 'the command %s' "$2" ;;
    links) printf 'the library %s with its header %s' "${4:-of C}" "$2" ;;
    imports) shift && printf "Python's %s" "$*" ;;
    font) printf 'the font %s' "$2" ;;
    *) printf '%s' "$*" ;;
    esac
}

# Sets missing_packages, missing_reasons and missing_things for the needs of these purposes.
find_missing() {
    missing_packages=() missing_reasons=() missing_things=()
    local need probe packages reason package
    while IFS='|' read -r need probe packages reason; do
        case " $* " in *" $(trim "$need") "*) ;; *) continue ;; esac
        # shellcheck disable=SC2086 # a probe is a command and its arguments
        $probe && continue
        # shellcheck disable=SC2086
        missing_things+=("  $(thing $probe)")
        for package in $packages; do
            case " ${missing_packages[*]:-} " in *" $package "*) continue ;; esac
            missing_packages+=("$package")
            missing_reasons+=("$(printf '  %-20s %s' "$package" "$(trim "$reason")")")
        done
    done <<<"$needs"
}

# Runs a command as root: directly, or through sudo if that can work.
as_root() {
    if [ "$(id -u)" = 0 ]; then
        "$@"
    else
        sudo "$@"
    fi
}

can_be_root() {
    [ "$(id -u)" = 0 ] || { runs sudo --version && { runs sudo -n true || [ -t 0 ]; }; }
}

# make may start two set-ups at the same time, but only one apt-get can run at a time. This script holds
# a lock until it ends. Commands that it starts must not inherit the lock (9<&-): a service that apt
# starts would hold it for ever.
wait_for_turn() {
    exec 9<"$root/grader/setup.sh" && runs flock 9
}

# Installs what these purposes still need.
require() {
    find_missing "$@"
    [ ${#missing_packages[@]} = 0 ] && return
    wait_for_turn && find_missing "$@" # another set-up may have installed it
    [ ${#missing_packages[@]} = 0 ] && return
    local command="apt-get install -y --no-install-recommends ${missing_packages[*]}"
    say "\"make $purpose\" needs these Debian packages:" "${missing_reasons[@]}"
    runs apt-get --version ||
        fail "This machine has no apt-get, and its packages may have other names. It lacks:" "${missing_things[@]}"
    can_be_root || fail 'Only root can install them. Run this as root, then try again:' "  $command"
    say "Installing them: $command"
    as_root apt-get update -qq 9<&- || say 'apt-get update failed; trying the package lists from the last update.'
    # A new machine may be upgrading itself: apt-get waits up to five minutes for that.
    # shellcheck disable=SC2086
    as_root env DEBIAN_FRONTEND=noninteractive $command -o DPkg::Lock::Timeout=300 >"$work/apt" 2>&1 9<&- || {
        tail -n 20 "$work/apt" >&2
        fail 'apt-get could not install them. Solve the problem above and try again, or run as root:' \
            "  $command"
    }
    find_missing "$@"
    [ ${#missing_packages[@]} = 0 ] || {
        cat "$work/log" >&2
        fail 'These packages are installed but still do not work:' "${missing_reasons[@]}"
    }
}

# --- nvcc -------------------------------------------------------------------------------------------------

# True if $1 is an nvcc of the right release that can compile a kernel. Otherwise why_not says why not.
nvcc_works() {
    why_not="it is not release $cuda_major"
    "$1" --version 2>/dev/null | grep -q "release $cuda_major\." || return
    printf '#include <cuda_runtime.h>\n__global__ void probe(int *p)\n{\n    *p = 1;\n}\n' >"$work/probe.cu"
    runs "$1" -c -o "$work/probe.o" "$work/probe.cu" && return
    why_not="it cannot compile a kernel: $(grep -m 1 -i error "$work/log" || tail -n 1 "$work/log")"
    return 1
}

# Lists the paths of existing nvccs, one per line, in order of preference: $NVCC, in PATH, in
# $CUDA_HOME, in the usual place, and our own download.
nvcc_places() {
    local place
    if [ "${LANEWISE_HIDE_CUDA:-}" = 1 ]; then
        set --
    else
        set -- "${NVCC:-}" "$(type -P nvcc)" "${CUDA_HOME:+$CUDA_HOME/bin/nvcc}" /usr/local/cuda/bin/nvcc
    fi
    for place in "$@" "$wheels_home/bin/nvcc"; do
        [ -x "$place" ] && printf '%s\n' "$place"
    done
}

# Sets nvcc to the first one that works.
find_nvcc() {
    while read -r nvcc; do
        nvcc_works "$nvcc" && return
        say "Not using $nvcc: $why_not"
    done < <(nvcc_places)
    return 1
}

# Downloads nvcc into another folder and then renames that to build/cuda, so that build/cuda is never
# incomplete.
download_nvcc() {
    local part=$root/build/cuda.part
    say "No nvcc of release $cuda_major on the PATH, in \$CUDA_HOME or in /usr/local/cuda." \
        "Downloading NVIDIA's own packages from PyPI into build/cuda ($wheels_size):"
    # shellcheck disable=SC2086
    printf '  %s\n' $wheels
    require wheels
    rm -rf "$part" "$root/build/cuda"
    mkdir -p "$root/build"
    # shellcheck disable=SC2086
    PIP_ROOT_USER_ACTION=ignore PIP_DISABLE_PIP_VERSION_CHECK=1 python3 -m pip install --quiet \
        --no-deps --only-binary=:all: --no-compile --target "$part" $wheels >"$work/pip" 2>&1 || {
        cat "$work/pip" >&2
        rm -rf "$part"
        fail 'pip could not download the CUDA compiler. Try again when this machine can reach PyPI, or install' \
            "CUDA $cuda_major yourself and put its nvcc on the PATH or its folder into CUDA_HOME."
    }
    # nvcc looks for libraries in lib64 and links -lcudart, but the packages have lib and libcudart.so.13.
    ln -s lib "$part/nvidia/cu$cuda_major/lib64"
    ln -s "libcudart.so.$cuda_major" "$part/nvidia/cu$cuda_major/lib/libcudart.so"
    mv "$part" "$root/build/cuda"
    nvcc=$wheels_home/bin/nvcc
    nvcc_works "$nvcc" || {
        fail "The downloaded nvcc does not work: $why_not"
    }
}

# Asks nvcc for its toolkit's folder, because nvcc may be a link or a script in another folder.
cuda_home_of() {
    local top
    top=$("$1" --dryrun -x cu /dev/null 2>&1 | sed -n 's/^#\$ TOP=//p')
    realpath -e "${top:-$(dirname "$1")/..}"
}

# Criterion's version: any executable that is linked with Criterion prints it.
criterion_version() {
    printf '#include <criterion/criterion.h>\nTest(a, b)\n{\n}\n' >"$work/probe.c"
    gcc -o "$work/probe" "$work/probe.c" -lcriterion && "$work/probe" --version 2>&1 | sed -n 's|.*Criterion v||p'
}

# --- the record of what was found ---------------------------------------------------------------------------

# Replaces file $1 with standard input. An equal file is left alone, because make compares its time.
write_if_changed() {
    cat >"$work/new"
    cmp -s "$work/new" "$1" || cp "$work/new" "$1"
}

write_config() {
    local home
    home=$(cuda_home_of "$nvcc") || fail "Cannot find the CUDA toolkit of $nvcc."
    mkdir -p "$root/build"
    write_if_changed "$root/build/config.h" <<END
/* Written by grader/setup.sh: what it found on this machine. */
#define LANEWISE_ROOT "$root"
#define LANEWISE_NVCC "$nvcc"
#define LANEWISE_CUDA_HOME "$home"
#define LANEWISE_CRITERION "$(criterion_version)"
END
    cat >"$work/config.mk" <<END
# Written by grader/setup.sh: what it found on this machine.
CONFIG_ROOT := $root
CONFIG_NVCC := $nvcc
CONFIG_CUDA_HOME := $home
END
    mv "$work/config.mk" "$root/build/config.mk"
}

case " $purposes " in
*" $purpose "*) ;;
*) fail "grader/setup.sh: unknown purpose \"$purpose\"; the purposes are: $purposes" ;;
esac

if [ "$purpose" = grade ]; then
    # Ask for both together, so that a user without root runs apt-get by hand only once.
    if [ -n "$(nvcc_places)" ]; then
        require grade
    else
        require grade wheels
    fi
    find_nvcc || download_nvcc
    write_config
else
    require "$purpose"
    # A package contains NVIDIA's compiler, not the one of this machine.
    [ "$purpose" != dist ] || [ -x "$wheels_home/bin/nvcc" ] || download_nvcc
fi
mkdir -p "$root/build/setup"
date >"$root/build/setup/$purpose"
