/* Unusual kernels, nearly all of them correct: the tools must not report them. See kernel_rows.cuh. */
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda/atomic>
#include <cuda/semaphore>
#include <cuda_pipeline.h>

#include "tests/support/kernel_rows.cuh"

namespace cg = cooperative_groups;

#define BLOCK 128
#define OUT   0x2000

/* --- bits and bytes of words ------------------------------------------------------------------------ */

struct packed {
    unsigned kind : 3, size : 13, place : 16;
};

// fine
__global__ void bit_fields_one_by_one(int *g)
{
    __shared__ packed all[BLOCK];
    int t = threadIdx.x;
    all[t] = packed{};
    all[t].kind = t & 7;
    all[t].size = 3 * t;
    all[t].place = g[t] + t;
    __syncthreads();
    packed other = all[BLOCK - 1 - t];
    g[OUT + t] = other.kind + other.size + other.place;
}

struct flags {
    unsigned kind : 3, size : 13; /* 16 bits are in no field */
};

// fine
__global__ void bit_fields_of_a_part(int *g)
{
    __shared__ flags all[BLOCK];
    int t = threadIdx.x;
    all[t].kind = g[t] + t;
    all[t].size = 3 * t;
    __syncthreads();
    flags other = all[BLOCK - 1 - t];
    g[OUT + t] = other.kind + other.size;
}

// fine
__global__ void bit_fields_by_and_by(int *g)
{
    __shared__ flags all[BLOCK];
    int t = threadIdx.x;
    all[t].kind = g[t] + t;
    __syncthreads();
    all[BLOCK - 1 - t].size = 3 * t + all[BLOCK - 1 - t].kind;
    __syncthreads();
    g[OUT + t] = all[t].size;
}

// uninitialised-read
__global__ void bit_field_that_nobody_sets(int *g)
{
    __shared__ flags all[BLOCK];
    int t = threadIdx.x;
    if (t < BLOCK / 2)
        all[t].kind = g[t] + t; // A
    __syncthreads();
    g[OUT + t] = all[t].kind; // B
}

// uninitialised-read
__global__ void bits_kept_of_nothing(int *g)
{
    __shared__ int words[BLOCK];
    int t = threadIdx.x;
    if (t % 2)
        words[t] = g[t]; // A
    __syncthreads();
    g[OUT + t] = (words[t] & ~7) | (t & 7); // B
}

union bits {
    float value;
    unsigned word;
    unsigned char bytes[4];
};

// fine
__global__ void union_by_turns(int *g)
{
    bits one;
    int t = threadIdx.x;
    one.value = t * 0.5f;
    one.bytes[(g[t] + t) & 3] ^= 0x80;
    g[OUT + t] = one.word;
}

// fine
__global__ void bytes_of_shared_words(int *g)
{
    __shared__ unsigned char bytes[4 * BLOCK];
    int t = threadIdx.x;
    for (int k = 0; k < 4; k++)
        bytes[k * BLOCK + t] = g[t] + k;
    __syncthreads();
    g[OUT + t] = ((unsigned *)bytes)[t];
}

// fine
__global__ void halves_of_shared_words(int *g)
{
    __shared__ unsigned words[BLOCK];
    unsigned short *halves = (unsigned short *)words;
    int t = threadIdx.x;
    halves[t] = t;
    halves[BLOCK + t] = g[t];
    __syncthreads();
    g[OUT + t] = words[t];
}

struct padded {
    char tag;
    double value;
    short count;
};

// fine
__global__ void padding_is_copied(int *g)
{
    __shared__ padded all[BLOCK];
    padded *out = (padded *)(g + OUT);
    int t = threadIdx.x;
    all[t].tag = t;
    all[t].value = t / 3.0;
    all[t].count = g[t];
    __syncthreads();
    out[t] = all[BLOCK - 1 - t];
}

struct small {
    char letters[3];
};

// fine
__global__ void structures_of_three_bytes(int *g)
{
    __shared__ small all[BLOCK];
    int t = threadIdx.x;
    small own;
    for (int k = 0; k < 3; k++)
        own.letters[k] = g[t] + t + k;
    all[t] = own;
    __syncthreads();
    small other = all[(t + 1) % BLOCK];
    g[OUT + t] = other.letters[0] + other.letters[1] + other.letters[2];
}

