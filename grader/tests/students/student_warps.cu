/* What students get wrong with warps, flags and a thread's own arrays,
 * each beside the same kernel done right: see kernel_rows.cuh. */
#include <cooperative_groups.h>

#include "tests/support/kernel_rows.cuh"

namespace cg = cooperative_groups;

#define BLOCK 128

/* --- warps ------------------------------------------------------------------------------------------- */

// bad-warp-mask
__global__ void half_a_warp_named(int *g)
{
    __shared__ int s[32];
    int t = threadIdx.x;
    s[t] = g[t];
    __syncwarp(0xffff); // B
    g[t] = s[t ^ 1];
}

// bad-warp-mask
__global__ void shuffle_in_a_branch(int *g)
{
    int t = threadIdx.x, v = g[t];
    if (t < 16)
        v += __shfl_down_sync(0xffffffff, v, 16); // B
    g[t] = v;
}

// fine
__global__ void shuffle_before_the_branch(int *g)
{
    int t = threadIdx.x, v = g[t], other = __shfl_down_sync(0xffffffff, v, 16);
    if (t < 16)
        v += other;
    g[t] = v;
}

// bad-warp-mask
__global__ void vote_of_the_ragged_end(int *g)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < 210) {
        unsigned odd = __ballot_sync(0xffffffff, g[i] & 1); // B
        g[i] = __popc(odd);
    } else {
        g[i] = -1;
    }
}

// fine
__global__ void vote_of_those_who_are_there(int *g)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned there = __ballot_sync(0xffffffff, i < 210);
    if (i < 210)
        g[i] = __popc(__ballot_sync(there, g[i] & 1));
}

// fine
__global__ void one_of_each_key(int *g)
{
    int t = threadIdx.x, key = t % 5;
    unsigned peers = __match_any_sync(0xffffffff, key);
    int leader = __ffs(peers) - 1, first = 0;
    if (t % 32 == leader)
        first = atomicAdd(&g[key], __popc(peers));
    first = __shfl_sync(peers, first, leader);
    g[1024 + first + 256 * key + __popc(peers & ((1u << t % 32) - 1))] = t;
}

// race-shared
__global__ void tile_groups_unsynchronised(int *g)
{
    __shared__ int s[BLOCK];
    auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    int t = threadIdx.x;
    s[t] = g[t] + t;                                                     // A
    int next = s[t - tile.thread_rank() + (tile.thread_rank() + 1) % 8]; // B
    g[t] = next;
}

// fine
__global__ void tile_groups_synchronised(int *g)
{
    __shared__ int s[BLOCK];
    auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    int t = threadIdx.x;
    s[t] = g[t] + t;
    tile.sync();
    int next = s[t - tile.thread_rank() + (tile.thread_rank() + 1) % 8];
    g[t] = next;
}

#define PAIR_WAIT(id)   asm volatile("bar.sync %0, 64;" ::"r"(id) : "memory")
#define PAIR_ARRIVE(id) asm volatile("bar.arrive %0, 64;" ::"r"(id) : "memory")

// deadlock
__global__ void producer_arrives_twice(int *g)
{
    __shared__ int s[32];
    int lane = threadIdx.x % 32;
    if (threadIdx.x < 32) {
        for (int k = 0; k < 4; k++) {
            s[lane] = g[k * 32 + lane] + k;
            PAIR_ARRIVE(1);
        }
    } else {
        for (int k = 0; k < 4; k++) {
            PAIR_WAIT(1); // B
            g[1024 + k * 32 + lane] = s[31 - lane];
        }
    }
}

// fine
__global__ void producer_waits(int *g)
{
    __shared__ int s[32];
    int lane = threadIdx.x % 32;
    if (threadIdx.x < 32) {
        for (int k = 0; k < 4; k++) {
            if (k)
                PAIR_WAIT(2);
            s[lane] = g[k * 32 + lane] + k;
            PAIR_ARRIVE(1);
        }
    } else {
        for (int k = 0; k < 4; k++) {
            PAIR_WAIT(1);
            g[1024 + k * 32 + lane] = s[31 - lane];
            if (k < 3)
                PAIR_ARRIVE(2);
        }
    }
}

// deadlock
__global__ void consumer_counts_one_more(int *g)
{
    __shared__ int s[32];
    int lane = threadIdx.x % 32;
    if (threadIdx.x < 32) {
        for (int k = 0; k < 4; k++) {
            s[lane] = g[k * 32 + lane];
            PAIR_ARRIVE(1);
            PAIR_WAIT(2);
        }
    } else {
        for (int k = 0; k < 5; k++) {
            PAIR_WAIT(1); // B
            g[1024 + k * 32 + lane] = s[31 - lane];
            PAIR_ARRIVE(2);
        }
    }
}

// race-shared
__global__ void flag_without_fence(int *g)
{
    __shared__ int value;
    __shared__ volatile int ready;
    if (threadIdx.x == 0)
        ready = 0;
    __syncthreads();
    if (threadIdx.x == 0) {
        value = g[0] + 1; // A
        ready = 1;
    } else if (threadIdx.x == 32) {
        while (!ready)
            ;
        g[1] = value; // B
    }
}

