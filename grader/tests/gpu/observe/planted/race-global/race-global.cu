/* Races in global memory. */
#include "tests/support/kernel_rows.cuh"

#include <cooperative_groups.h>
#include <cuda_pipeline_primitives.h>

namespace cg = cooperative_groups;

#define THREADS 128

__device__ int total, ticket, arrived;
__device__ volatile int flags[64];

/* --- one word for all threads --------------------------------------------------------------- */

// race-global
__global__ void sum_without_atomic(int *g)
{
    g[0] += threadIdx.x; // AB
}

// race-global
__global__ void block_sums_into_one(int *g)
{
    if (threadIdx.x == 0)
        g[0] = blockIdx.x; // AB
}

// race-global
__global__ void block_sums_added_into_one(int *g)
{
    if (threadIdx.x == 0)
        total += blockIdx.x; // AB
}

// fine
__global__ void block_sums_atomically(int *g)
{
    if (threadIdx.x == 0)
        atomicAdd(&total, blockIdx.x);
}

// fine
__global__ void block_sums_apart(int *g)
{
    if (threadIdx.x == 0)
        g[blockIdx.x] = blockIdx.x;
}

// fine
__global__ void all_write_the_same(int *g)
{
    g[0] = 42;
    if (threadIdx.x % 3 == 0)
        g[1] = gridDim.x;
}

// race-global
__global__ void found_and_looked_at(int *g)
{
    if (blockIdx.x == 3)
        g[0] = 1;                                // A
    g[1 + threadIdx.x + 32 * blockIdx.x] = g[0]; // B
}

// fine
__global__ void found_and_watched(int *g)
{
    volatile int *found = g;
    if (*found)
        return;
    if (blockIdx.x == 3)
        *found = 1;
}

// race-global
__global__ void clear_then_add(int *g)
{
    if (blockIdx.x == 0 && threadIdx.x == 0)
        g[0] = 0;    // A
    atomicAdd(g, 1); // B
}

// fine
__global__ void clear_then_add_in_block(int *g)
{
    if (threadIdx.x == 0)
        g[blockIdx.x] = 0;
    __syncthreads();
    atomicAdd(&g[blockIdx.x], 1);
}

// race-global
__global__ void add_then_read(int *g)
{
    atomicAdd(g, 1); // A
    if (threadIdx.x == 0)
        g[1 + blockIdx.x] = g[0]; // B
}

// race-global
__global__ void histogram_plain(int *g)
{
    g[threadIdx.x % 16]++; // AB
}

// fine
__global__ void histogram_atomic(int *g)
{
    atomicAdd(&g[threadIdx.x % 16], 1);
}

// fine
__global__ void product_by_cas(int *g)
{
    int old = *g, assumed;
    do {
        assumed = old;
        old = atomicCAS(g, assumed, assumed * 3 + 1);
    } while (old != assumed);
    g[1 + threadIdx.x + blockIdx.x * blockDim.x] = old;
}

/* --- arrays --------------------------------------------------------------------------------- */

// race-global
__global__ void stencil_in_place(int *g)
{
    int i = 1 + threadIdx.x + blockIdx.x * blockDim.x;
    g[i] = g[i - 1] + g[i + 1]; // AB
}

// fine
__global__ void stencil_right(int *g)
{
    int i = 1 + threadIdx.x + blockIdx.x * blockDim.x;
    g[1024 + i] = g[i - 1] + g[i + 1];
}

// race-global
__global__ void reverse_in_place(int *g)
{
    int i = threadIdx.x + blockIdx.x * blockDim.x, n = blockDim.x * gridDim.x;
    g[i] = g[n - 1 - i]; // AB
}

// fine
__global__ void swap_in_place(int *g)
{
    int i = threadIdx.x + blockIdx.x * blockDim.x, n = blockDim.x * gridDim.x;
    if (i < n / 2) {
        int keep = g[i];
        g[i] = g[n - 1 - i];
        g[n - 1 - i] = keep;
    }
}