/* --- local arrays of a thread --------------------------------------------------------------------------- */

// fine
__global__ void local_array_by_number(int *g)
{
    int stack[16], top = 0, t = threadIdx.x;
    for (int k = 0; k < 16; k++)
        if ((g[k] + t + k) & 1)
            stack[top++] = k;
    int sum = 0;
    while (top)
        sum += stack[--top];
    g[OUT + t] = sum;
}

struct node {
    int key, next;
};

// fine
__global__ void list_in_a_local_array(int *g)
{
    node nodes[8];
    int head = -1, t = threadIdx.x;
    for (int k = 0; k < 8; k++) {
        nodes[k] = node{g[t] + (t ^ k), head};
        head = k;
    }
    int sum = 0;
    for (int k = head; k >= 0; k = nodes[k].next)
        sum += nodes[k].key;
    g[OUT + t] = sum;
}

/* --- warps ------------------------------------------------------------------------------------------------ */

// fine
__global__ void reduction_of_a_short_warp(int *g)
{
    int t = threadIdx.x, v = g[t] + t;
    unsigned there = __activemask();
    for (int off = 16; off; off /= 2) {
        int other = __shfl_down_sync(there, v, off);
        if (t % 32 + off < __popc(there))
            v += other;
    }
    if (t % 32 == 0)
        g[OUT + t / 32] = v;
}

// fine
__global__ void histograms_of_warps(int *g)
{
    __shared__ int bins[BLOCK / 32][16];
    int t = threadIdx.x, warp = t / 32, lane = t % 32;
    if (lane < 16)
        bins[warp][lane] = 0;
    __syncwarp();
    for (int i = t; i < 1024; i += BLOCK)
        atomicAdd(&bins[warp][(g[i] + i * 7) & 15], 1);
    __syncthreads();
    if (t < 16) {
        int sum = 0;
        for (int w = 0; w < BLOCK / 32; w++)
            sum += bins[w][t];
        atomicAdd(&g[OUT + t], sum);
    }
}

// fine
__global__ void tiles_within_tiles(int *g)
{
    __shared__ int s[BLOCK];
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<16> tile = cg::tiled_partition<16>(block);
    cg::thread_block_tile<4> part = cg::tiled_partition<4>(tile);
    int t = threadIdx.x;
    s[t] = g[t] + t;
    part.sync();
    int v = s[t ^ 1];
    tile.sync();
    s[t] = v + part.shfl_xor(v, 2);
    tile.sync();
    g[OUT + t] = s[t ^ 8];
}

// fine
__global__ void stream_compacted_by_groups(int *g)
{
    int t = threadIdx.x;
    if ((t * 7 + g[t]) % 3 == 0) {
        cg::coalesced_group group = cg::coalesced_threads();
        int first = 0;
        if (group.thread_rank() == 0)
            first = atomicAdd(&g[OUT], group.size());
        g[OUT + 1 + group.shfl(first, 0) + group.thread_rank()] = t;
    }
}

/* --- blocks ------------------------------------------------------------------------------------------------- */

// fine
__global__ void two_buffers_one_barrier(int *g)
{
    __shared__ int buffer[2][BLOCK];
    int t = threadIdx.x, sum = 0;
    for (int step = 0; step < 8; step++) {
        int *now = buffer[step & 1];
        now[t] = g[step * BLOCK + t];
        __syncthreads();
        sum += now[BLOCK - 1 - t] + now[(t + 5) % BLOCK];
    }
    g[OUT + t] = sum;
}

// fine
__global__ void two_buffers_filled_beside(int *g)
{
    __shared__ int buffer[2][BLOCK];
    int t = threadIdx.x, sum = 0;
    __pipeline_memcpy_async(&buffer[0][t], &g[t], 4);
    __pipeline_commit();
    for (int step = 0; step < 8; step++) {
        if (step < 7)
            __pipeline_memcpy_async(&buffer[(step + 1) & 1][t], &g[(step + 1) * BLOCK + t], 4);
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        sum += buffer[step & 1][BLOCK - 1 - t];
        __syncthreads();
    }
    g[OUT + t] = sum;
}

