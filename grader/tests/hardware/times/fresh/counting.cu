/* Histograms, compaction and counters: atomic operations with little and much contention, votes and groups of lanes. */
#include "../launch.cuh"
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

__global__ void bins_global(unsigned *bins, const int *keys, int n, int count)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&bins[keys[i] % count], 1u);
}

__global__ void bins_shared(unsigned *bins, const int *keys, int n, int count)
{
    extern __shared__ unsigned own[];
    for (int i = threadIdx.x; i < count; i += blockDim.x)
        own[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&own[keys[i] % count], 1u);
    __syncthreads();
    for (int i = threadIdx.x; i < count; i += blockDim.x)
        if (own[i])
            atomicAdd(&bins[i], own[i]);
}

/* Every warp has its own bins. */
__global__ void bins_by_warp(unsigned *bins, const unsigned *words, int n)
{
    __shared__ unsigned own[8][64];
    for (int i = threadIdx.x; i < 512; i += blockDim.x)
        own[i / 64][i % 64] = 0;
    __syncthreads();
    unsigned *mine = own[threadIdx.x / 32];
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        for (int shift = 2; shift < 32; shift += 8)
            atomicAdd(&mine[words[i] >> shift & 63], 1u);
    __syncthreads();
    if (threadIdx.x < 64) {
        unsigned sum = 0;
        for (int warp = 0; warp < 8; warp++)
            sum += own[warp][threadIdx.x];
        atomicAdd(&bins[threadIdx.x], sum);
    }
}

/* Lanes with equal keys elect one that adds for all. */
__global__ void bins_matched(unsigned *bins, const int *keys, int n, int count)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int key = keys[i] % count;
        unsigned left = ~0u, peers = 0;
        while (left) { // one key per round
            int leader = __ffs(left) - 1;
            unsigned same = __ballot_sync(~0u, key == __shfl_sync(~0u, key, leader));
            if (same >> threadIdx.x % 32 & 1)
                peers = same;
            left &= ~same;
        }
        if (threadIdx.x % 32 == __ffs(peers) - 1)
            atomicAdd(&bins[key], (unsigned)__popc(peers));
    }
}

__global__ void keep_each(int *out, unsigned *count, const int *in, int n, int limit)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && in[i] < limit)
        out[atomicAdd(count, 1u) & n - 1] = in[i];
}

__global__ void keep_warp(int *out, unsigned *count, const int *in, int n, int limit)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    bool kept = i < n && in[i] < limit;
    unsigned votes = __ballot_sync(~0u, kept), base = 0;
    if (lane == 0 && votes)
        base = atomicAdd(count, (unsigned)__popc(votes));
    base = __shfl_sync(~0u, base, 0);
    if (kept)
        out[base + __popc(votes & (1u << lane) - 1) & n - 1] = in[i];
}

__global__ void keep_block(int *out, unsigned *count, const int *in, int n, int limit)
{
    __shared__ unsigned own, base;
    if (threadIdx.x == 0)
        own = 0;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    bool kept = i < n && in[i] < limit;
    unsigned place = kept ? atomicAdd(&own, 1u) : 0;
    __syncthreads();
    if (threadIdx.x == 0)
        base = atomicAdd(count, own);
    __syncthreads();
    if (kept)
        out[base + place & n - 1] = in[i];
}

/* Floats have no atomic maximum: a loop with compare and swap. */
__global__ void maximum_swapped(int *best, const float *in, int n, int cells)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int *cell = &best[i % cells], seen = *cell;
    while (__int_as_float(seen) < in[i]) {
        int old = atomicCAS(cell, seen, __float_as_int(in[i]));
        if (old == seen)
            break;
        seen = old;
    }
}

static __device__ int scrambled_cell(int i, int cells)
{
    return (unsigned)i * 2654435761u % cells;
}

__global__ void sum_doubles(double *sums, const float *in, int n, int cells)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(&sums[scrambled_cell(i, cells)], (double)in[i]);
}

__global__ void sum_tiles(float *sums, const float *in)
{
    auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = in[i];
    for (int step = tile.size() / 2; step; step /= 2)
        sum += tile.shfl_down(sum, step);
    if (tile.thread_rank() == 0)
        atomicAdd(&sums[i / 8 % 1024], sum);
}

__global__ void any_all(int *out, const int *in, int rounds)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, value = in[i], score = 0;
    for (int r = 0; r < rounds; r++) {
        score += __any_sync(~0u, value % 61 == r) + 2 * __all_sync(~0u, value > r);
        value = value * 5 + score & 0xffff;
    }
    out[i] = score;
}

int main()
{
    const int n = 1 << 19;
    int *keys = integers(n, 1 << 16), *out = zeros<int>(n);
    int *runs = filled<int>(n, [](size_t i) { return (int)(i / 4096); });
    float *values = fractions<float>(n), *sums = zeros<float>(1024);
    unsigned *bins = zeros<unsigned>(1 << 16), *count = zeros<unsigned>(1);
    double *totals = zeros<double>(4096);
    TWICE(bins_global<<<256, 256>>>(bins, keys, n, 1 << 16));
    TWICE(bins_global<<<256, 256>>>(bins, keys, n, 256));
    TWICE(bins_global<<<256, 256>>>(bins, keys, n / 4, 4));
    TWICE(bins_global<<<64, 256>>>(bins, runs, n / 4, 256));
    TWICE(bins_shared<<<132, 256, 1024>>>(bins, keys, n, 256));
    TWICE(bins_shared<<<132, 512, 16384>>>(bins, keys, n, 4096));
    TWICE(bins_shared<<<132, 256, 16>>>(bins, keys, n / 2, 4));
    TWICE(bins_shared<<<132, 256, 1024>>>(bins, runs, n, 256));
    TWICE(bins_by_warp<<<264, 256>>>(bins, (unsigned *)keys, n / 2));
    TWICE(bins_matched<<<128, 256>>>(bins, keys, n / 4, 8));
    TWICE(bins_matched<<<128, 256>>>(bins, runs, n / 4, 256));
    TWICE(keep_each<<<n / 1024, 256>>>(out, count, keys, n / 4, 32768));
    TWICE(keep_warp<<<n / 256, 256>>>(out, count, keys, n, 32768));
    TWICE(keep_block<<<n / 512, 512>>>(out, count, keys, n, 32768));
    TWICE(maximum_swapped<<<n / 256, 256>>>((int *)sums, values, n, 1024));
    TWICE(sum_doubles<<<n / 256, 256>>>(totals, values, n, 4096));
    TWICE(sum_doubles<<<32, 256>>>(totals, values, 8192, 2));
    TWICE(sum_tiles<<<n / 256, 256>>>(sums, values));
    TWICE(any_all<<<133, 128>>>(out, keys, 64));
    return 0;
}
