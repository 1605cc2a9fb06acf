/* What students get wrong in global memory and among blocks, each beside the same kernel done right: see kernel_rows.cuh. */
#include <cooperative_groups.h>

#include "tests/support/kernel_rows.cuh"

namespace cg = cooperative_groups;

#define BLOCK 128
#define OUT   (WORDS / 2)

__device__ int tickets, lock, total;
__device__ volatile int turn;

// out-of-bounds
__global__ void grid_stride_too_far(int *g)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i <= WORDS; i += gridDim.x * blockDim.x)
        g[i] = i; // B
}

// fine
__global__ void grid_stride_just_far_enough(int *g)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < WORDS; i += gridDim.x * blockDim.x)
        g[i] = i;
}

// race-global
__global__ void strides_of_one_block(int *g)
{
    for (int i = threadIdx.x; i < 1024; i += blockDim.x)
        g[i] += 1; // AB
}

// fine
__global__ void strides_of_the_grid(int *g)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < 1024; i += gridDim.x * blockDim.x)
        g[i] += 1;
}

// race-global
__global__ void histogram_plain(int *g)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    g[OUT + (i * 7 & 31)]++; // AB
}

// fine
__global__ void histogram_atomic(int *g)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&g[OUT + (i * 7 & 31)], 1);
}

// race-global
__global__ void jacobi_in_place(int *g)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x + 1;
    g[i] = g[i - 1] + i; // AB
}

// fine
__global__ void jacobi_of_two_arrays(int *g)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x + 1;
    g[OUT + i] = g[i - 1] + i;
}

// out-of-bounds
__global__ void left_of_the_first(int *g)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    g[OUT + i] = g[i - 1] + g[i + 1]; // B
}

// fine
__global__ void left_clamped(int *g)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    g[OUT + i] = g[max(i - 1, 0)] + g[i + 1];
}

// out-of-bounds
__global__ void columns_for_rows(int *g)
{
    int x = threadIdx.x, y = blockIdx.x;
    g[x * 256 + y] = 1; // B
}

// fine
__global__ void rows_for_columns(int *g)
{
    int x = threadIdx.x, y = blockIdx.x;
    g[y * 256 + x] = 1;
}

// out-of-bounds
__global__ void rows_ragged(int *g)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 200)
        g[WORDS - 8000 + y * 200 + x] = 1; // B
}

// fine
__global__ void rows_ragged_with_both_tests(int *g)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 200 && y < 40)
        g[WORDS - 8000 + y * 200 + x] = 1;
}

// misaligned
__global__ void vectors_from_the_second_word(int *g)
{
    const int4 *v = (const int4 *)(g + 1);
    int4 a = v[threadIdx.x]; // B
    g[OUT + threadIdx.x] = a.x + a.y + a.z + a.w;
}

// fine
__global__ void vectors_from_the_fifth_word(int *g)
{
    const int4 *v = (const int4 *)(g + 4);
    int4 a = v[threadIdx.x];
    g[OUT + threadIdx.x] = a.x + a.y + a.z + a.w;
}

// misaligned
__global__ void doubles_in_odd_rows(int *g)
{
    double *row = (double *)((char *)g + blockIdx.x * 9 * 4);
    row[threadIdx.x & 3] = 1; // B
}

// race-global
__global__ void rows_overlap(int *g)
{
    double *row = (double *)((char *)g + blockIdx.x * 24);
    row[threadIdx.x & 3] = blockIdx.x + threadIdx.x % 4; // AB
}

// fine
__global__ void rows_of_even_pitch(int *g)
{
    double *row = (double *)((char *)g + blockIdx.x * 10 * 4);
    row[threadIdx.x & 3] = threadIdx.x % 4;
}

// race-global
__global__ void sum_by_everyone(int *g)
{
    __shared__ int s;
    if (threadIdx.x == 0)
        s = 0;
    __syncthreads();
    atomicAdd(&s, g[threadIdx.x] + 1);
    __syncthreads();
    if (threadIdx.x == 0)
        total += s; // AB
}

// fine
__global__ void sum_by_one_of_each_block(int *g)
{
    __shared__ int s;
    if (threadIdx.x == 0)
        s = 0;
    __syncthreads();
    atomicAdd(&s, g[threadIdx.x] + 1);
    __syncthreads();
    if (threadIdx.x == 0)
        atomicAdd(&total, s);
}

