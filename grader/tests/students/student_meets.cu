/* Barriers, mbarriers and groups that wait for threads which never come, each beside the same kernel done right:
 * see kernel_rows.cuh. */
#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda_pipeline.h>

#include "tests/support/kernel_rows.cuh"

#pragma nv_diag_suppress static_var_with_dynamic_init

namespace cg = cooperative_groups;

#define OUT 0x2000

#define WAIT(id, threads)                                                                          \
    asm volatile("bar.sync %0, %1;" ::"r"((int)(id)), "r"((int)(threads)) : "memory")
#define ARRIVE(id, threads)                                                                        \
    asm volatile("bar.arrive %0, %1;" ::"r"((int)(id)), "r"((int)(threads)) : "memory")

using barrier_t = cuda::barrier<cuda::thread_scope_block>;

/* --- numbered barriers ----------------------------------------------------------------------------- */

// deadlock
__global__ void three_warps_at_a_barrier_of_two(int *g)
{
    int t = threadIdx.x;
    g[t] = t;
    WAIT(1, 64); // B
    g[OUT + t] = g[t ^ 32];
}

// fine
__global__ void four_warps_at_two_barriers(int *g)
{
    int t = threadIdx.x;
    g[t] = t;
    WAIT(1 + t / 64, 64);
    g[OUT + t] = g[t ^ 32];
}

// deadlock
__global__ void warp_returns_before_its_barrier(int *g)
{
    int t = threadIdx.x;
    if (t >= 32 && g[t] == 0)
        return;
    g[t] = t;
    WAIT(1, 64); // B
    g[OUT + t] = g[t ^ 32];
}

// fine
__global__ void warp_returns_behind_its_barrier(int *g)
{
    int t = threadIdx.x;
    g[t] = t;
    WAIT(1, 64);
    if (t >= 32 && g[t] == 32)
        return;
    g[OUT + t] = g[t ^ 32];
}

// deadlock
__global__ void nobody_says_first_that_it_is_empty(int *g)
{
    __shared__ int slot[32];
    int lane = threadIdx.x % 32;
    for (int k = 0; k < 4; k++) {
        if (threadIdx.x < 32) {
            WAIT(2, 64); // B
            slot[lane] = k + lane;
            ARRIVE(1, 64);
        } else {
            WAIT(1, 64); // C
            g[OUT + k * 32 + lane] = slot[31 - lane];
            ARRIVE(2, 64);
        }
    }
}

// fine
__global__ void consumer_says_first_that_it_is_empty(int *g)
{
    __shared__ int slot[32];
    int lane = threadIdx.x % 32;
    if (threadIdx.x >= 32)
        ARRIVE(2, 64);
    for (int k = 0; k < 4; k++) {
        if (threadIdx.x < 32) {
            WAIT(2, 64);
            slot[lane] = k + lane;
            ARRIVE(1, 64);
        } else {
            WAIT(1, 64);
            g[OUT + k * 32 + lane] = slot[31 - lane];
            if (k < 3)
                ARRIVE(2, 64);
        }
    }
}

// deadlock
__global__ void trips_by_what_is_there(int *g)
{
    int t = threadIdx.x, trips = 1 + g[t / 32] + t / 64;
    for (int k = 0; k < trips; k++) {
        g[OUT + t] = k;
        WAIT(3, 128); // B
    }
}

// fine
__global__ void trips_by_the_most_of_all(int *g)
{
    __shared__ int most;
    int t = threadIdx.x, trips = 1 + g[t / 32] + t / 64;
    if (t == 0)
        most = 0;
    __syncthreads();
    atomicMax(&most, trips);
    __syncthreads();
    for (int k = 0; k < most; k++) {
        if (k < trips)
            g[OUT + t] = k;
        WAIT(3, 128);
    }
}

/* --- mbarriers -------------------------------------------------------------------------------------- */

// deadlock
__global__ void half_of_them_arrive(int *g)
{
    __shared__ barrier_t barrier;
    int t = threadIdx.x;
    if (t == 0)
        init(&barrier, blockDim.x);
    __syncthreads();
    g[t] = t;
    if (t < 32)
        barrier.arrive_and_wait(); // B
    g[OUT + t] = 1;
}