// race-global
__global__ void chunks_overlap_by_one(int *g)
{
    int i = threadIdx.x + blockIdx.x * blockDim.x;
#pragma unroll 1
    for (int k = 0; k <= 4; k++)
        g[4 * i + k] = i; // AB
}

// fine
__global__ void chunks_side_by_side(int *g)
{
    int i = threadIdx.x + blockIdx.x * blockDim.x;
#pragma unroll 1
    for (int k = 0; k < 4; k++)
        g[4 * i + k] = i;
}

// race-global
__global__ void vector_over_the_edge(int *g)
{
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i % 2)
        g[4 * i + 3] = i; // A
    else
        ((int4 *)g)[i + 1] = make_int4(-1, -1, -1, -1); // B
}

// fine
__global__ void vectors_apart(int *g)
{
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    ((int2 *)g)[2 * i] = make_int2(i, i);
    g[4 * i + 2] = i;
    ((short *)g)[8 * i + 6] = i;
    ((char *)g)[16 * i + 14] = i;
    ((char *)g)[16 * i + 15] = i;
}

// fine
__global__ void bytes_of_many_blocks(int *g)
{
    char *bytes = (char *)g;
    int i = threadIdx.x * gridDim.x + blockIdx.x;
    bytes[i] = 1;
    bytes[i] += 3;
}

// race-global
__global__ void grid_stride_wrong(int *g)
{
#pragma unroll 1
    for (int i = threadIdx.x + blockIdx.x * blockDim.x; i < 512; i += blockDim.x)
        g[i] += 1; // AB
}

// fine
__global__ void grid_stride_right(int *g)
{
#pragma unroll 1
    for (int i = threadIdx.x + blockIdx.x * blockDim.x; i < 512; i += blockDim.x * gridDim.x)
        g[i] += 1;
}

/* --- inside a block ------------------------------------------------------------------------- */

// race-global
__global__ void exchange_no_barrier(int *g)
{
    int t = threadIdx.x;
    g[t] = t;                // A
    g[256 + t] = g[127 - t]; // B
}

// fine
__global__ void exchange_right(int *g)
{
    int t = threadIdx.x;
    g[t] = t;
    __syncthreads();
    g[256 + t] = g[127 - t];
}

// race-global
__global__ void exchange_other_block(int *g)
{
    int i = threadIdx.x + blockIdx.x * blockDim.x, n = blockDim.x * gridDim.x;
    g[i] = i; // A
    __syncthreads();
    g[1024 + i] = g[n - 1 - i]; // B
}

// race-global
__global__ void lanes_lock_step(int *g)
{
    int t = threadIdx.x;
    g[t] = t;             // A
    g[64 + t] = g[t ^ 1]; // B
}

// fine
__global__ void lanes_syncwarp(int *g)
{
    int t = threadIdx.x;
    g[t] = t;
    __syncwarp();
    g[64 + t] = g[t ^ 1];
}

// race-global
__global__ void transpose_in_place(int *g)
{
    int x = threadIdx.x, y = blockIdx.x;
    if (x != y)
        g[32 * x + y] = g[32 * y + x] + 1; // AB
}

// race-global
__global__ void copied_while_written(int *g)
{
    __shared__ int s[THREADS];
    int t = threadIdx.x;
    g[t] = t + 1;                                           // A
    __pipeline_memcpy_async(&s[t], &g[THREADS - 1 - t], 4); // B
    __pipeline_commit();
    __pipeline_wait_prior(0);
    g[WORDS / 2 + t] = s[t];
}

// fine
__global__ void copied_after_it_was_written(int *g)
{
    __shared__ int s[THREADS];
    int t = threadIdx.x;
    g[t] = t + 1;
    __syncthreads();
    __pipeline_memcpy_async(&s[t], &g[THREADS - 1 - t], 4);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    g[WORDS / 2 + t] = s[t];
}

// race-global
__global__ void written_after_it_was_copied(int *g)
{
    __shared__ int s[THREADS];
    int t = threadIdx.x;
    __pipeline_memcpy_async(&s[t], &g[THREADS - 1 - t], 4); // A
    __pipeline_commit();
    __pipeline_wait_prior(0);
    g[t] = s[t] + 1; // B
}

