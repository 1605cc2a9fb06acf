/* Barriers and masks that are wrong, each beside the same kernel done right: see races.cuh. Those
 * that end in a deadlock are in test_warp_wait.c. */
#include "races.cuh"

#define FULL 0xffffffffu

/* --- barriers ------------------------------------------------------------------------------------ */

// divergent-barrier
__global__ void barrier_in_a_branch(int *g)
{
    int t = threadIdx.x;
    if (t % 2) {
        g[t] = 1;
        __syncthreads(); // B
        g[t + 64] = g[t - 1];
    }
    g[t + 128] = t;
}

// divergent-barrier
__global__ void barrier_in_both_branches(int *g)
{
    int t = threadIdx.x;
    if (t % 3) {
        g[t] = 1;
        __syncthreads(); // B
        g[t + 64] = 5;
    } else {
        g[t] = 2;
        __syncthreads();
        g[t + 64] = 7;
    }
}

// divergent-barrier
__global__ void barrier_in_a_loop_of_odd_length(int *g)
{
    int t = threadIdx.x;
    for (int i = 0; i < 2 + (t == 5); i++) {
        g[t] += i;
        __syncthreads(); // B
    }
    g[t + 64] = 1;
}

// divergent-barrier
__global__ void barrier_for_some_of_a_tail(int *g)
{
    int t = threadIdx.x;
    if (t < 40) {
        g[t] = t;
        __syncthreads(); // B
        g[t + 64] = g[39 - t];
    }
}

// divergent-barrier
__global__ void barrier_that_counts_in_a_branch(int *g)
{
    int t = threadIdx.x;
    if (t != 3) {
        int n = __syncthreads_count(g[t]); // B
        g[t + 64] = n;
    }
}

// divergent-barrier
__global__ void barrier_behind_a_condition_on_data(int *g)
{
    int t = threadIdx.x;
    g[t] = t * 7 % 5;
    if (g[t] > 2) {
        g[t] = 0;
        __syncthreads(); // B
    }
}

// fine
__global__ void barrier_for_all(int *g)
{
    int t = threadIdx.x;
    if (t % 2)
        g[t] = 1;
    __syncthreads();
    g[t + 64] = g[t ^ 1];
}

// fine
__global__ void barrier_for_whole_warps(int *g)
{
    int t = threadIdx.x;
    if (t < 32)
        g[t] = 1;
    else
        g[t] = 2;
    __syncthreads();
    g[t + 64] = g[63 - t];
}

// fine
__global__ void barrier_in_a_uniform_branch(int *g)
{
    int t = threadIdx.x;
    if (blockIdx.x == 0) {
        g[t] = t;
        __syncthreads();
        g[t + 64] = g[63 - t];
    }
}

// fine
__global__ void barrier_in_a_uniform_loop(int *g)
{
    int t = threadIdx.x;
    for (int off = 32; off; off /= 2) {
        if (t < off)
            g[t] += g[t + off];
        __syncthreads();
    }
}

// fine
__global__ void barrier_behind_a_lock(int *g)
{
    while (atomicCAS(&g[0], 0, 1) != 0)
        ;
    __threadfence();
    ((volatile int *)g)[1] += 1;
    __threadfence();
    atomicExch(&g[0], 0);
    __syncthreads();
    g[threadIdx.x + 64] = g[1];
}

// fine
__global__ void barrier_behind_a_lock_with_a_flag(int *g)
{
    bool done = false;
    while (!done) {
        if (atomicCAS(&g[0], 0, 1) == 0) {
            __threadfence();
            ((volatile int *)g)[1] += 1;
            __threadfence();
            atomicExch(&g[0], 0);
            done = true;
        }
    }
    __syncthreads();
    g[threadIdx.x + 64] = g[1];
}

