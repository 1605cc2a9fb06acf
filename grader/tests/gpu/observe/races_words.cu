/* More races in shared memory: words for all, parts of words, barriers of some, locks and flags. */
#include "tests/support/races.cuh"

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

/* --- words for all ------------------------------------------------------------------------------- */

// race-shared
__global__ void flag_read_too_early(int *g)
{
    __shared__ int limit;
    if (threadIdx.x == 0)
        limit = g[0] + 5;       // A
    g[1 + threadIdx.x] = limit; // B
}

// fine
__global__ void flag_right(int *g)
{
    __shared__ int limit;
    if (threadIdx.x == 0)
        limit = g[0] + 5;
    __syncthreads();
    g[1 + threadIdx.x] = limit;
}

// race-shared
__global__ void flag_used_again(int *g)
{
    __shared__ int current;
#pragma unroll 1
    for (int k = 0; k < 3; k++) {
        if (threadIdx.x == 0)
            current = g[k] + k; // A
        __syncthreads();
        g[64 + threadIdx.x] += current; // B
    }
}

// fine
__global__ void found_by_any(int *g)
{
    __shared__ int found;
    if (threadIdx.x == 0)
        found = 0;
    __syncthreads();
    if (g[threadIdx.x] == 0)
        found = 1; /* all write the same */
    __syncthreads();
    g[64 + threadIdx.x] = found;
}

// race-shared
__global__ void found_by_the_last(int *g)
{
    __shared__ int found;
    if (g[threadIdx.x] == 0)
        found = threadIdx.x; // AB
    __syncthreads();
    g[64 + threadIdx.x] = found;
}

// race-shared
__global__ void lanes_write_one_word(int *g)
{
    __shared__ int word;
    if (threadIdx.x < 2)
        word = threadIdx.x; // AB
    __syncthreads();
    g[threadIdx.x] = word;
}

// race-shared
__global__ void count_without_atomic(int *g)
{
    __shared__ int bins[8];
    if (threadIdx.x < 8)
        bins[threadIdx.x] = 0;
    __syncthreads();
    bins[threadIdx.x % 8]++; // AB
    __syncthreads();
    if (threadIdx.x < 8)
        g[threadIdx.x] = bins[threadIdx.x];
}

// fine
__global__ void count_right(int *g)
{
    __shared__ int bins[8];
    if (threadIdx.x < 8)
        bins[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&bins[threadIdx.x % 8], 1);
    __syncthreads();
    if (threadIdx.x < 8)
        g[threadIdx.x] = bins[threadIdx.x];
}

// race-shared
__global__ void count_cleared_too_late(int *g)
{
    __shared__ int bins[8];
    if (threadIdx.x >= 64 && threadIdx.x < 72)
        bins[threadIdx.x - 64] = 0;       // A
    atomicAdd(&bins[threadIdx.x % 8], 1); // B
    __syncthreads();
    if (threadIdx.x < 8)
        g[threadIdx.x] = bins[threadIdx.x];
}

// race-shared
__global__ void count_read_too_early(int *g)
{
    __shared__ int bins[8];
    if (threadIdx.x < 8)
        bins[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&bins[threadIdx.x % 8], 1); // A
    if (threadIdx.x < 8)
        g[threadIdx.x] = bins[threadIdx.x]; // B
}

/* --- parts of words ------------------------------------------------------------------------------- */

struct pair {
    char a, b;
    short c;
};

// fine
__global__ void bytes_of_a_word(int *g)
{
    __shared__ unsigned char s[128];
    int t = threadIdx.x;
    s[t ^ 3] = t;
    s[t ^ 3] += 1;
    __syncthreads();
    g[t] = s[t];
}

// fine
__global__ void fields_of_a_struct(int *g)
{
    __shared__ pair s[32];
    int t = threadIdx.x;
    if (t < 32)
        s[t].a = t;
    else if (t < 64)
        s[t - 32].b = t;
    else
        s[t - 64].c = t;
    __syncthreads();
    if (t < 32)
        g[t] = s[t].a + s[t].b + s[t].c;
}