// race-global
__global__ void last_block_without_fence(int *g)
{
    __shared__ bool last;
    if (threadIdx.x == 0) {
        g[blockIdx.x] = blockIdx.x + 1; // A
        last = atomicAdd(&g[OUT], 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x == 0) {
        int sum = 0;
        for (int b = 0; b < gridDim.x; b++)
            sum += g[b]; // B
        g[OUT + 1] = sum;
    }
}

// fine
__global__ void last_block_with_fence(int *g)
{
    __shared__ bool last;
    if (threadIdx.x == 0) {
        g[blockIdx.x] = blockIdx.x + 1;
        __threadfence();
        last = atomicAdd(&g[OUT], 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x == 0) {
        int sum = 0;
        __threadfence();
        for (int b = 0; b < gridDim.x; b++)
            sum += g[b];
        g[OUT + 1] = sum;
    }
}

// race-global
__global__ void locked_without_fences(int *g)
{
    if (threadIdx.x == 0) {
        while (atomicCAS(&g[OUT], 0, 1))
            ;
        g[0] += 1; // AB
        atomicExch(&g[OUT], 0);
    }
}

// fine
__global__ void locked_with_fences(int *g)
{
    if (threadIdx.x == 0) {
        while (atomicCAS(&g[OUT], 0, 1))
            ;
        __threadfence();
        g[0] += 1;
        __threadfence();
        atomicExch(&g[OUT], 0);
    }
}

// fine
__global__ void locked_by_each_lane(int *g)
{
    bool done = false;
    while (!done) {
        if (atomicCAS(&g[OUT], 0, 1) == 0) {
            __threadfence();
            g[0] += 1;
            __threadfence();
            atomicExch(&g[OUT], 0);
            done = true;
        }
    }
}

// race-global
__global__ void phases_without_grid_barrier(int *g)
{
    int n = gridDim.x * blockDim.x, i = blockIdx.x * blockDim.x + threadIdx.x;
    g[i] = i; // A
    __syncthreads();
    g[OUT + i] = g[n - 1 - i]; // B
}

// fine
__global__ void phases_with_grid_barrier(int *g)
{
    int n = gridDim.x * blockDim.x, i = blockIdx.x * blockDim.x + threadIdx.x;
    g[i] = i;
    cg::this_grid().sync();
    g[OUT + i] = g[n - 1 - i];
}

// deadlock
__global__ void grid_barrier_left_out(int *g)
{
    if (blockIdx.x == 1)
        return;
    g[blockIdx.x] = 1;
    cg::this_grid().sync(); // B
    g[OUT + blockIdx.x] = g[0];
}

// fine
__global__ void grid_barrier_for_all(int *g)
{
    if (blockIdx.x != 1)
        g[blockIdx.x] = 1;
    cg::this_grid().sync();
    if (blockIdx.x != 1)
        g[OUT + blockIdx.x] = g[0];
}

// deadlock
__global__ void chain_from_the_wrong_end(int *g)
{
    volatile int *flag = g + OUT;
    if (threadIdx.x == 0) {
        while (flag[blockIdx.x] == 0) // B
            ;
        __threadfence();
        g[blockIdx.x + 1] = g[blockIdx.x] + 1;
        __threadfence();
        flag[blockIdx.x + 1] = 1;
    }
}

// fine
__global__ void chain_from_the_first(int *g)
{
    volatile int *flag = g + OUT;
    if (threadIdx.x == 0) {
        while (blockIdx.x && flag[blockIdx.x] == 0)
            ;
        __threadfence();
        g[blockIdx.x + 1] = g[blockIdx.x] + 1;
        __threadfence();
        flag[blockIdx.x + 1] = 1;
    }
}

// race-global
__global__ void chain_without_fence(int *g)
{
    volatile int *flag = g + OUT;
    if (threadIdx.x == 0) {
        while (blockIdx.x && flag[blockIdx.x] == 0)
            ;
        g[blockIdx.x + 1] = g[blockIdx.x] + 1; // AB
        flag[blockIdx.x + 1] = 1;
    }
}

// race-global
__global__ void maximum_by_plain_store(int *g)
{
    int v = (threadIdx.x * 37 + blockIdx.x) % 101;
    if (v > g[OUT]) // A
        g[OUT] = v; // B
}

// fine
__global__ void maximum_by_atomic(int *g)
{
    atomicMax(&g[OUT], (threadIdx.x * 37 + blockIdx.x) % 101);
}

// fine
__global__ void float_sum_by_compare_and_swap(int *g)
{
    unsigned *word = (unsigned *)&g[OUT], old = *word, seen;
    do {
        seen = old;
        old = atomicCAS(word, seen, __float_as_uint(__uint_as_float(seen) + 1.0f));
    } while (old != seen);
}

// fine
__global__ void flag_raised_by_many(int *g)
{
    if (g[threadIdx.x] == 0)
        g[OUT] = 1;
}

// race-global
__global__ void bits_set_by_plain_or(int *g)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    g[OUT + i / 32] |= 1 << i % 32; // AB
}

// fine
__global__ void bits_set_by_atomic_or(int *g)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicOr(&g[OUT + i / 32], 1 << i % 32);
}

