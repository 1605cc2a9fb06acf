/* Warp functions whose mask does not match their callers. */
#include "tests/support/kernel_rows.cuh"

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

#define FULL 0xffffffffu

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

// bad-warp-mask: thread 5 reads lane 21
__global__ void another_lane_stores_an_absent_value(int *g)
{
    int t = threadIdx.x, v = g[t];
    if (t % 32 < 20)
        v += __shfl_down_sync(0x000fffffu, v, 16); // B
    if (t == 5)
        g[t + 64] = v;
}

// bad-warp-mask: thread 12 reads lane 20
__global__ void absent_value_comes_through_another_lane(int *g)
{
    int t = threadIdx.x, v = g[t];
    if (t % 32 < 20)
        for (int off = 8; off; off /= 2)
            v += __shfl_down_sync(0x000fffffu, v, off); // B
    if (t == 5)
        g[t + 64] = v;
}

// bad-warp-mask: thread 7 reads lane 23
__global__ void absent_value_decides(int *g)
{
    int t = threadIdx.x, v = 0;
    if (t % 32 < 20 && __shfl_down_sync(0x000fffffu, g[t], 16) > 3) // B
        for (int i = 0; i < g[t]; i++)
            v += v + g[i];
    if (t == 7)
        g[t + 64] = v;
}

// bad-warp-mask: thread 19 reads lane 20
__global__ void vote_spreads_an_absent_value(int *g)
{
    int t = threadIdx.x, v = g[t];
    if (t % 32 < 20) {
        int next = __shfl_down_sync(0x000fffffu, v, 1); // B
        int any = __any_sync(0x000fffffu, next > 3);
        if (t == 0)
            g[t + 64] = any;
    }
}

// bad-warp-mask: thread 19 reads the value of lane 20
__global__ void lane_left_before_the_shuffle(int *g)
{
    int t = threadIdx.x;
    if (t % 32 >= 20)
        return;
    g[t + 64] = __shfl_sync(FULL, g[t], t + 1); // B
}

// bad-warp-mask: thread 0 reads lane 16, which is not in its mask 0x0000ffff
__global__ void mask_of_the_other_half(int *g)
{
    int t = threadIdx.x, v = g[t];
    unsigned mask = t & 16 ? 0xffff0000u : 0x0000ffffu;
    g[t + 64] = __shfl_xor_sync(mask, v, 16); // B
}

// fine
__global__ void lane_0_needs_no_absent_value(int *g)
{
    int t = threadIdx.x, v = g[t];
    if (t % 32 < 16)
        for (int off = 8; off; off /= 2)
            v += __shfl_down_sync(0x0000ffffu, v, off);
    if (t % 32 == 0)
        g[t + 64] = v;
}

// fine
__global__ void absent_value_is_not_chosen(int *g)
{
    int t = threadIdx.x, v = g[t];
    if (t % 32 < 20)
        for (int off = 16; off; off /= 2) {
            int other = __shfl_down_sync(0x000fffffu, v, off);
            v = t % 32 + off < 20 ? max(v, other) : v;
        }
    g[t + 64] = v;
}

// fine
__global__ void scan_of_20_lanes(int *g)
{
    int t = threadIdx.x, v = g[t];
    if (t % 32 < 20)
        for (int off = 1; off < 20; off *= 2) {
            int other = __shfl_up_sync(0x000fffffu, v, off);
            if (t % 32 >= off)
                v += other;
        }
    g[t + 64] = v;
}