// race-shared
__global__ void one_field_by_two(int *g)
{
    __shared__ pair s[32];
    int t = threadIdx.x;
    if (t < 32)
        s[t].a = t;
    else
        s[t % 32].b = t; // AB
    __syncthreads();
    if (t < 32)
        g[t] = s[t].a + s[t].b;
}

// race-shared
__global__ void bytes_read_as_words(int *g)
{
    __shared__ unsigned s[32];
    unsigned char *bytes = (unsigned char *)s;
    int t = threadIdx.x;
    bytes[t] = t; // A
    if (t < 32)
        g[t] = s[t]; // B
}

// race-shared
__global__ void vectors_overlap(int *g)
{
    __shared__ int4 s[64];
    int t = threadIdx.x;
    int *words = (int *)s;
    s[t] = make_int4(t, t, t, t);  // A
    g[t] = words[4 * t + 7 & 255]; // B
}

// fine
__global__ void vectors_right(int *g)
{
    __shared__ int4 s[64];
    int t = threadIdx.x;
    int *words = (int *)s;
    s[t] = make_int4(t, t, t, t);
    __syncthreads();
    g[t] = words[4 * t + 7 & 255];
}

// race-shared
__global__ void doubles_overlap(int *g)
{
    __shared__ double s[64];
    int t = threadIdx.x;
    if (t < 32)
        s[t] = t; // A
    else
        ((int *)s)[2 * (t - 32) + 1] = t; // B
    __syncthreads();
    g[t] = s[t % 32] > 1;
}

/* --- by other names -------------------------------------------------------------------------------- */

__device__ __noinline__ void put(int *where, int value)
{
    *where = value; // A of generic_pointer
}

// race-shared
__global__ void generic_pointer(int *g)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    put(g[100] ? g : s + t, t);
    g[t] = s[63 - t]; // B
}

// fine
__global__ void generic_pointer_right(int *g)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    put(g[100] ? g : s + t, t);
    __syncthreads();
    g[t] = s[63 - t];
}

// race-shared
__global__ void two_parts_of_dynamic(int *g)
{
    extern __shared__ int dynamic[];
    int t = threadIdx.x;
    int *first = dynamic, *second = dynamic + 63; /* one short */
    first[t] = t;                                 // A
    second[t] = -t;                               // B
    __syncthreads();
    g[t] = first[t] + second[t];
}

// fine
__global__ void two_parts_of_dynamic_right(int *g)
{
    extern __shared__ int dynamic[];
    int t = threadIdx.x;
    int *first = dynamic, *second = dynamic + 64;
    first[t] = t;
    second[t] = -t;
    g[t] = first[t] + second[t];
}

/* --- barriers of some ------------------------------------------------------------------------------- */

// fine
__global__ void named_barrier(int *g)
{
    __shared__ int s[128];
    int t = threadIdx.x;
    s[t] = t;
    asm volatile("bar.sync %0, 64;" ::"r"(1 + t / 64) : "memory");
    g[t] = s[t ^ 63];
}

// race-shared
__global__ void named_barrier_of_others(int *g)
{
    __shared__ int s[128];
    int t = threadIdx.x;
    s[t] = t; // A
    asm volatile("bar.sync %0, 64;" ::"r"(1 + t / 64) : "memory");
    g[t] = s[t ^ 64]; // B
}

// fine
__global__ void tiles_of_a_group(int *g)
{
    __shared__ int s[128];
    auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    int t = threadIdx.x;
    s[t] = t;
    tile.sync();
    g[t] = s[t ^ 7];
    tile.sync();
    s[t ^ 7] = 0;
}

// race-shared
__global__ void tiles_too_small(int *g)
{
    __shared__ int s[128];
    auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    int t = threadIdx.x;
    s[t] = t; // A
    tile.sync();
    g[t] = s[t ^ 8]; // B
}

