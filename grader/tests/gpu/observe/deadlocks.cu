/* Kernels whose threads wait for ever, each beside the same kernel done right: see races.cuh. A deadlock ends
 * the process's use of the GPU, so that each of them is run alone. */
#include <cooperative_groups.h>
#include <cuda/barrier>

#define ERROR_STATUS 0 /* which is as it should be */
#include "tests/support/races.cuh"

#pragma nv_diag_suppress static_var_with_dynamic_init

namespace cg = cooperative_groups;

#define WAIT(barrier, threads)   asm volatile("bar.sync " #barrier ", " #threads ";" ::: "memory")
#define ARRIVE(barrier, threads) asm volatile("bar.arrive " #barrier ", " #threads ";" ::: "memory")

// deadlock
__global__ void barriers_crossed(int *g)
{
    int t = threadIdx.x;
    if (t < 32) {
        WAIT(1, 64); // B
        g[t] = 1;
        WAIT(2, 64);
    } else {
        WAIT(2, 64); // C
        g[t] = 2;
        WAIT(1, 64);
    }
}

// fine
__global__ void barriers_in_one_order(int *g)
{
    int t = threadIdx.x;
    if (t < 32) {
        WAIT(1, 64);
        g[t] = 1;
        WAIT(2, 64);
    } else {
        WAIT(1, 64);
        g[t] = 2;
        WAIT(2, 64);
    }
}

// deadlock
__global__ void barrier_counts_too_many(int *g)
{
    g[threadIdx.x] = 1;
    WAIT(1, 96); // B
    g[threadIdx.x + 64] = g[63 - threadIdx.x];
}

// fine
__global__ void barrier_counts_all(int *g)
{
    g[threadIdx.x] = 1;
    WAIT(1, 64);
    g[threadIdx.x + 64] = g[63 - threadIdx.x];
}

// deadlock
__global__ void barrier_in_loops_of_two_lengths(int *g)
{
    int t = threadIdx.x;
    for (int i = 0; i < 2 + t / 32; i++) {
        g[t] += i;
        WAIT(1, 64); // B
    }
}

// fine
__global__ void barrier_in_loops_of_one_length(int *g)
{
    int t = threadIdx.x;
    for (int i = 0; i < 2 + (int)blockIdx.x; i++) {
        g[t] += i;
        WAIT(1, 64);
    }
}

// deadlock
__global__ void producer_leaves_first(int *g)
{
    int t = threadIdx.x;
    if (t < 32) {
        WAIT(3, 64); // B
        g[t + 64] = g[t + 32];
    } else {
        g[t] = 1;
        if (g[t] == 0)
            ARRIVE(3, 64);
    }
}

// fine
__global__ void producer_arrives(int *g)
{
    int t = threadIdx.x;
    if (t < 32) {
        WAIT(3, 64);
        g[t + 64] = g[t + 32];
    } else {
        g[t] = 1;
        ARRIVE(3, 64);
    }
}

// deadlock
__global__ void halves_wait_for_each_other(int *g)
{
    int t = threadIdx.x;
    if (t % 32 < 16) {
        __syncwarp(); // B
        g[t] = 1;
    } else {
        cg::this_thread_block().sync(); // C
        g[t] = 2;
    }
}

// fine
__global__ void halves_wait_for_themselves(int *g)
{
    int t = threadIdx.x;
    if (t % 32 < 16) {
        __syncwarp(0x0000ffffu);
        g[t] = 1;
    } else {
        __syncwarp(0xffff0000u);
        g[t] = 2;
    }
    cg::this_thread_block().sync();
}

// deadlock
__global__ void arrivals_are_too_few(int *g)
{
    __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
    if (threadIdx.x == 0)
        init(&barrier, 65);
    __syncthreads();
    g[threadIdx.x] = 1;
    barrier.arrive_and_wait(); // B
}

// fine
__global__ void arrivals_are_enough(int *g)
{
    __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
    if (threadIdx.x == 0)
        init(&barrier, 64);
    __syncthreads();
    g[threadIdx.x] = 1;
    barrier.arrive_and_wait();
}

// deadlock
__global__ void producer_arrives_elsewhere(int *g)
{
    int t = threadIdx.x;
    if (t < 32) {
        WAIT(3, 64); // B
        g[t + 64] = g[t + 32];
    } else {
        g[t] = 1;
        ARRIVE(4, 64);
    }
}

// deadlock
__global__ void producer_makes_fewer_rounds(int *g)
{
    int t = threadIdx.x;
    for (int i = 0; i < 4; i++) {
        if (t >= 32) {
            g[t] = i;
            if (i < 3)
                ARRIVE(3, 64);
        } else {
            WAIT(3, 64); // B
            g[t + 64] = i;
        }
    }
}

// fine
__global__ void producer_makes_all_rounds(int *g)
{
    int t = threadIdx.x;
    for (int i = 0; i < 4; i++) {
        if (t >= 32) {
            g[t] = i;
            ARRIVE(3, 64);
        } else {
            WAIT(3, 64);
            g[t + 64] = i;
        }
        __syncthreads();
    }
}

__managed__ int answer; /* main()'s to write, while the kernel waits */

// deadlock
__global__ void waits_for_main(int *g)
{
    while (!*(volatile int *)&answer) // B
        ;
    g[threadIdx.x] = answer;
}

// fine
__global__ void asks_main_once(int *g)
{
    g[threadIdx.x] = *(volatile int *)&answer;
}

static const kernel_row rows[] = {
    ROW(barriers_crossed, 1, 64),
    ROW(barriers_in_one_order, 1, 64),
    ROW(barrier_counts_too_many, 1, 64),
    ROW(barrier_counts_all, 1, 64),
    ROW(barrier_in_loops_of_two_lengths, 1, 64),
    ROW(barrier_in_loops_of_one_length, 2, 64),
    ROW(producer_leaves_first, 1, 64),
    ROW(producer_arrives, 1, 64),
    ROW(halves_wait_for_each_other, 1, 32),
    ROW(halves_wait_for_themselves, 1, 32),
    ROW(arrivals_are_too_few, 1, 64),
    ROW(arrivals_are_enough, 1, 64),
    ROW(producer_arrives_elsewhere, 1, 64),
    ROW(producer_makes_fewer_rounds, 1, 64),
    ROW(producer_makes_all_rounds, 1, 64),
    ROW(waits_for_main, 2, 64),
    ROW(asks_main_once, 2, 64),
};

int main(int argc, char **argv)
{
    return run_all(rows, sizeof rows / sizeof *rows, argc, argv);
}
