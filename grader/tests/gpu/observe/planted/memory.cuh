/* For programs whose kernels fail. Each kernel and each function runs in a process of its own, with N new ints G
 * that are 0. */
#pragma once

#include "tests/support/kernel_rows.cuh"

#define N 1000

static int *g, host[2 * N];

static void allocate()
{
    cudaMalloc(&g, N * sizeof *g);
    cudaMemset(g, 0, N * sizeof *g);
}

#define LAUNCH(kernel, blocks, threads, ...)                                                       \
    apart([] {                                                                                     \
        allocate();                                                                                \
        kernel<<<blocks, threads, ##__VA_ARGS__>>>(g, N);                                          \
    })
/* The comment keeps gcc from merging equal calls at the ends of two functions: they would have one line. */
#define CALL(function)                                                                             \
    apart([] {                                                                                     \
        allocate();                                                                                \
        function();                                                                                \
        asm volatile("# " #function);                                                              \
    })
