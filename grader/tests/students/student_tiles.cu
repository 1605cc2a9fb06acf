/* What students get wrong with tiles, histograms and other arrays that a block shares,
 * each beside the same kernel done right: see kernel_rows.cuh. */
#include <cuda_pipeline.h>

#include "tests/support/kernel_rows.cuh"

#define BLOCK 128

/* --- tiles ----------------------------------------------------------------------------------------- */

#define TILE 16

__device__ static int product(const int (*a)[TILE], const int (*b)[TILE])
{
    int sum = 0;
    for (int k = 0; k < TILE; k++)
        sum += a[threadIdx.y][k] * b[k][threadIdx.x]; // A of tiles_overtaken
    return sum;
}

// race-shared
__global__ void tiles_overtaken(int *g)
{
    __shared__ int a[TILE][TILE], b[TILE][TILE];
    int x = threadIdx.x, y = threadIdx.y, sum = 0;
    for (int k = 0; k < 4 * TILE; k += TILE) {
        a[y][x] = g[y * 64 + k + x];
        b[y][x] = g[4096 + (k + y) * 64 + x]; // B
        __syncthreads();
        sum += product(a, b);
    }
    g[8192 + y * 64 + x] = sum;
}

// fine
__global__ void tiles_in_turn(int *g)
{
    __shared__ int a[TILE][TILE], b[TILE][TILE];
    int x = threadIdx.x, y = threadIdx.y, sum = 0;
    for (int k = 0; k < 4 * TILE; k += TILE) {
        a[y][x] = g[y * 64 + k + x];
        b[y][x] = g[4096 + (k + y) * 64 + x];
        __syncthreads();
        sum += product(a, b);
        __syncthreads();
    }
    g[8192 + y * 64 + x] = sum;
}

// uninitialised-read
__global__ void tile_ragged(int *g)
{
    __shared__ int a[TILE][TILE + 1];
    int x = threadIdx.x, y = threadIdx.y, sum = 0;
    if (x < 13 && y < 11)
        a[y][x] = g[y * 13 + x]; // A
    __syncthreads();
    for (int k = 0; k < TILE; k++)
        sum += a[y][k]; // B
    if (x == 0)
        g[4096 + y] = sum;
}

// fine
__global__ void tile_padded_with_zeros(int *g)
{
    __shared__ int a[TILE][TILE + 1];
    int x = threadIdx.x, y = threadIdx.y, sum = 0;
    a[y][x] = x < 13 && y < 11 ? g[y * 13 + x] : 0;
    __syncthreads();
    for (int k = 0; k < TILE; k++)
        sum += a[y][k];
    if (x == 0)
        g[4096 + y] = sum;
}

// race-shared
__global__ void transpose_at_once(int *g)
{
    __shared__ int tile[TILE][TILE + 1];
    int x = threadIdx.x, y = threadIdx.y;
    tile[y][x] = g[y * TILE + x];        // A
    g[4096 + y * TILE + x] = tile[x][y]; // B
}

// fine
__global__ void transpose_in_rows(int *g)
{
    __shared__ int tile[32][33];
    int x = threadIdx.x;
    for (int y = threadIdx.y; y < 32; y += blockDim.y)
        tile[y][x] = g[y * 32 + x];
    __syncthreads();
    for (int y = threadIdx.y; y < 32; y += blockDim.y)
        g[4096 + y * 32 + x] = tile[x][y];
}

// race-shared
__global__ void buffers_not_swapped(int *g)
{
    __shared__ int s[2][BLOCK];
    int t = threadIdx.x, sum = 0, now = 0;
    s[0][t] = g[t];
    __syncthreads();
    for (int k = 1; k < 8; k++) {
        s[now][t] = g[k * BLOCK + t]; // A
        sum += s[now][BLOCK - 1 - t]; // B
        __syncthreads();
    }
    g[t] = sum;
}

// fine
__global__ void buffers_swapped(int *g)
{
    __shared__ int s[2][BLOCK];
    int t = threadIdx.x, sum = 0, now = 0;
    s[0][t] = g[t];
    __syncthreads();
    for (int k = 1; k < 8; k++) {
        s[!now][t] = g[k * BLOCK + t];
        sum += s[now][BLOCK - 1 - t];
        now = !now;
        __syncthreads();
    }
    g[t] = sum + s[now][BLOCK - 1 - t];
}