// fine
__global__ void barriers_around_a_lock(int *g)
{
    for (int i = 0; i < 3; i++) {
        while (atomicCAS(&g[0], 0, 1) != 0)
            ;
        __threadfence();
        ((volatile int *)g)[1] += 1;
        __threadfence();
        atomicExch(&g[0], 0);
        __syncthreads();
    }
    g[threadIdx.x + 64] = __syncthreads_count(g[1] > 0);
}

// fine
__global__ void barrier_behind_a_wait_for_a_neighbour(int *g)
{
    volatile int *v = g;
    int t = threadIdx.x;
    while (t && !v[t - 1])
        ;
    v[t] = 1;
    __syncthreads();
    g[t + 64] = g[63];
}

// fine
__global__ void barrier_after_whole_warps_left(int *g)
{
    if (threadIdx.x >= 32)
        return;
    __syncthreads();
    g[threadIdx.x] = 1;
}

/* --- masks ------------------------------------------------------------------------------------------ */

// bad-warp-mask
__global__ void shuffle_mask_leaves_out_half(int *g)
{
    int t = threadIdx.x;
    g[t] = __shfl_down_sync(0x0000ffffu, g[t], 8); // B
}

// bad-warp-mask
__global__ void shuffle_mask_of_lane_0(int *g)
{
    int t = threadIdx.x;
    g[t] = __shfl_sync(1, g[t], 0); // B
}

// bad-warp-mask
__global__ void full_mask_in_a_branch(int *g)
{
    int t = threadIdx.x, v = g[t];
    if (t % 32 < 16) {
        v += __shfl_down_sync(FULL, v, 8); // B
        g[t] = v;
    } else {
        g[t + 64] = v;
    }
    g[t + 128] = 1;
}

// bad-warp-mask
__global__ void full_mask_in_a_ragged_loop(int *g)
{
    int t = threadIdx.x, sum = 0;
    for (int i = t; i < 75; i += 64)
        sum += __shfl_xor_sync(FULL, g[i], 1); // B
    g[t + 128] = sum;
}

// bad-warp-mask
__global__ void vote_mask_leaves_out_a_lane(int *g)
{
    int t = threadIdx.x;
    g[t] = __ballot_sync(FULL << 1, g[t]); // B
}

// bad-warp-mask
__global__ void any_in_a_branch(int *g)
{
    int t = threadIdx.x;
    if (t & 1) {
        g[t] = __any_sync(FULL, g[t]); // B
        g[t + 64] = 3;
    }
    g[t + 128] = 4;
}

// bad-warp-mask
__global__ void match_mask_of_another_half(int *g)
{
    int t = threadIdx.x;
    unsigned mask = t & 16 ? 0x0000ffffu : 0xffff0000u;
    g[t] = __match_any_sync(mask, g[t]); // B
}

// bad-warp-mask
__global__ void syncwarp_leaves_out_a_lane(int *g)
{
    int t = threadIdx.x;
    g[t] = t;
    __syncwarp(0x7fffffffu); // B
    g[t + 64] = g[t ^ 1];
}

// bad-warp-mask
__global__ void mask_made_before_the_branch(int *g)
{
    int t = threadIdx.x, v = g[t];
    unsigned mask = __activemask();
    if (t < 20) {
        g[t] = __shfl_up_sync(mask, v, 1); // B
        g[t + 64] = 1;
    }
    g[t + 128] = v;
}

// fine
__global__ void shuffle_of_all(int *g)
{
    int t = threadIdx.x, v = g[t];
    for (int off = 16; off; off /= 2)
        v += __shfl_down_sync(FULL, v, off);
    g[t] = v;
}

// fine
__global__ void shuffle_of_a_short_warp(int *g)
{
    int t = threadIdx.x, v = g[t];
    for (int off = 4; off; off /= 2)
        v += __shfl_xor_sync(FULL, v, off);
    g[t] = v;
}

// fine
__global__ void mask_of_those_in_the_branch(int *g)
{
    int t = threadIdx.x, v = g[t];
    unsigned mask = __ballot_sync(FULL, t % 32 < 16);
    if (t % 32 < 16)
        v += __shfl_down_sync(mask, v, 8);
    g[t] = v;
}

