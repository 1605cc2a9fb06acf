/* What students get wrong when a block works on neighbours, trees and scans,
 * each beside the same kernel done right: see kernel_rows.cuh. */
#include "tests/support/kernel_rows.cuh"

#define BLOCK  128
#define RADIUS 3

/* --- halos --------------------------------------------------------------------------------------- */

__device__ static int window(const int *s, int at)
{
    int sum = 0;
    for (int k = -RADIUS; k <= RADIUS; k++)
        sum += s[at + k]; // A of blur_at_once
    return sum;
}

// race-shared
__global__ void blur_at_once(int *g)
{
    __shared__ int s[BLOCK + 2 * RADIUS];
    int t = threadIdx.x, i = blockIdx.x * BLOCK + t;
    s[t + RADIUS] = g[i]; // B
    if (t < RADIUS) {
        s[t] = i >= RADIUS ? g[i - RADIUS] : 0;
        s[t + BLOCK + RADIUS] = g[i + BLOCK];
    }
    g[WORDS / 2 + i] = window(s, t + RADIUS);
}

// fine
__global__ void blur_after_barrier(int *g)
{
    __shared__ int s[BLOCK + 2 * RADIUS];
    int t = threadIdx.x, i = blockIdx.x * BLOCK + t;
    s[t + RADIUS] = g[i];
    if (t < RADIUS) {
        s[t] = i >= RADIUS ? g[i - RADIUS] : 0;
        s[t + BLOCK + RADIUS] = g[i + BLOCK];
    }
    __syncthreads();
    g[WORDS / 2 + i] = window(s, t + RADIUS);
}

// uninitialised-read
__global__ void blur_without_right_halo(int *g)
{
    __shared__ int s[BLOCK + 2];
    int t = threadIdx.x, i = blockIdx.x * BLOCK + t;
    s[t + 1] = g[i]; // A
    if (t == 0)
        s[0] = i ? g[i - 1] : 0;
    __syncthreads();
    g[WORDS / 2 + i] = s[t] + s[t + 1] + s[t + 2]; // B
}

// fine
__global__ void blur_with_both_halos(int *g)
{
    __shared__ int s[BLOCK + 2];
    int t = threadIdx.x, i = blockIdx.x * BLOCK + t;
    s[t + 1] = g[i];
    if (t == 0)
        s[0] = i ? g[i - 1] : 0;
    if (t == BLOCK - 1)
        s[BLOCK + 1] = g[i + 1];
    __syncthreads();
    g[WORDS / 2 + i] = s[t] + s[t + 1] + s[t + 2];
}

// divergent-barrier
__global__ void stencil_early_return(int *g)
{
    __shared__ int s[BLOCK];
    int t = threadIdx.x, i = blockIdx.x * BLOCK + t;
    if (i >= 200)
        return;
    s[t] = g[i];
    __syncthreads(); // B
    g[WORDS / 2 + i] = t ? s[t - 1] : s[t];
}

// fine
__global__ void stencil_late_test(int *g)
{
    __shared__ int s[BLOCK];
    int t = threadIdx.x, i = blockIdx.x * BLOCK + t;
    if (i < 200)
        s[t] = g[i];
    __syncthreads();
    if (i < 200)
        g[WORDS / 2 + i] = t ? s[t - 1] : s[t];
}

/* --- trees ----------------------------------------------------------------------------------------- */

// race-shared
__global__ void tree_without_barrier(int *g)
{
    __shared__ int s[BLOCK];
    int t = threadIdx.x;
    s[t] = g[t];
    __syncthreads();
    for (int off = BLOCK / 2; off; off /= 2)
        if (t < off)
            s[t] += s[t + off]; // AB
    if (t == 0)
        g[BLOCK] = s[0];
}

// fine
__global__ void tree_with_barrier(int *g)
{
    __shared__ int s[BLOCK];
    int t = threadIdx.x;
    s[t] = g[t];
    __syncthreads();
    for (int off = BLOCK / 2; off; off /= 2) {
        if (t < off)
            s[t] += s[t + off];
        __syncthreads();
    }
    if (t == 0)
        g[BLOCK] = s[0];
}

// divergent-barrier
__global__ void tree_barrier_in_if(int *g)
{
    __shared__ int s[BLOCK];
    int t = threadIdx.x;
    s[t] = g[t];
    __syncthreads();
    for (int off = 16; off; off /= 2) {
        if (t < off) {
            s[t] += s[t + off];
            __syncthreads(); // B
        }
    }
    if (t == 0)
        g[BLOCK] = s[0];
}