// fine
__global__ void some_leave_early(int *g)
{
    __shared__ int s[128];
    int t = threadIdx.x;
    if (t >= 64)
        return;
    s[t] = t;
    __syncthreads();
    g[t] = s[63 - t];
}

/* --- locks and flags -------------------------------------------------------------------------------- */

// fine
__global__ void lock_right(int *g)
{
    __shared__ int lock, sum;
    if (threadIdx.x == 0)
        lock = sum = 0;
    __syncthreads();
    while (atomicCAS(&lock, 0, 1))
        ;
    __threadfence_block();
    sum += threadIdx.x;
    __threadfence_block();
    atomicExch(&lock, 0);
    __syncwarp();
    __syncthreads();
    g[threadIdx.x] = sum;
}

// race-shared
__global__ void lock_forgotten_by_some(int *g)
{
    __shared__ int lock, sum;
    if (threadIdx.x == 0)
        lock = sum = 0;
    __syncthreads();
    if (threadIdx.x % 2 == 0) {
        while (atomicCAS(&lock, 0, 1))
            ;
        sum += threadIdx.x; // A
        __threadfence_block();
        atomicExch(&lock, 0);
    } else {
        sum += 2 * threadIdx.x; // B
    }
    __syncwarp();
    __syncthreads();
    g[threadIdx.x] = sum;
}

// fine
__global__ void producer_consumer(int *g)
{
    __shared__ int data;
    __shared__ volatile int ready;
    if (threadIdx.x == 0)
        ready = 0;
    __syncthreads();
    if (threadIdx.x == 0) {
        data = g[0] + 7;
        __threadfence_block();
        ready = 1;
    } else if (threadIdx.x == 32) {
        while (!ready)
            ;
        g[1] = data;
    }
}

// race-shared
__global__ void producer_consumer_no_fence(int *g)
{
    __shared__ int data;
    __shared__ volatile int ready;
    if (threadIdx.x == 0)
        ready = 0;
    __syncthreads();
    if (threadIdx.x == 0) {
        data = g[0] + 7; // A
        ready = 1;
    } else if (threadIdx.x == 32) {
        while (!ready)
            ;
        g[1] = data; // B
    }
}

static const kernel_row rows[] = {
    ROW(flag_read_too_early, 1, 64),
    ROW(flag_right, 1, 64),
    ROW(flag_used_again, 1, 64),
    ROW(found_by_any, 1, 64),
    ROW(found_by_the_last, 1, 64),
    ROW(lanes_write_one_word, 1, 32),
    ROW(count_without_atomic, 1, 64),
    ROW(count_right, 1, 64),
    ROW(count_cleared_too_late, 1, 96),
    ROW(count_read_too_early, 1, 64),
    ROW(bytes_of_a_word, 1, 128),
    ROW(fields_of_a_struct, 1, 96),
    ROW(one_field_by_two, 1, 96),
    ROW(bytes_read_as_words, 1, 128),
    ROW(vectors_overlap, 1, 64),
    ROW(vectors_right, 1, 64),
    ROW(doubles_overlap, 1, 64),
    ROW(generic_pointer, 1, 64),
    ROW(generic_pointer_right, 1, 64),
    ROW(two_parts_of_dynamic, 1, 64, 512),
    ROW(two_parts_of_dynamic_right, 1, 64, 512),
    ROW(named_barrier, 1, 128),
    ROW(named_barrier_of_others, 1, 128),
    ROW(tiles_of_a_group, 1, 128),
    ROW(tiles_too_small, 1, 128),
    ROW(some_leave_early, 1, 128),
    ROW(lock_right, 1, 64),
    ROW(lock_forgotten_by_some, 1, 64),
    ROW(producer_consumer, 1, 64),
    ROW(producer_consumer_no_fence, 1, 64),
};

int main(int argc, char **argv)
{
    return run_all(rows, sizeof rows / sizeof *rows, argc, argv);
}