// fine
__global__ void others_arrive_and_go_on(int *g)
{
    __shared__ barrier_t barrier;
    int t = threadIdx.x;
    if (t == 0)
        init(&barrier, blockDim.x);
    __syncthreads();
    g[t] = t;
    if (t < 32)
        barrier.arrive_and_wait();
    else
        (void)barrier.arrive();
    g[OUT + t] = t < 32 ? g[t + 32] : 0;
}

// deadlock
__global__ void second_phase_of_one(int *g)
{
    __shared__ barrier_t barrier;
    int t = threadIdx.x;
    if (t == 0)
        init(&barrier, 64);
    __syncthreads();
    for (int k = 0; k < 2; k++) {
        if (t < 32) {
            barrier.wait(barrier.arrive()); // B
            g[OUT + t] = g[t + 32];
        } else if (k == 0) {
            g[t] = t;
            (void)barrier.arrive();
        }
    }
}

// fine
__global__ void second_phase_of_those_left(int *g)
{
    __shared__ barrier_t barrier;
    int t = threadIdx.x;
    if (t == 0)
        init(&barrier, 64);
    __syncthreads();
    for (int k = 0; k < 2; k++) {
        if (t < 32) {
            barrier.wait(barrier.arrive());
            g[OUT + t] = g[t + 32];
        } else if (k == 0) {
            g[t] = t;
            barrier.arrive_and_drop();
        }
    }
}

/* --- groups ------------------------------------------------------------------------------------------ */

// fine
__global__ void lanes_in_syncs_of_their_own(int *g)
{
    int lane = threadIdx.x % 32;
    if (lane < 8) {
        g[OUT + lane] = 1;
        __syncwarp(0x000000ffu);
    } else {
        g[OUT + lane] = 2;
        __syncwarp(0xffffff00u);
    }
}

// fine
__global__ void lanes_that_left_are_not_waited_for(int *g)
{
    int lane = threadIdx.x % 32;
    if (lane >= 24)
        return;
    g[OUT + lane] = 1;
    __syncwarp();
    g[OUT + 32 + lane] = g[OUT + 23 - lane];
}

// fine
__global__ void copies_never_committed(int *g)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    __pipeline_memcpy_async(&s[t], &g[t], 4);
    __pipeline_wait_prior(0);
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncthreads();
    g[OUT + t] = s[63 - t];
}

// deadlock
__global__ void tile_waits_for_the_block(int *g)
{
    cg::thread_block block = cg::this_thread_block();
    auto tile = cg::tiled_partition<16>(block);
    g[threadIdx.x] = 1;
    if (tile.meta_group_rank() == 0) {
        tile.sync();
        block.sync(); // B
    } else {
        volatile int *flag = &g[OUT];
        while (*flag == 0) // C
            ;
    }
    if (threadIdx.x == 0)
        g[OUT] = 1;
}

// fine
__global__ void tile_waits_for_the_other(int *g)
{
    cg::thread_block block = cg::this_thread_block();
    auto tile = cg::tiled_partition<16>(block);
    g[threadIdx.x] = 1;
    if (tile.meta_group_rank() == 0) {
        tile.sync();
        if (threadIdx.x == 0)
            g[OUT + 1] = atomicExch(&g[OUT], 1);
    } else {
        volatile int *flag = &g[OUT];
        while (*flag == 0)
            ;
    }
    block.sync();
}

static const kernel_row rows[] = {
    ROW(three_warps_at_a_barrier_of_two, 1, 96),
    ROW(four_warps_at_two_barriers, 1, 128),
    ROW(warp_returns_before_its_barrier, 1, 64),
    ROW(warp_returns_behind_its_barrier, 1, 64),
    ROW(nobody_says_first_that_it_is_empty, 1, 64),
    ROW(consumer_says_first_that_it_is_empty, 1, 64),
    ROW(trips_by_what_is_there, 1, 128),
    ROW(trips_by_the_most_of_all, 1, 128),
    ROW(half_of_them_arrive, 1, 64),
    ROW(others_arrive_and_go_on, 1, 64),
    ROW(second_phase_of_one, 1, 64),
    ROW(second_phase_of_those_left, 1, 64),
    ROW(lanes_in_syncs_of_their_own, 1, 32),
    ROW(lanes_that_left_are_not_waited_for, 1, 32),
    ROW(copies_never_committed, 1, 64),
    ROW(tile_waits_for_the_block, 1, 32),
    ROW(tile_waits_for_the_other, 1, 32),
};

int main(int argc, char **argv)
{
    return run_all(rows, sizeof rows / sizeof *rows, argc, argv);
}