// race-shared
__global__ void pipeline_not_awaited(int *g)
{
    __shared__ int s[BLOCK];
    int t = threadIdx.x;
    __pipeline_memcpy_async(&s[t], &g[t], 4); // A
    __pipeline_commit();
    __syncthreads();
    g[BLOCK + t] = s[BLOCK - 1 - t]; // B
}

// fine
__global__ void pipeline_awaited(int *g)
{
    __shared__ int s[BLOCK];
    int t = threadIdx.x;
    __pipeline_memcpy_async(&s[t], &g[t], 4);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    g[BLOCK + t] = s[BLOCK - 1 - t];
}

/* --- histograms ------------------------------------------------------------------------------------ */

// uninitialised-read
__global__ void bins_not_cleared(int *g)
{
    __shared__ int bins[64];
    int t = threadIdx.x;
    atomicAdd(&bins[(g[t] + t) & 63], 1); // B
    __syncthreads();
    if (t < 64)
        atomicAdd(&g[1024 + t], bins[t]);
}

// fine
__global__ void bins_cleared(int *g)
{
    __shared__ int bins[64];
    int t = threadIdx.x;
    if (t < 64)
        bins[t] = 0;
    __syncthreads();
    atomicAdd(&bins[(g[t] + t) & 63], 1);
    __syncthreads();
    if (t < 64)
        atomicAdd(&g[1024 + t], bins[t]);
}

// uninitialised-read
__global__ void bins_half_cleared(int *g)
{
    __shared__ int bins[256];
    int t = threadIdx.x;
    bins[t] = 0; // A
    __syncthreads();
    atomicAdd(&bins[(g[t] + 7 * t) & 255], 1); // B
    __syncthreads();
    for (int b = t; b < 256; b += BLOCK)
        atomicAdd(&g[1024 + b], bins[b]);
}

// fine
__global__ void bins_cleared_in_a_loop(int *g)
{
    __shared__ int bins[256];
    int t = threadIdx.x;
    for (int b = t; b < 256; b += blockDim.x)
        bins[b] = 0;
    __syncthreads();
    atomicAdd(&bins[(g[t] + 7 * t) & 255], 1);
    __syncthreads();
    for (int b = t; b < 256; b += blockDim.x)
        atomicAdd(&g[1024 + b], bins[b]);
}

// race-shared
__global__ void bins_plainly_counted(int *g)
{
    __shared__ int bins[64];
    int t = threadIdx.x;
    if (t < 64)
        bins[t] = 0;
    __syncthreads();
    bins[(g[t] + t) & 63]++; // AB
    __syncthreads();
    if (t < 64)
        atomicAdd(&g[1024 + t], bins[t]);
}

// fine
__global__ void bins_of_each_thread(int *g)
{
    __shared__ unsigned char bins[16][BLOCK];
    int t = threadIdx.x;
    for (int b = 0; b < 16; b++)
        bins[b][t] = 0;
    for (int k = 0; k < 4; k++)
        bins[(g[k * BLOCK + t] + t) & 15][t]++;
    __syncthreads();
    if (t < 16) {
        int sum = 0;
        for (int k = 0; k < BLOCK; k++)
            sum += bins[t][k];
        atomicAdd(&g[1024 + t], sum);
    }
}

// race-shared
__global__ void bins_merged_too_early(int *g)
{
    __shared__ int bins[BLOCK];
    int t = threadIdx.x;
    bins[t] = 0;
    __syncthreads();
    atomicAdd(&bins[(5 * t + 1) & (BLOCK - 1)], 1); // A
    atomicAdd(&g[1024 + t], bins[t]);               // B
}

// fine
__global__ void bins_merged_by_owners(int *g)
{
    __shared__ int bins[BLOCK];
    int t = threadIdx.x;
    bins[t] = 0;
    atomicAdd(&bins[t], 1);
    atomicAdd(&g[1024 + t], bins[t]);
}

/* --- shared memory divided into arrays ----------------------------------------------------------------- */

// out-of-bounds
__global__ void carved_by_elements(int *g)
{
    extern __shared__ char raw[];
    double *sums = (double *)raw;
    int *counts = (int *)(sums + blockDim.x), t = threadIdx.x;
    sums[t] = g[t];
    counts[t] = t; // B
    __syncthreads();
    g[t] = sums[BLOCK - 1 - t] + counts[t];
}

