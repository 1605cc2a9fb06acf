#!/usr/bin/env bash
# Builds other people's programs, unmodified, for the launches of others.tsv. Their code is not part of this project:
#
#   build.sh HECBENCH POLYBENCH SAMPLES PROGRAMS
#
# The first three are checkouts of
#   github.com/zjin-lcf/HeCBench             f27000a5188f8ac79bd43fc95a1b3f890c18823d
#   github.com/cavazos-lab/PolyBench-ACC     70ea4ca9047dc4ec9c3ca79b4c91b3b2cc1510e7
#   github.com/NVIDIA/cuda-samples           c94ff366aed18c797b8a85dfaac7817b0228b420
# `runs` lists the programs with their arguments, which are smaller than those of their makefiles.
set -u
hec=$1 poly=$2 samples=$3/Samples programs=$4
runs=$(realpath "$(dirname "$0")/runs")
mkdir -p "$programs"
programs=$(realpath "$programs")

build() { # NAME ARGUMENTS: CUDA 13 has no cudaThreadSynchronize()
    local name=$1
    shift
    nvcc -O3 -lineinfo -std=c++17 -arch=sm_90 -cudart shared -DcudaThreadSynchronize=cudaDeviceSynchronize \
        -o "$programs/$name" "$@" || echo "$name: not built" >&2
}

# The sources that a makefile of HeCBench lists.
sources() {
    awk '/^source/ { on = 1 } on { print } on && !/\\$/ { exit }' Makefile | sed 's/^source *= *//; s/\\//g' | tr '\n' ' '
}

for name in $(awk '!/^#/ { print $3 }' "$runs" | grep -v '^poly_\|^sdk_' | sort -u); do
    (cd "$hec/src/$name-cuda" && build "$name" -I. -I../qkv-cuda -I../rmsnorm-cuda $(sources))
done

polybench() { # NAME FOLDER FLAGS
    build "poly_$1" -I"$poly/common" -I"$poly/CUDA/utilities" -DPOLYBENCH_TIME "${@:3}" "$poly/CUDA/$2/$1.cu"
}

kernels=linear-algebra/kernels
polybench gemm $kernels/gemm -DSMALL_DATASET
for name in syrk syr2k 2mm; do
    polybench $name $kernels/$name -DMINI_DATASET
done
for name in atax bicg mvt gesummv gemver; do
    polybench $name $kernels/$name -DSMALL_DATASET
done
for name in correlation covariance; do
    polybench $name datamining/$name -DMINI_DATASET
done
# These sizes cannot be given by -D, because CUDA's headers use the same names.
sized() { # NAME FOLDER SIZE...
    local before=$programs/$1.h
    printf '#include <%s>\n' cuda_runtime.h stdio.h math.h stdlib.h >"$before"
    printf '#define %s %s\n' "${@:3}" >>"$before"
    polybench "$1" "$2" -include "$before"
}
sized 2DConvolution stencils/convolution-2d NI 2048 NJ 2048
sized fdtd2d stencils/fdtd-2d TMAX 2 NX 1024 NY 1024
sized jacobi2D stencils/jacobi-2d-imper TSTEPS 2 N 1024
sized jacobi1D stencils/jacobi-1d-imper TSTEPS 2 N 65536

build sdk_transpose -I"$3/Common" "$samples/6_Performance/transpose/transpose.cu"
build sdk_scalarProd -I"$3/Common" "$samples"/2_Concepts_and_Techniques/scalarProd/scalarProd{.cu,_cpu.cpp}
build sdk_shfl_scan -I"$3/Common" "$samples/2_Concepts_and_Techniques/shfl_scan/shfl_scan.cu"
build sdk_reduction -I"$3/Common" "$samples"/2_Concepts_and_Techniques/reduction/reduction{.cpp,_kernel.cu}
build sdk_fastWalsh -I"$3/Common" "$samples"/5_Domain_Specific/fastWalshTransform/fastWalshTransform{.cu,_gold.cpp}