// fine
__global__ void absent_value_decides_for_nobody(int *g)
{
    int t = threadIdx.x, v = g[t];
    if (t % 32 < 20) {
        int other = __shfl_down_sync(0x000fffffu, v, 1);
        if (other > v)
            for (int i = 0; i < other; i++)
                v += v + g[i];
    }
    if (t < 19)
        g[t + 64] = v;
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

// bad-warp-mask
__global__ void shuffle_mask_misses_the_caller(int *g)
{
    int t = threadIdx.x;
    if (t & 16)
        g[t] = __shfl_xor_sync(0x0000ffffu, g[t], 1); // B
    g[t + 64] = 1;
}

// bad-warp-mask
__global__ void match_all_in_a_branch(int *g)
{
    int t = threadIdx.x, same = 0;
    if (t % 32 < 8) {
        g[t] = __match_all_sync(FULL, g[t], &same); // B
        g[t + 64] = same;
    }
    g[t + 128] = 1;
}

// bad-warp-mask
__global__ void reduction_in_a_branch(int *g)
{
    int t = threadIdx.x;
    if (t % 2 == 0) {
        g[t] = __reduce_add_sync(FULL, g[t]); // B
        g[t + 64] = 3;
    }
    g[t + 128] = 1;
}

// bad-warp-mask
__global__ void ballot_in_one_half(int *g)
{
    int t = threadIdx.x;
    if (t % 32 < 16) {
        g[t] = __ballot_sync(FULL, g[t]); // B
        g[t + 64] = 2;
    }
    g[t + 128] = 1;
}

// bad-warp-mask
__global__ void all_in_the_other_branch(int *g)
{
    int t = threadIdx.x;
    if (t % 32 == 7) {
        g[t] = 5;
    } else {
        g[t] = __all_sync(FULL, g[t]); // B
        g[t + 64] = 2;
    }
    g[t + 128] = 1;
}

// bad-warp-mask
__global__ void shuffle_of_a_tile_in_a_branch(int *g)
{
    int t = threadIdx.x;
    cg::thread_block_tile<16> tile = cg::tiled_partition<16>(cg::this_thread_block());
    if (tile.thread_rank() < 4) {
        g[t] = tile.shfl_xor(g[t], 1); // B
        g[t + 64] = 2;
    }
    g[t + 128] = 1;
}

// bad-warp-mask
__global__ void shuffle_from_a_lane_outside(int *g)
{
    int t = threadIdx.x;
    if (t % 32 < 8)
        g[t] = __shfl_sync(0x000000ffu, g[t], 12); // B
    g[t + 64] = 1;
}

// bad-warp-mask
__global__ void shuffle_from_a_lane_that_left(int *g)
{
    int t = threadIdx.x;
    if (t % 32 == 0)
        return;
    g[t] = __shfl_sync(FULL, g[t], 0); // B
}

// fine
__global__ void shuffle_of_a_half_that_reads_beyond(int *g)
{
    int t = threadIdx.x, v = g[t];
    if (t < 16) {
        for (int off = 8; off; off /= 2)
            v += __shfl_down_sync(0x0000ffffu, v, off);
        if (t == 0)
            g[64] = v;
    }
}

// fine
__global__ void shuffle_of_a_tile_for_all_of_it(int *g)
{
    int t = threadIdx.x;
    cg::thread_block_tile<16> tile = cg::tiled_partition<16>(cg::this_thread_block());
    if (t / 16 % 2) {
        g[t] = tile.shfl(g[t], 3);
        tile.sync();
        g[t + 64] = tile.any(g[t]);
    }
    g[t + 128] = 1;
}

// fine
__global__ void reduction_of_those_in_the_branch(int *g)
{
    int t = threadIdx.x;
    unsigned even = 0x55555555u;
    if (t % 2 == 0)
        g[t] = __reduce_add_sync(even, g[t]);
    g[t + 128] = __match_any_sync(FULL, g[t]);
}

// fine
__global__ void shuffle_from_the_leader(int *g)
{
    int t = threadIdx.x;
    if (t % 3 == 0) {
        unsigned mask = __activemask();
        g[t] = __shfl_sync(mask, t, __ffs(mask) - 1);
    }
    g[t + 64] = 1;
}

// fine
__global__ void shuffle_from_lanes_that_differ(int *g)
{
    int t = threadIdx.x;
    if (t % 32 < 8) {
        int v = __shfl_sync(0x000000ffu, t, t + 4);
        g[t] = t < 4 ? v : 0;
    }
}

// bad-warp-mask
__global__ void half_a_warp_sums_a_whole_one(int *g)
{
    int t = threadIdx.x, mine = g[t] + 1;
    if (t < 16) {
        mine += __shfl_down_sync(~0u, mine, 16); // B
        for (int off = 8; off > 0; off /= 2)
            mine += __shfl_down_sync(~0u, mine, off);
        if (t == 0)
            g[0] = mine;
    }
}

// fine
__global__ void half_a_warp_sums_itself(int *g)
{
    int t = threadIdx.x, mine = g[t] + 1;
    if (t < 16) {
        for (int off = 8; off > 0; off /= 2)
            mine += __shfl_down_sync(0xffff, mine, off);
        if (t == 0)
            g[0] = mine;
    }
}

// fine
__global__ void lanes_that_are_missing_are_not_added(int *g)
{
    int t = threadIdx.x, mine = g[t] + 1;
    if (t < 20) {
        for (int off = 16; off > 0; off /= 2) {
            int other = __shfl_down_sync(0xfffff, mine, off);
            if (t + off < 20)
                mine += other;
        }
        if (t == 0)
            g[0] = mine;
    }
}

static const kernel_row rows[] = {
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
    ROW(shuffle_mask_misses_the_caller, 1, 64),
    ROW(match_all_in_a_branch, 1, 64),
    ROW(reduction_in_a_branch, 1, 64),
    ROW(ballot_in_one_half, 1, 64),
    ROW(all_in_the_other_branch, 1, 64),
    ROW(shuffle_of_a_tile_in_a_branch, 1, 64),
    ROW(shuffle_from_a_lane_outside, 1, 64),
    ROW(shuffle_from_a_lane_that_left, 1, 64),
    ROW(shuffle_of_a_half_that_reads_beyond, 1, 64),
    ROW(shuffle_of_a_tile_for_all_of_it, 1, 64),
    ROW(reduction_of_those_in_the_branch, 1, 64),
    ROW(shuffle_from_the_leader, 1, 64),
    ROW(shuffle_from_lanes_that_differ, 1, 64),
    ROW(half_a_warp_sums_a_whole_one, 1, 32),
    ROW(half_a_warp_sums_itself, 1, 32),
    ROW(lanes_that_are_missing_are_not_added, 1, 32),
    ROW(another_lane_stores_an_absent_value, 1, 32),
    ROW(absent_value_comes_through_another_lane, 1, 32),
    ROW(absent_value_decides, 1, 32),
    ROW(vote_spreads_an_absent_value, 1, 32),
    ROW(lane_left_before_the_shuffle, 1, 32),
    ROW(mask_of_the_other_half, 1, 32),
    ROW(lane_0_needs_no_absent_value, 1, 32),
    ROW(absent_value_is_not_chosen, 1, 32),
    ROW(scan_of_20_lanes, 1, 32),
    ROW(absent_value_decides_for_nobody, 1, 32),
};

int main(int argc, char **argv)
{
    return run_all(rows, sizeof rows / sizeof *rows, argc, argv);
}