// fine
__global__ void tree_of_one_warp(int *g)
{
    __shared__ int s[BLOCK];
    int t = threadIdx.x;
    s[t] = g[t];
    __syncthreads();
    if (t < 32) {
        for (int off = 16; off; off /= 2) {
            int v = s[t + off];
            __syncwarp();
            s[t] += v;
            __syncwarp();
        }
    }
    if (t == 0)
        g[BLOCK] = s[0];
}

// out-of-bounds
__global__ void tree_too_wide(int *g)
{
    extern __shared__ int s[];
    int t = threadIdx.x;
    s[t] = g[t];
    __syncthreads();
    for (int off = blockDim.x; off; off /= 2) {
        if (t < off)
            s[t] += s[t + off]; // B
        __syncthreads();
    }
    if (t == 0)
        g[BLOCK] = s[0];
}

// fine
__global__ void tree_just_wide_enough(int *g)
{
    extern __shared__ int s[];
    int t = threadIdx.x;
    s[t] = g[t];
    __syncthreads();
    for (int off = blockDim.x >> 1; off; off >>= 1) {
        if (t < off)
            s[t] += s[t + off];
        __syncthreads();
    }
    if (t == 0)
        g[BLOCK] = s[0];
}

// race-shared
__global__ void tree_volatile_warp(int *g)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = g[t];
    s[t + 32] = g[t + 32];
    __syncthreads();
    volatile int *v = s;
    v[t] += v[t + 32]; // A
    v[t] += v[t + 16]; // B
    if (t == 0)
        g[BLOCK] = s[0];
}

// fine
__global__ void tree_by_shuffles(int *g)
{
    __shared__ int s[BLOCK / 32];
    int t = threadIdx.x, v = g[t];
    for (int off = 16; off; off /= 2)
        v += __shfl_down_sync(0xffffffff, v, off);
    if (t % 32 == 0)
        s[t / 32] = v;
    __syncthreads();
    if (t < 32) {
        v = t < BLOCK / 32 ? s[t] : 0;
        for (int off = BLOCK / 64; off; off /= 2)
            v += __shfl_xor_sync(0xffffffff, v, off);
        if (t == 0)
            g[BLOCK] = v;
    }
}

__device__ static int block_sum(int v, int *s)
{
    int t = threadIdx.x;
    for (int off = 16; off; off /= 2)
        v += __shfl_down_sync(0xffffffff, v, off);
    if (t % 32 == 0)
        s[t / 32] = v;
    __syncthreads();
    for (v = t = 0; t < BLOCK / 32; t++)
        v += s[t];
    return v;
}

// race-shared
__global__ void sums_share_too_early(int *g)
{
    __shared__ int s[BLOCK / 32];
    int t = threadIdx.x, sum = 0;
    for (int part = 0; part < 2; part++) {
        int v = __reduce_add_sync(0xffffffff, g[part * BLOCK + t]);
        if (t % 32 == 0)
            s[t / 32] = v; // A
        __syncthreads();
        for (int k = 0; k < BLOCK / 32; k++)
            sum += s[k]; // B
    }
    g[1024 + t] = sum;
}

// fine
__global__ void sums_share_in_turns(int *g)
{
    __shared__ int s[BLOCK / 32];
    int sum = block_sum(g[threadIdx.x], s);
    __syncthreads();
    int squares = block_sum(g[threadIdx.x] * g[threadIdx.x], s);
    g[BLOCK + threadIdx.x] = sum + squares;
}

/* --- scans ----------------------------------------------------------------------------------------- */

// race-shared
__global__ void scan_in_place(int *g)
{
    __shared__ int s[BLOCK];
    int t = threadIdx.x;
    s[t] = g[t];
    __syncthreads();
    for (int off = 1; off < BLOCK; off *= 2) {
        if (t >= off)
            s[t] += s[t - off]; // AB
        __syncthreads();
    }
    g[t] = s[t];
}

// fine
__global__ void scan_by_two_steps(int *g)
{
    __shared__ int s[BLOCK];
    int t = threadIdx.x;
    s[t] = g[t];
    __syncthreads();
    for (int off = 1; off < BLOCK; off *= 2) {
        int v = t >= off ? s[t - off] : 0;
        __syncthreads();
        s[t] += v;
        __syncthreads();
    }
    g[t] = s[t];
}

