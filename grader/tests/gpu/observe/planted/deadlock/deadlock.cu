/* Threads that wait for other threads forever. */
#include <cooperative_groups.h>
#include <cuda/barrier>

#include "tests/support/kernel_rows.cuh"

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
    g += 64 * blockIdx.x;
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

// fine
__global__ void barrier_of_a_group_for_all(int *g)
{
    cg::thread_block block = cg::this_thread_block();
    g[threadIdx.x] = threadIdx.x;
    block.sync();
    g[threadIdx.x + 64] = g[63 - threadIdx.x];
}

__managed__ int answer; /* main() may write it while the kernel waits */

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

// deadlock
__global__ void half_a_block_waits_for_the_block(int *g)
{
    cg::cluster_group cluster = cg::this_cluster();
    if (threadIdx.x < 32)
        __syncthreads(); // C
    g[threadIdx.x] = 1;
    cluster.sync(); // B
}

// deadlock
__global__ void a_block_never_arrives(int *g)
{
    volatile int *never = g + 100;
    cg::cluster_group cluster = cg::this_cluster();
    if (cluster.block_rank() == 1)
        while (!*never) // C
            ;
    cluster.sync(); // B
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
    ROW(barrier_of_a_group_for_all, 1, 64),
    ROW(waits_for_main, 2, 64),
    ROW(asks_main_once, 2, 64),
    PAIR(half_a_block_waits_for_the_block),
    PAIR(a_block_never_arrives),
};

int main(int argc, char **argv)
{
    return run_all(rows, sizeof rows / sizeof *rows, argc, argv);
}