// fine
__global__ void waits_for_no_copy(int *g)
{
    int t = threadIdx.x;
    __pipeline_wait_prior(0);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    g[OUT + t] = g[t];
}

// fine
__global__ void shared_array_in_two_roles(int *g)
{
    extern __shared__ int pool[];
    float *floats = (float *)pool;
    int t = threadIdx.x;
    pool[t] = g[t] + t;
    __syncthreads();
    int other = pool[BLOCK - 1 - t];
    __syncthreads();
    floats[t] = other * 0.5f;
    __syncthreads();
    g[OUT + t] = floats[(t + 1) % BLOCK];
}

// fine
__global__ void flag_of_the_block(int *g)
{
    __shared__ bool any;
    int t = threadIdx.x;
    if (t == 0)
        any = false;
    __syncthreads();
    if ((g[t] + t) % 50 == 49)
        any = true;
    __syncthreads();
    g[OUT + t] = any;
}

// fine
__global__ void sums_looked_back_for(int *g)
{
    __shared__ int before;
    volatile int *state = &g[0x3000], *sums = &g[0x3100];
    int tile = blockIdx.x, t = threadIdx.x;
    int own = __syncthreads_count((g[tile * BLOCK + t] + t) & 1);
    if (t == 0) {
        int total = 0;
        sums[tile] = own;
        __threadfence();
        state[tile] = 1;
        for (int k = tile - 1; k >= 0; k--) {
            while (state[k] == 0)
                ;
            __threadfence();
            total += sums[k];
        }
        before = total;
    }
    __syncthreads();
    g[OUT + tile * BLOCK + t] = before + own;
}

// fine
__global__ void tiles_drawn_by_blocks(int *g)
{
    __shared__ int tile;
    for (;;) {
        if (threadIdx.x == 0)
            tile = atomicAdd(&g[0x3000], 1);
        __syncthreads();
        int mine = tile;
        __syncthreads();
        if (mine >= 16)
            break;
        g[OUT + mine * BLOCK + threadIdx.x] = g[mine * BLOCK + threadIdx.x] + mine;
    }
}