// fine
__global__ void active_mask_in_the_branch(int *g)
{
    int t = threadIdx.x;
    if (t % 3 == 0)
        g[t] = __popc(__ballot_sync(__activemask(), 1));
    g[t + 64] = 1;
}

// fine
__global__ void masks_of_two_halves(int *g)
{
    int t = threadIdx.x;
    unsigned mask = t & 16 ? 0xffff0000u : 0x0000ffffu;
    g[t] = __shfl_xor_sync(mask, g[t], 3);
    __syncwarp(mask);
    g[t] += __any_sync(mask, t == 5);
}

// fine
__global__ void mask_names_lanes_that_left(int *g)
{
    int t = threadIdx.x;
    if (t % 32 >= 20)
        return;
    g[t] = __shfl_xor_sync(FULL, g[t], 1);
}

// fine
__global__ void shuffle_behind_a_lock(int *g)
{
    while (atomicCAS(&g[0], 0, 1) != 0)
        ;
    __threadfence();
    ((volatile int *)g)[1] += 1;
    __threadfence();
    atomicExch(&g[0], 0);
    int t = threadIdx.x;
    g[t + 64] = __shfl_xor_sync(FULL, t, 1);
    __syncwarp();
    g[t + 128] = __popc(__ballot_sync(FULL, 1));
}

// fine
__global__ void syncwarp_in_halves_of_a_branch(int *g)
{
    int t = threadIdx.x;
    g[t] = t;
    if (t & 16) {
        __syncwarp(0xffff0000u);
        g[t + 64] = g[t ^ 1];
    } else {
        __syncwarp(0x0000ffffu);
        g[t + 64] = g[t ^ 2];
    }
}

static const kernel_row rows[] = {
    ROW(barrier_in_a_branch, 1, 64),
    ROW(barrier_in_both_branches, 1, 64),
    ROW(barrier_in_a_loop_of_odd_length, 1, 64),
    ROW(barrier_for_some_of_a_tail, 1, 64),
    ROW(barrier_that_counts_in_a_branch, 1, 64),
    ROW(barrier_behind_a_condition_on_data, 1, 64),
    ROW(barrier_for_all, 1, 64),
    ROW(barrier_for_whole_warps, 1, 64),
    ROW(barrier_in_a_uniform_branch, 2, 64),
    ROW(barrier_in_a_uniform_loop, 1, 64),
    ROW(barrier_behind_a_lock, 2, 64),
    ROW(barrier_behind_a_lock_with_a_flag, 1, 70),
    ROW(barriers_around_a_lock, 1, 64),
    ROW(barrier_behind_a_wait_for_a_neighbour, 1, 64),
    ROW(barrier_after_whole_warps_left, 1, 96),
    ROW(shuffle_mask_leaves_out_half, 1, 32),
    ROW(shuffle_mask_of_lane_0, 1, 64),
    ROW(full_mask_in_a_branch, 1, 64),
    ROW(full_mask_in_a_ragged_loop, 1, 64),
    ROW(vote_mask_leaves_out_a_lane, 1, 32),
    ROW(any_in_a_branch, 1, 64),
    ROW(match_mask_of_another_half, 1, 32),
    ROW(syncwarp_leaves_out_a_lane, 1, 32),
    ROW(mask_made_before_the_branch, 1, 32),
    ROW(shuffle_of_all, 1, 64),
    ROW(shuffle_of_a_short_warp, 1, 8),
    ROW(mask_of_those_in_the_branch, 1, 64),
    ROW(active_mask_in_the_branch, 1, 64),
    ROW(masks_of_two_halves, 1, 64),
    ROW(mask_names_lanes_that_left, 1, 64),
    ROW(shuffle_behind_a_lock, 1, 64),
    ROW(syncwarp_in_halves_of_a_branch, 1, 64),
};

int main(int argc, char **argv)
{
    return run_all(rows, sizeof rows / sizeof *rows, argc, argv);
}