/* --- the last block ------------------------------------------------------------------------- */

// fine
__global__ void last_block(int *g)
{
    __shared__ bool is_last;
    if (threadIdx.x == 0) {
        g[blockIdx.x] = blockIdx.x;
        __threadfence();
        is_last = atomicInc((unsigned *)&ticket, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (is_last && threadIdx.x < gridDim.x)
        g[100 + threadIdx.x] = g[threadIdx.x];
}

// fine
__global__ void last_block_all_fence(int *g)
{
    __shared__ bool is_last;
    g[threadIdx.x + 32 * blockIdx.x] = blockIdx.x;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0)
        is_last = atomicInc((unsigned *)&ticket, gridDim.x - 1) == gridDim.x - 1;
    __syncthreads();
    if (is_last)
        for (int i = 0; i < gridDim.x; i++)
            g[1024 + threadIdx.x] += g[32 * i + threadIdx.x];
}

// fine
__global__ void last_block_sets_ticket_back(int *g)
{
    if (threadIdx.x == 0) {
        g[blockIdx.x] = blockIdx.x;
        __threadfence();
        if (atomicAdd(&arrived, 1) == gridDim.x - 1) {
            for (int i = 1; i < gridDim.x; i++)
                g[0] += g[i];
            arrived = 0;
        }
    }
}

// race-global
__global__ void last_block_no_fence(int *g)
{
    __shared__ bool is_last;
    if (threadIdx.x == 0) {
        g[blockIdx.x] = blockIdx.x; // A
        is_last = atomicInc((unsigned *)&ticket, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (is_last && threadIdx.x < gridDim.x)
        g[100 + threadIdx.x] = g[threadIdx.x]; // B
}

// race-global
__global__ void last_block_fence_too_early(int *g)
{
    __shared__ bool is_last;
    if (threadIdx.x == 0) {
        __threadfence();
        g[blockIdx.x] = blockIdx.x; // A
        is_last = atomicInc((unsigned *)&ticket, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (is_last && threadIdx.x < gridDim.x)
        g[100 + threadIdx.x] = g[threadIdx.x]; // B
}

// race-global
__global__ void last_block_fence_of_block(int *g)
{
    __shared__ bool is_last;
    if (threadIdx.x == 0) {
        g[blockIdx.x] = blockIdx.x; // A
        __threadfence_block();
        is_last = atomicInc((unsigned *)&ticket, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (is_last && threadIdx.x < gridDim.x)
        g[100 + threadIdx.x] = g[threadIdx.x]; // B
}

// race-global
__global__ void last_block_volatile_no_fence(int *g)
{
    volatile int *v = g;
    __shared__ bool is_last;
    if (threadIdx.x == 0) {
        v[blockIdx.x] = blockIdx.x; // A
        is_last = atomicInc((unsigned *)&ticket, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (is_last && threadIdx.x < gridDim.x)
        v[100 + threadIdx.x] = v[threadIdx.x]; // B
}

// race-global
__global__ void any_block_takes_all(int *g)
{
    if (threadIdx.x == 0) {
        g[blockIdx.x] = blockIdx.x; // A
        __threadfence();
        atomicAdd(&arrived, 1);
    }
    __syncthreads();
    if (threadIdx.x < gridDim.x)
        atomicAdd(&total, g[threadIdx.x]); // B
}

// race-global
__global__ void last_block_no_barrier(int *g)
{
    __shared__ bool is_last;
    g[threadIdx.x + 64 * blockIdx.x] = blockIdx.x; // A
    if (threadIdx.x == 0) {
        __threadfence();
        is_last = atomicInc((unsigned *)&ticket, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (is_last)
        for (int i = 0; i < gridDim.x; i++)
            g[1024 + threadIdx.x] += g[64 * i + threadIdx.x]; // B
}

/* --- locks and flags ------------------------------------------------------------------------ */

// fine
__global__ void lock_right(int *g)
{
    if (threadIdx.x == 0) {
        while (atomicCAS(g, 0, 1))
            ;
        __threadfence();
        g[1]++;
        __threadfence();
        atomicExch(g, 0);
    }
}

// fine
__global__ void lock_of_each_thread(int *g)
{
    bool done = false;
    while (!done) {
        if (atomicCAS(g, 0, 1) == 0) {
            __threadfence();
            g[1] += threadIdx.x;
            __threadfence();
            atomicExch(g, 0);
            done = true;
        }
    }
}

// race-global
__global__ void lock_no_fence(int *g)
{
    if (threadIdx.x == 0) {
        while (atomicCAS(g, 0, 1))
            ;
        g[1]++; // AB
        atomicExch(g, 0);
    }
}

// race-global
__global__ void lock_not_taken_by_one(int *g)
{
    if (threadIdx.x == 0 && blockIdx.x != 2) {
        while (atomicCAS(g, 0, 1))
            ;
        __threadfence();
        g[1]++; // A
        __threadfence();
        atomicExch(g, 0);
    } else if (threadIdx.x == 0) {
        g[1]++; // B
    }
}

// fine
__global__ void chain_of_blocks(int *g)
{
    if (threadIdx.x == 0) {
        int before = 0;
        if (blockIdx.x > 0) {
            while (!flags[blockIdx.x - 1])
                ;
            before = g[blockIdx.x - 1];
        }
        g[blockIdx.x] = before + 1;
        __threadfence();
        flags[blockIdx.x] = 1;
    }
}

// race-global
__global__ void chain_no_fence(int *g)
{
    volatile int *own = g + 100;
    if (threadIdx.x == 0) {
        int before = 0;
        if (blockIdx.x > 0) {
            while (!own[blockIdx.x - 1])
                ;
            before = g[blockIdx.x - 1]; // A
        }
        g[blockIdx.x] = before + 1; // B
        own[blockIdx.x] = 1;
    }
}

// fine
__global__ void turns_in_one_word(int *g)
{
    volatile int *turn = &g[100];
    if (threadIdx.x == 0) {
        while (*turn != blockIdx.x)
            ;
        __threadfence();
        g[0] += blockIdx.x;
        __threadfence();
        *turn = blockIdx.x + 1;
    }
}

// race-global
__global__ void turns_without_waiting(int *g)
{
    volatile int *turn = &g[100];
    if (threadIdx.x == 0) {
        __threadfence();
        *turn = blockIdx.x + 1; // AB
    }
}

// race-global
__global__ void chain_plain_flag(int *g)
{
    if (blockIdx.x == 0)
        g[100] = 1; // A
    else
        while (!((volatile int *)g)[100]) // B
            ;
}

// fine
__global__ void flag_by_atomics(int *g)
{
    if (blockIdx.x == 0) {
        g[1] = 7;
        __threadfence();
        atomicExch(&g[0], 1);
    } else {
        while (atomicAdd(&g[0], 0) == 0)
            ;
        g[1 + blockIdx.x] = g[1];
    }
}

/* --- cooperative launches and clusters ------------------------------------------------------ */

// fine
__global__ void grid_sync(int *g)
{
    int i = threadIdx.x + blockIdx.x * blockDim.x, n = blockDim.x * gridDim.x;
    g[i] = i;
    cg::this_grid().sync();
    g[1024 + i] = g[n - 1 - i];
    cg::this_grid().sync();
    g[n - 1 - i] = 0;
}

// race-global
__global__ void grid_sync_missing(int *g)
{
    int i = threadIdx.x + blockIdx.x * blockDim.x, n = blockDim.x * gridDim.x;
    g[i] = i;
    cg::this_grid().sync();
    g[1024 + i] = g[n - 1 - i]; // A
    __syncthreads();
    g[i] = 0; // B
}

// race-global
__global__ void no_grid_sync_at_all(int *g)
{
    int i = threadIdx.x + blockIdx.x * blockDim.x, n = blockDim.x * gridDim.x;
    g[i] = i; // A
    cg::this_thread_block().sync();
    g[1024 + i] = g[n - 1 - i]; // B
}

// race-global
__global__ void blocks_meet_in_global_memory(int *g)
{
    int t = blockIdx.x * 64 + threadIdx.x;
    g[t] = t; // A
    __syncthreads();
    g[t + 128] = g[t ^ 64]; // B
}

// fine
__global__ void global_memory_between_two_barriers(int *g)
{
    int t = blockIdx.x * 64 + threadIdx.x;
    for (int i = 0; i < 3; i++) {
        g[t] = t + i;
        cg::this_cluster().sync();
        g[t + 128] = g[t ^ 65];
        cg::this_cluster().sync();
    }
}

static const kernel_row rows[] = {
    ROW(sum_without_atomic, 1, 64),
    ROW(block_sums_into_one, 4, 32),
    ROW(block_sums_added_into_one, 4, 32),
    ROW(block_sums_atomically, 4, 32),
    ROW(block_sums_apart, 40, 32),
    ROW(all_write_the_same, 4, 64),
    ROW(found_and_looked_at, 8, 32),
    ROW(found_and_watched, 8, 32),
    ROW(clear_then_add, 4, 32),
    ROW(clear_then_add_in_block, 4, 64),
    ROW(add_then_read, 4, 32),
    ROW(histogram_plain, 1, 32),
    ROW(histogram_atomic, 4, 64),
    ROW(product_by_cas, 4, 64),
    ROW(stencil_in_place, 4, 64),
    ROW(stencil_right, 4, 64),
    ROW(reverse_in_place, 2, 64),
    ROW(swap_in_place, 2, 64),
    ROW(chunks_overlap_by_one, 2, 32),
    ROW(chunks_side_by_side, 2, 32),
    ROW(vector_over_the_edge, 2, 32),
    ROW(vectors_apart, 2, 32),
    ROW(bytes_of_many_blocks, 4, 64),
    ROW(grid_stride_wrong, 2, 64),
    ROW(grid_stride_right, 2, 64),
    ROW(exchange_no_barrier, 1, 128),
    ROW(exchange_right, 1, 128),
    ROW(exchange_other_block, 2, 64),
    ROW(lanes_lock_step, 1, 32),
    ROW(lanes_syncwarp, 1, 32),
    ROW(transpose_in_place, 32, 32),
    ROW(copied_while_written, 1, THREADS),
    ROW(copied_after_it_was_written, 1, THREADS),
    ROW(written_after_it_was_copied, 1, THREADS),
    ROW(last_block, 8, 32),
    ROW(last_block_all_fence, 8, 32),
    ROW(last_block_sets_ticket_back, 8, 32),
    ROW(last_block_no_fence, 8, 32),
    ROW(last_block_fence_too_early, 8, 32),
    ROW(last_block_fence_of_block, 8, 32),
    ROW(last_block_volatile_no_fence, 8, 32),
    ROW(any_block_takes_all, 8, 32),
    ROW(last_block_no_barrier, 8, 64),
    ROW(lock_right, 8, 32),
    ROW(lock_of_each_thread, 4, 64),
    ROW(lock_no_fence, 8, 32),
    ROW(lock_not_taken_by_one, 8, 32),
    ROW(chain_of_blocks, 16, 32),
    ROW(chain_no_fence, 16, 32),
    ROW(turns_in_one_word, 8, 32),
    ROW(turns_without_waiting, 8, 32),
    ROW(chain_plain_flag, 2, 1),
    ROW(flag_by_atomics, 4, 1),
    ROW(grid_sync, 4, 64, 0, true),
    ROW(grid_sync_missing, 4, 64, 0, true),
    ROW(no_grid_sync_at_all, 4, 64, 0, true),
    PAIR(blocks_meet_in_global_memory),
    PAIR(global_memory_between_two_barriers),
};

int main(int argc, char **argv)
{
    return run_all(rows, sizeof rows / sizeof *rows, argc, argv);
}