// fine
__global__ void last_block_adds_up(int *g)
{
    __shared__ int last;
    int t = threadIdx.x;
    int *sums = g + OUT, *done = g + 0x3000;
    int own = __syncthreads_count((g[t] + t + blockIdx.x) & 1);
    if (t == 0) {
        sums[blockIdx.x] = own;
        __threadfence();
        last = atomicInc((unsigned *)done, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && t < gridDim.x)
        g[OUT + 64 + t] = ((volatile int *)sums)[t];
}

// fine
__global__ void group_library(int *g)
{
    __shared__ int s[BLOCK];
    cg::thread_block block = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(block);
    int t = threadIdx.x;
    cg::memcpy_async(block, s, g, sizeof s);
    cg::wait(block);
    int v = s[BLOCK - 1 - t] + t;
    int sum = cg::reduce(warp, v, cg::plus<int>());
    int before = cg::exclusive_scan(warp, v, cg::plus<int>());
    g[OUT + t] = sum + before;
}

// fine
__global__ void semaphore_of_the_block(int *g)
{
    __shared__ cuda::binary_semaphore<cuda::thread_scope_block> turn;
    __shared__ int sum;
    int t = threadIdx.x;
    if (t == 0) {
        new (&turn) cuda::binary_semaphore<cuda::thread_scope_block>(1);
        sum = 0;
    }
    __syncthreads();
    if (t % 32 == 0) {
        turn.acquire();
        sum += t;
        turn.release();
    }
    __syncthreads();
    g[OUT + t] = sum;
}

// fine
__global__ void word_that_carries_all(int *g)
{
    cuda::atomic_ref<int, cuda::thread_scope_device> word(g[0x3000]);
    int t = threadIdx.x;
    if (t == 0 && blockIdx.x == 0) {
        g[OUT] = 17;
        word.store(5, cuda::memory_order_release);
        word.notify_all();
    } else if (t == 0) {
        word.wait(0, cuda::memory_order_acquire);
        g[OUT + blockIdx.x] = g[OUT] + word.load(cuda::memory_order_relaxed);
    }
}

// fine
__global__ void sums_packed_with_their_flags(int *g)
{
    volatile unsigned long long *state = (unsigned long long *)&g[0x3000];
    if (threadIdx.x == 0) {
        unsigned long long before = 0;
        if (blockIdx.x)
            while (!((before = state[blockIdx.x - 1]) >> 63))
                ;
        state[blockIdx.x] = (before + g[blockIdx.x] + 1) | 1ull << 63;
    }
}

// fine
__global__ void last_of_each_warp(int *g)
{
    __shared__ int s[BLOCK], count[BLOCK / 32];
    int t = threadIdx.x, warp = t / 32;
    if (t % 32 == 0)
        count[warp] = 0;
    __syncwarp();
    s[t] = g[t] + t;
    __threadfence_block();
    if (atomicAdd(&count[warp], 1) == 31) {
        int sum = 0;
        __threadfence_block();
        for (int k = 0; k < 32; k++)
            sum += s[warp * 32 + k];
        g[OUT + warp] = sum;
    }
}

// fine
__global__ void ring_between_warps(int *g)
{
    __shared__ int ring[4][32];
    __shared__ volatile int filled, taken;
    int lane = threadIdx.x % 32;
    if (threadIdx.x == 0)
        filled = taken = 0;
    __syncthreads();
    for (int k = 0; k < 16; k++) {
        if (threadIdx.x < 32) {
            while (k - taken >= 4)
                ;
            __threadfence_block();
            ring[k & 3][lane] = g[k] + lane;
            __threadfence_block();
            __syncwarp();
            if (lane == 0)
                filled = k + 1;
        } else {
            while (filled <= k)
                ;
            __threadfence_block();
            g[OUT + k * 32 + lane] = ring[k & 3][31 - lane];
            __threadfence_block();
            __syncwarp();
            if (lane == 0)
                taken = k + 1;
        }
    }
}

static const kernel_row rows[] = {
    ROW(bit_fields_one_by_one, 1, BLOCK),   ROW(bit_fields_of_a_part, 1, BLOCK),
    ROW(bit_fields_by_and_by, 1, BLOCK),    ROW(bit_field_that_nobody_sets, 1, BLOCK),
    ROW(bits_kept_of_nothing, 1, BLOCK),    ROW(union_by_turns, 1, BLOCK),
    ROW(bytes_of_shared_words, 1, BLOCK),   ROW(halves_of_shared_words, 1, BLOCK),
    ROW(padding_is_copied, 1, BLOCK),       ROW(structures_of_three_bytes, 1, BLOCK),
    ROW(local_array_by_number, 1, BLOCK),   ROW(list_in_a_local_array, 1, BLOCK),
    ROW(reduction_of_a_short_warp, 1, 77),  ROW(histograms_of_warps, 2, BLOCK),
    ROW(tiles_within_tiles, 1, BLOCK),      ROW(stream_compacted_by_groups, 1, BLOCK),
    ROW(two_buffers_one_barrier, 1, BLOCK), ROW(two_buffers_filled_beside, 1, BLOCK),
    ROW(waits_for_no_copy, 1, BLOCK),       ROW(shared_array_in_two_roles, 1, BLOCK, 4 * BLOCK),
    ROW(flag_of_the_block, 1, BLOCK),       ROW(sums_looked_back_for, 8, BLOCK),
    ROW(tiles_drawn_by_blocks, 4, BLOCK),   ROW(last_block_adds_up, 16, BLOCK),
    ROW(group_library, 1, BLOCK),           ROW(semaphore_of_the_block, 1, BLOCK),
    ROW(word_that_carries_all, 4, 32),      ROW(sums_packed_with_their_flags, 8, 32),
    ROW(last_of_each_warp, 1, BLOCK),       ROW(ring_between_warps, 1, 64),
};

int main(int argc, char **argv)
{
    return run_all(rows, sizeof rows / sizeof *rows, argc, argv);
}