// fine
__global__ void bytes_set_by_neighbours(int *g)
{
    unsigned char *bytes = (unsigned char *)(g + OUT);
    bytes[blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.x;
}

struct particle {
    float x, y, z;
    unsigned char kind;
};

// race-global
__global__ void neighbours_forces_written(int *g)
{
    particle *p = (particle *)g;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    p[i].x += 1;                         // A
    p[(i + 1) & 255].x -= p[i].y + 0.5f; // B
}

// fine
__global__ void members_of_their_own(int *g)
{
    particle *p = (particle *)g;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    p[i].x += 1;
    p[(i + 1) & 255].kind = i & 7;
}

// race-global
__global__ void columns_by_each_row(int *g)
{
    atomicAdd(&g[OUT + threadIdx.x], (int)blockIdx.x); // A
    if (blockIdx.x == gridDim.x - 1)
        g[threadIdx.x] = g[OUT + threadIdx.x]; // B
}

// out-of-bounds
__global__ void index_wraps_around(int *g)
{
    int n = 25000 * gridDim.x, i = blockIdx.x * blockDim.x + threadIdx.x;
    g[(n * (n + i)) % WORDS] = 1; // B
}

// out-of-bounds
__global__ void pitch_counted_twice(int *g)
{
    size_t pitch = 512;
    g[threadIdx.y * pitch + blockIdx.x * 8 * pitch + threadIdx.x] = 1; // B
}

// fine
__global__ void pitch_counted_in_bytes(int *g)
{
    size_t pitch = 512;
    int *row = (int *)((char *)g + (blockIdx.x * 8 + threadIdx.y) * pitch);
    row[threadIdx.x] = 1;
}

static const kernel_row rows[] = {
    ROW(grid_stride_too_far, 4, BLOCK, 0),
    ROW(grid_stride_just_far_enough, 2, BLOCK, 0),
    ROW(strides_of_one_block, 2, BLOCK, 0),
    ROW(strides_of_the_grid, 2, BLOCK, 0),
    ROW(histogram_plain, 2, BLOCK, 0),
    ROW(histogram_atomic, 2, BLOCK, 0),
    ROW(jacobi_in_place, 2, BLOCK, 0),
    ROW(jacobi_of_two_arrays, 2, BLOCK, 0),
    ROW(left_of_the_first, 2, BLOCK, 0),
    ROW(left_clamped, 2, BLOCK, 0),
    ROW(columns_for_rows, 64, 256, 0),
    ROW(rows_for_columns, 64, 256, 0),
    ROW(rows_ragged, dim3(13, 3), dim3(16, 16), 0),
    ROW(rows_ragged_with_both_tests, dim3(13, 3), dim3(16, 16), 0),
    ROW(vectors_from_the_second_word, 1, 32, 0),
    ROW(vectors_from_the_fifth_word, 1, 32, 0),
    ROW(doubles_in_odd_rows, 4, 4, 0),
    ROW(rows_overlap, 4, 4, 0),
    ROW(rows_of_even_pitch, 4, 4, 0),
    ROW(sum_by_everyone, 2, BLOCK, 0),
    ROW(sum_by_one_of_each_block, 2, BLOCK, 0),
    ROW(last_block_without_fence, 8, 32, 0),
    ROW(last_block_with_fence, 8, 32, 0),
    ROW(locked_without_fences, 4, 32, 0),
    ROW(locked_with_fences, 4, 32, 0),
    ROW(locked_by_each_lane, 2, BLOCK, 0),
    ROW(phases_without_grid_barrier, 2, BLOCK, 0),
    ROW(phases_with_grid_barrier, 2, BLOCK, 0, true),
    ROW(grid_barrier_left_out, 4, 64, 0, true),
    ROW(grid_barrier_for_all, 4, 64, 0, true),
    ROW(chain_from_the_wrong_end, 4, 32, 0),
    ROW(chain_from_the_first, 4, 32, 0),
    ROW(chain_without_fence, 4, 32, 0),
    ROW(maximum_by_plain_store, 2, BLOCK, 0),
    ROW(maximum_by_atomic, 2, BLOCK, 0),
    ROW(float_sum_by_compare_and_swap, 2, BLOCK, 0),
    ROW(flag_raised_by_many, 2, BLOCK, 0),
    ROW(bits_set_by_plain_or, 2, BLOCK, 0),
    ROW(bits_set_by_atomic_or, 2, BLOCK, 0),
    ROW(bytes_set_by_neighbours, 2, BLOCK, 0),
    ROW(neighbours_forces_written, 2, BLOCK, 0),
    ROW(members_of_their_own, 2, BLOCK, 0),
    ROW(columns_by_each_row, 2, BLOCK, 0),
    ROW(index_wraps_around, 2, BLOCK, 0),
    ROW(pitch_counted_twice, 16, dim3(32, 8), 0),
    ROW(pitch_counted_in_bytes, 16, dim3(32, 8), 0),
};

int main(int argc, char **argv)
{
    return run_all(rows, sizeof rows / sizeof *rows, argc, argv);
}