// uninitialised-read
__global__ void scan_of_two_buffers_first_wrong(int *g)
{
    __shared__ int s[2][BLOCK];
    int t = threadIdx.x, from = 1;
    s[0][t] = g[t]; // A
    __syncthreads();
    for (int off = 1; off < BLOCK; off *= 2) {
        s[!from][t] = s[from][t] + (t >= off ? s[from][t - off] : 0); // B
        from = !from;
        __syncthreads();
    }
    g[t] = s[from][t];
}

// fine
__global__ void scan_of_two_buffers(int *g)
{
    __shared__ int s[2][BLOCK];
    int t = threadIdx.x, from = 0;
    s[0][t] = g[t];
    __syncthreads();
    for (int off = 1; off < BLOCK; off *= 2) {
        s[!from][t] = s[from][t] + (t >= off ? s[from][t - off] : 0);
        from = !from;
        __syncthreads();
    }
    g[t] = s[from][t];
}

// race-shared
__global__ void sweep_without_barrier(int *g)
{
    __shared__ int s[2 * BLOCK];
    int t = threadIdx.x, off = 1;
    s[2 * t] = g[2 * t];
    s[2 * t + 1] = g[2 * t + 1];
    for (int d = BLOCK; d; d /= 2) {
        __syncthreads();
        if (t < d)
            s[off * (2 * t + 2) - 1] += s[off * (2 * t + 1) - 1];
        off *= 2;
    }
    if (t == 0)
        s[2 * BLOCK - 1] = 0;
    for (int d = 1; d < 2 * BLOCK; d *= 2) {
        off /= 2;
        if (t < d) {
            int left = s[off * (2 * t + 1) - 1];
            s[off * (2 * t + 1) - 1] = s[off * (2 * t + 2) - 1]; // AB
            s[off * (2 * t + 2) - 1] += left;
        }
    }
    __syncthreads();
    g[2 * t] = s[2 * t];
    g[2 * t + 1] = s[2 * t + 1];
}

// fine
__global__ void sweep_with_barriers(int *g)
{
    __shared__ int s[2 * BLOCK];
    int t = threadIdx.x, off = 1;
    s[2 * t] = g[2 * t];
    s[2 * t + 1] = g[2 * t + 1];
    for (int d = BLOCK; d; d /= 2) {
        __syncthreads();
        if (t < d)
            s[off * (2 * t + 2) - 1] += s[off * (2 * t + 1) - 1];
        off *= 2;
    }
    if (t == 0)
        s[2 * BLOCK - 1] = 0;
    for (int d = 1; d < 2 * BLOCK; d *= 2) {
        off /= 2;
        __syncthreads();
        if (t < d) {
            int left = s[off * (2 * t + 1) - 1];
            s[off * (2 * t + 1) - 1] = s[off * (2 * t + 2) - 1];
            s[off * (2 * t + 2) - 1] += left;
        }
    }
    __syncthreads();
    g[2 * t] = s[2 * t];
    g[2 * t + 1] = s[2 * t + 1];
}

static const kernel_row rows[] = {
    ROW(blur_at_once, 2, BLOCK, 0),
    ROW(blur_after_barrier, 2, BLOCK, 0),
    ROW(blur_without_right_halo, 2, BLOCK, 0),
    ROW(blur_with_both_halos, 2, BLOCK, 0),
    ROW(stencil_early_return, 2, BLOCK, 0),
    ROW(stencil_late_test, 2, BLOCK, 0),
    ROW(tree_without_barrier, 1, BLOCK, 0),
    ROW(tree_with_barrier, 1, BLOCK, 0),
    ROW(tree_barrier_in_if, 1, BLOCK, 0),
    ROW(tree_of_one_warp, 1, BLOCK, 0),
    ROW(tree_too_wide, 1, BLOCK, 4 * BLOCK),
    ROW(tree_just_wide_enough, 1, BLOCK, 4 * BLOCK),
    ROW(tree_volatile_warp, 1, 32, 0),
    ROW(tree_by_shuffles, 1, BLOCK, 0),
    ROW(sums_share_too_early, 1, BLOCK, 0),
    ROW(sums_share_in_turns, 1, BLOCK, 0),
    ROW(scan_in_place, 1, BLOCK, 0),
    ROW(scan_by_two_steps, 1, BLOCK, 0),
    ROW(scan_of_two_buffers_first_wrong, 1, BLOCK, 0),
    ROW(scan_of_two_buffers, 1, BLOCK, 0),
    ROW(sweep_without_barrier, 1, BLOCK, 0),
    ROW(sweep_with_barriers, 1, BLOCK, 0),
};

int main(int argc, char **argv)
{
    return run_all(rows, sizeof rows / sizeof *rows, argc, argv);
}
