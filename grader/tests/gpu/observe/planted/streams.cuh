/* For programs whose work is in streams. Each function runs in a process of its own. It has N ints in managed memory
 * (M), in page-locked memory (P) and on the device (D), two streams that wait for the default stream (A, B), two
 * streams that do not (X, Y), and an event (E). */
#pragma once

#include <cstdio>
#include <cstdlib>

#include "tests/support/kernel_rows.cuh"

#define N 4096

static int *m, *p, *d, pageable[N];
static cudaStream_t a, b, x, y;
static cudaEvent_t e;
static volatile int seen;

static __global__ void fill(int *to, int value, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        to[i] = value;
}

static __global__ void add(const int *from, int *to, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        to[i] += from[i];
}

static __global__ void count(int *counter)
{
    atomicAdd(counter, 1);
}

static __global__ void signal(volatile int *flag, int *data)
{
    *data = 7;
    __threadfence_system();
    *flag = 1;
}

#define BLOCKS(n) ((n) + 255) / 256, 256

static void prepare()
{
    cudaMallocManaged(&m, N * sizeof *m);
    cudaMallocHost(&p, N * sizeof *p);
    cudaMalloc(&d, N * sizeof *d);
    memset(m, 0, N * sizeof *m);
    memset(p, 0, N * sizeof *p);
    cudaMemset(d, 0, N * sizeof *d);
    cudaStreamCreate(&a);
    cudaStreamCreate(&b);
    cudaStreamCreateWithFlags(&x, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&y, cudaStreamNonBlocking);
    cudaEventCreate(&e);
    cudaDeviceSynchronize();
}

/* The comment keeps gcc from merging equal calls at the ends of two functions: they would have one line. */
#define CALL(function)                                                                             \
    apart([] {                                                                                     \
        prepare();                                                                                 \
        function();                                                                                \
        asm volatile("# " #function);                                                              \
    })