// fine
__global__ void flag_with_fence(int *g)
{
    __shared__ int value;
    __shared__ volatile int ready;
    if (threadIdx.x == 0)
        ready = 0;
    __syncthreads();
    if (threadIdx.x == 0) {
        value = g[0] + 1;
        __threadfence_block();
        ready = 1;
    } else if (threadIdx.x == 32) {
        while (!ready)
            ;
        __threadfence_block();
        g[1] = value;
    }
}

// deadlock
__global__ void flag_never_raised(int *g)
{
    __shared__ volatile int ready;
    if (threadIdx.x == 0)
        ready = 0;
    __syncthreads();
    if (threadIdx.x == 32)
        while (!ready) // B
            ;
    __syncthreads(); // C
    g[threadIdx.x] = 1;
}

// divergent-barrier
__global__ void counted_in_a_branch(int *g)
{
    int t = threadIdx.x, n = 0;
    if (t % 2)
        n = __syncthreads_count(g[t] > 0); // B
    g[t] = n;
}

// fine
__global__ void counted_by_all(int *g)
{
    int t = threadIdx.x, n = __syncthreads_count(t % 2 && g[t] > 0);
    g[t] = n;
}

/* --- local arrays of a thread -------------------------------------------------------------------------- */

// uninitialised-read
__global__ void best_of_too_few(int *g)
{
    int best[8], n = 0;
    for (int k = 0; k < 8; k++)
        if (k % 2 == 0 || g[k] > 0)
            best[n++] = k;                                  // A
    g[1024 + threadIdx.x] = best[(g[0] + threadIdx.x) & 7]; // B
}

// fine
__global__ void best_of_all(int *g)
{
    int best[8], n = 0;
    for (int k = 0; k < 8; k++)
        if (k % 2 == 0 || g[k] >= 0)
            best[n++] = k;
    g[1024 + threadIdx.x] = best[(g[0] + threadIdx.x) & 7];
}

// race-shared
__global__ void compacted_without_atomic(int *g)
{
    __shared__ int count, kept[BLOCK];
    int t = threadIdx.x;
    if (t == 0)
        count = 0;
    __syncthreads();
    if (t % 3 == 0)
        kept[count++] = t; // AB
    __syncthreads();
    g[t] = t < count ? kept[t] : 0;
}

// fine
__global__ void compacted_with_atomic(int *g)
{
    __shared__ int count, kept[BLOCK];
    int t = threadIdx.x;
    if (t == 0)
        count = 0;
    __syncthreads();
    if (t % 3 == 0)
        kept[atomicAdd(&count, 1)] = t;
    __syncthreads();
    if (t < count)
        g[t] = kept[t];
}

// race-shared
__global__ void sorted_without_barrier(int *g)
{
    __shared__ int s[2 * BLOCK];
    int t = threadIdx.x;
    s[t] = (g[t] + 37 * t) & 255;
    s[t + BLOCK] = (g[t] + 91 * t) & 255;
    __syncthreads();
    for (int k = 0; k < 2 * BLOCK; k++) {
        int i = 2 * t + (k & 1);
        if (i + 1 < 2 * BLOCK && s[i] > s[i + 1]) { // A
            int v = s[i];
            s[i] = s[i + 1]; // B
            s[i + 1] = v;
        }
    }
    __syncthreads();
    g[t] = s[t];
}

// fine
__global__ void sorted_with_barrier(int *g)
{
    __shared__ int s[2 * BLOCK];
    int t = threadIdx.x;
    s[t] = (g[t] + 37 * t) & 255;
    s[t + BLOCK] = (g[t] + 91 * t) & 255;
    for (int k = 0; k < 2 * BLOCK; k++) {
        int i = 2 * t + (k & 1);
        __syncthreads();
        if (i + 1 < 2 * BLOCK && s[i] > s[i + 1]) {
            int v = s[i];
            s[i] = s[i + 1];
            s[i + 1] = v;
        }
    }
    __syncthreads();
    g[t] = s[t];
}

static const kernel_row rows[] = {
    ROW(half_a_warp_named, 1, 32, 0),
    ROW(shuffle_in_a_branch, 1, 32, 0),
    ROW(shuffle_before_the_branch, 1, 32, 0),
    ROW(vote_of_the_ragged_end, 2, BLOCK, 0),
    ROW(vote_of_those_who_are_there, 2, BLOCK, 0),
    ROW(one_of_each_key, 1, BLOCK, 0),
    ROW(tile_groups_unsynchronised, 1, BLOCK, 0),
    ROW(tile_groups_synchronised, 1, BLOCK, 0),
    ROW(producer_arrives_twice, 1, 64, 0),
    ROW(producer_waits, 1, 64, 0),
    ROW(consumer_counts_one_more, 1, 64, 0),
    ROW(flag_without_fence, 1, 64, 0),
    ROW(flag_with_fence, 1, 64, 0),
    ROW(flag_never_raised, 1, 64, 0),
    ROW(counted_in_a_branch, 1, BLOCK, 0),
    ROW(counted_by_all, 1, BLOCK, 0),
    ROW(best_of_too_few, 1, 32, 0),
    ROW(best_of_all, 1, 32, 0),
    ROW(compacted_without_atomic, 1, BLOCK, 0),
    ROW(compacted_with_atomic, 1, BLOCK, 0),
    ROW(sorted_without_barrier, 1, BLOCK, 0),
    ROW(sorted_with_barrier, 1, BLOCK, 0),
};

int main(int argc, char **argv)
{
    return run_all(rows, sizeof rows / sizeof *rows, argc, argv);
}