// fine
__global__ void carved_by_bytes(int *g)
{
    extern __shared__ char raw[];
    double *sums = (double *)raw;
    int *counts = (int *)(raw + blockDim.x * sizeof *sums), t = threadIdx.x;
    sums[t] = g[t];
    counts[t] = t;
    __syncthreads();
    g[t] = sums[BLOCK - 1 - t] + counts[t];
}

// race-shared
__global__ void carved_on_top(int *g)
{
    extern __shared__ int words[];
    int *keys = words, *values = words + blockDim.x / 2, t = threadIdx.x;
    keys[t] = g[t];        // A
    values[t] = 2 * t + 1; // B
    __syncthreads();
    g[t] = keys[t] + values[t];
}

// misaligned
__global__ void carved_unevenly(int *g)
{
    extern __shared__ char raw[];
    char *flags = raw;
    double *values = (double *)(raw + 33 * 4);
    int t = threadIdx.x;
    flags[t] = 1;
    values[t] = g[t] + flags[t]; // B
    g[t] = values[t];
}

// fine
__global__ void carved_evenly(int *g)
{
    extern __shared__ char raw[];
    double *values = (double *)raw;
    char *flags = (char *)(values + 32);
    int t = threadIdx.x;
    flags[t] = 1;
    values[t] = g[t] + flags[t];
    g[t] = values[t];
}

// out-of-bounds
__global__ void neighbours_array(int *g)
{
    __shared__ int a[BLOCK], b[BLOCK];
    int t = threadIdx.x;
    b[t] = g[t];
    for (int k = t; k <= BLOCK; k += BLOCK)
        a[k] = 1; // B
    __syncthreads();
    g[t] = a[BLOCK - 1 - t] + b[t];
}

// race-shared
__global__ void total_not_awaited(int *g)
{
    __shared__ int total;
    if (threadIdx.x == 0)
        total = g[WORDS - 1] + 1; // A
    g[threadIdx.x] = total;       // B
}

// fine
__global__ void total_awaited(int *g)
{
    __shared__ int total;
    if (threadIdx.x == 0)
        total = g[WORDS - 1] + 1;
    __syncthreads();
    g[threadIdx.x] = total;
}

static const kernel_row rows[] = {
    ROW(tiles_overtaken, 1, dim3(TILE, TILE), 0),
    ROW(tiles_in_turn, 1, dim3(TILE, TILE), 0),
    ROW(tile_ragged, 1, dim3(TILE, TILE), 0),
    ROW(tile_padded_with_zeros, 1, dim3(TILE, TILE), 0),
    ROW(transpose_at_once, 1, dim3(TILE, TILE), 0),
    ROW(transpose_in_rows, 1, dim3(32, 8), 0),
    ROW(buffers_not_swapped, 1, BLOCK, 0),
    ROW(buffers_swapped, 1, BLOCK, 0),
    ROW(pipeline_not_awaited, 1, BLOCK, 0),
    ROW(pipeline_awaited, 1, BLOCK, 0),
    ROW(bins_not_cleared, 1, BLOCK, 0),
    ROW(bins_cleared, 2, BLOCK, 0),
    ROW(bins_half_cleared, 1, BLOCK, 0),
    ROW(bins_cleared_in_a_loop, 2, BLOCK, 0),
    ROW(bins_plainly_counted, 1, BLOCK, 0),
    ROW(bins_of_each_thread, 2, BLOCK, 0),
    ROW(bins_merged_too_early, 1, BLOCK, 0),
    ROW(bins_merged_by_owners, 2, BLOCK, 0),
    ROW(carved_by_elements, 1, BLOCK, 8 * BLOCK),
    ROW(carved_by_bytes, 1, BLOCK, 12 * BLOCK),
    ROW(carved_on_top, 1, BLOCK, 8 * BLOCK),
    ROW(carved_unevenly, 1, 32, 512),
    ROW(carved_evenly, 1, 32, 288),
    ROW(neighbours_array, 1, BLOCK, 0),
    ROW(total_not_awaited, 1, BLOCK, 0),
    ROW(total_awaited, 1, BLOCK, 0),
};

int main(int argc, char **argv)
{
    return run_all(rows, sizeof rows / sizeof *rows, argc, argv);
}
