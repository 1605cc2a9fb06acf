/* Races in shared memory between the threads of a block or of a warp. */
#include "tests/support/kernel_rows.cuh"

/* --- trees ---------------------------------------------------------------------------------- */

// race-shared
__global__ void tree_no_barrier(int *g)
{
    __shared__ int s[128];
    int t = threadIdx.x;
    s[t] = g[t];
    __syncthreads();
    for (int off = 64; off > 0; off /= 2)
        if (t < off)
            s[t] += s[t + off]; // AB
    g[t] = s[t];
}

// race-shared
__global__ void tree_barrier_before_load_only(int *g)
{
    __shared__ int s[128];
    int t = threadIdx.x;
    s[t] = g[t]; // A
    for (int off = 64; off > 0; off /= 2) {
        if (t < off)
            s[t] += s[t + off]; // B
        __syncthreads();
    }
    g[t] = s[t];
}

// race-shared
__global__ void tree_last_value_too_early(int *g)
{
    __shared__ int s[128];
    int t = threadIdx.x;
    s[t] = g[t];
    for (int off = 64; off > 0; off /= 2) {
        __syncthreads();
        if (t < off)
            s[t] += s[t + off]; // A
    }
    if (t == 64)
        g[0] = s[0]; // B
}

// fine
__global__ void tree_right(int *g)
{
    __shared__ int s[128];
    int t = threadIdx.x;
    s[t] = g[t];
    for (int off = 64; off > 0; off /= 2) {
        __syncthreads();
        if (t < off)
            s[t] += s[t + off];
    }
    if (t == 0)
        g[0] = s[0];
}

// fine
__global__ void tree_interleaved_index(int *g)
{
    extern __shared__ int dynamic[];
    int t = threadIdx.x;
    dynamic[t] = g[t];
    for (int off = 1; off < blockDim.x; off *= 2) {
        __syncthreads();
        if (2 * off * t < blockDim.x)
            dynamic[2 * off * t] += dynamic[2 * off * t + off];
    }
    if (t == 0)
        g[0] = dynamic[0];
}

// race-shared
__global__ void thread_0_sums_too_early(int *g)
{
    __shared__ int s[128];
    s[threadIdx.x] = g[threadIdx.x]; // A
    if (threadIdx.x == 0) {
        int sum = 0;
#pragma unroll 1
        for (int i = 0; i < 128; i++)
            sum += s[i]; // B
        g[0] = sum;
    }
}

/* --- tails of one warp ---------------------------------------------------------------------- */

// race-shared
__global__ void tail_lock_step(int *g)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = g[t];
    __syncthreads();
    if (t < 32) {
        s[t] += s[t + 32];
        s[t] += s[t + 16]; // AB: nvcc drops the store before
    }
    __syncthreads();
    g[t] = s[t];
}

// race-shared
__global__ void tail_volatile(int *g)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = g[t];
    __syncthreads();
    if (t < 32) {
        volatile int *v = s;
        v[t] += v[t + 32]; // A
        v[t] += v[t + 16]; // B
        v[t] += v[t + 8];
        v[t] += v[t + 4];
        v[t] += v[t + 2];
        v[t] += v[t + 1];
    }
    __syncthreads();
    g[t] = s[t];
}

// race-shared
__global__ void tail_volatile_loop(int *g)
{
    extern __shared__ int dynamic[];
    volatile int *v = dynamic;
    int t = threadIdx.x;
    v[t] = g[t];
    __syncthreads();
    if (t < 32)
#pragma unroll 1
        for (int off = blockDim.x / 2; off > 0; off /= 2)
            v[t] += v[t + off]; // AB
    __syncthreads();
    g[t] = v[t];
}

// fine
__global__ void tail_syncwarp(int *g)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = g[t];
    __syncthreads();
    if (t < 32) {
        for (int off = 32; off > 0; off /= 2) {
            int other = s[t + off];
            __syncwarp();
            s[t] += other;
            __syncwarp();
        }
    }
    if (t == 0)
        g[0] = s[0];
}

// fine
__global__ void tail_shuffle(int *g)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = g[t];
    __syncthreads();
    if (t < 32) {
        int mine = s[t] + s[t + 32];
        for (int off = 16; off > 0; off /= 2)
            mine += __shfl_down_sync(~0u, mine, off);
        if (t == 0)
            g[0] = mine;
    }
}

// race-shared
__global__ void shuffle_is_no_barrier(int *g)
{
    __shared__ int s[32];
    int t = threadIdx.x;
    s[t] = t; // A
    g[t] = __shfl_xor_sync(~0u, t, 1);
    g[t] += s[t ^ 1]; // B
}

// race-shared
__global__ void neighbours_of_one_warp(int *g)
{
    __shared__ int s[33];
    int t = threadIdx.x;
    s[t] = t;
    __syncwarp();
    s[t] = s[(t + 1) % 32] + 1; // AB
    __syncwarp();
    g[t] = s[t];
}

// fine
__global__ void neighbours_of_one_warp_right(int *g)
{
    __shared__ int s[33];
    int t = threadIdx.x;
    s[t] = t;
    __syncwarp();
    int next = s[(t + 1) % 32];
    __syncwarp();
    s[t] = next + 1;
    __syncwarp();
    g[t] = s[31 - t];
}

// race-shared
__global__ void syncwarp_for_two_warps(int *g)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = t; // A
    __syncwarp();
    g[t] = s[63 - t]; // B
}

// fine
__global__ void syncwarp_in_halves(int *g)
{
    __shared__ int s[32];
    int t = threadIdx.x;
    unsigned half = t < 16 ? 0xffffu : 0xffff0000u;
    s[t] = t;
    __syncwarp(half);
    g[t] = s[t ^ 5];
}

// race-shared
__global__ void syncwarp_across_halves(int *g)
{
    __shared__ int s[32];
    int t = threadIdx.x;
    unsigned half = t < 16 ? 0xffffu : 0xffff0000u;
    s[t] = t; // A
    __syncwarp(half);
    g[t] = s[t ^ 16]; // B
}

/* --- exchange through a block's memory ------------------------------------------------------ */

// race-shared
__global__ void reverse_no_barrier(int *g)
{
    __shared__ int s[256];
    int t = threadIdx.x;
    s[t] = g[t];       // A
    g[t] = s[255 - t]; // B
}

// fine
__global__ void reverse_right(int *g)
{
    __shared__ int s[256];
    int t = threadIdx.x;
    s[t] = g[t];
    __syncthreads();
    g[t] = s[255 - t];
}

// race-shared
__global__ void transpose_no_barrier(int *g)
{
    __shared__ int tile[16][17];
    int x = threadIdx.x % 16, y = threadIdx.x / 16;
    tile[y][x] = g[y * 16 + x];        // A
    g[1024 + y * 16 + x] = tile[x][y]; // B
}

// fine
__global__ void transpose_right(int *g)
{
    __shared__ int tile[16][17];
    int x = threadIdx.x % 16, y = threadIdx.x / 16;
    tile[y][x] = g[y * 16 + x];
    __syncthreads();
    g[1024 + y * 16 + x] = tile[x][y];
}

// race-shared
__global__ void tiles_one_barrier(int *g)
{
    __shared__ int tile[64];
    int t = threadIdx.x, sum = 0;
#pragma unroll 1
    for (int k = 0; k < 4; k++) {
        tile[t] = g[64 * k + t]; // A
        __syncthreads();
#pragma unroll 1
        for (int i = 0; i < 64; i++)
            sum += tile[i]; // B
    }
    g[1024 + t] = sum;
}

// fine
__global__ void tiles_two_barriers(int *g)
{
    __shared__ int tile[64];
    int t = threadIdx.x, sum = 0;
#pragma unroll 1
    for (int k = 0; k < 4; k++) {
        tile[t] = g[64 * k + t];
        __syncthreads();
#pragma unroll 1
        for (int i = 0; i < 64; i++)
            sum += tile[i];
        __syncthreads();
    }
    g[1024 + t] = sum;
}

// race-shared
__global__ void tiles_of_which_one_stays_in_a_warp(int *g)
{
    __shared__ int rows[8][32], columns[8][32];
    int x = threadIdx.x % 32, y = threadIdx.x / 32, sum = 0;
#pragma unroll 1
    for (int k = 0; k < 4; k++) {
        rows[y][x] = g[256 * k + threadIdx.x];
        columns[y][x] = g[1024 + 256 * k + threadIdx.x]; // A
        __syncthreads();
#pragma unroll 1
        for (int i = 0; i < 8; i++)
            sum += rows[y][i] * columns[i][x]; // B
    }
    g[2048 + threadIdx.x] = sum;
}

// race-shared: no __syncthreads() before the loop's next iteration
__global__ void tiles_read_on_two_lines(int *g)
{
    __shared__ int rows[8][32], columns[8][32];
    int x = threadIdx.x % 32, y = threadIdx.x / 32, sum = 0;
#pragma unroll 1
    for (int k = 0; k < 4; k++) {
        rows[y][x] = g[256 * k + threadIdx.x];
        columns[y][x] = g[1024 + 256 * k + threadIdx.x]; // A
        __syncthreads();
#pragma unroll 1
        for (int i = 0; i < 8; i++) {
            int factor = rows[y][i];
            sum += factor * columns[i][x]; // B
        }
    }
    g[2048 + threadIdx.x] = sum;
}

// fine
__global__ void double_buffer(int *g)
{
    __shared__ int tile[2][64];
    int t = threadIdx.x, sum = 0;
#pragma unroll 1
    for (int k = 0; k < 6; k++) {
        tile[k % 2][t] = g[64 * k + t];
        __syncthreads();
        sum += tile[k % 2][63 - t];
    }
    g[1024 + t] = sum;
}

// race-shared
__global__ void double_buffer_of_one(int *g)
{
    __shared__ int tile[2][64];
    int t = threadIdx.x, sum = 0;
#pragma unroll 1
    for (int k = 0; k < 6; k++) {
        tile[k / 2 % 2][t] = g[64 * k + t]; // A
        __syncthreads();
        sum += tile[k / 2 % 2][63 - t]; // B
    }
    g[1024 + t] = sum;
}

// race-shared
__global__ void scan_in_place(int *g)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = g[t];
    __syncthreads();
#pragma unroll 1
    for (int off = 1; off < 64; off *= 2) {
        if (t >= off)
            s[t] += s[t - off]; // AB
        __syncthreads();
    }
    g[t] = s[t];
}

// fine
__global__ void scan_right(int *g)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = g[t];
    __syncthreads();
#pragma unroll 1
    for (int off = 1; off < 64; off *= 2) {
        int before = t >= off ? s[t - off] : 0;
        __syncthreads();
        s[t] += before;
        __syncthreads();
    }
    g[t] = s[t];
}

// race-shared
__global__ void stencil_in_place(int *g)
{
    __shared__ int s[130];
    int t = threadIdx.x + 1;
    s[t] = g[t];
    if (t == 1)
        s[0] = s[129] = 0;
    __syncthreads();
    s[t] = s[t - 1] + s[t + 1]; // AB
    __syncthreads();
    g[t] = s[t];
}

// race-shared
__global__ void halo_too_early(int *g)
{
    __shared__ int s[130];
    int t = threadIdx.x;
    s[t + 1] = g[t]; // A
    if (t < 2)
        s[129 * t] = g[t];
    __syncwarp();
    g[1024 + t] = s[t] + s[t + 2]; // B
}

/* --- one word for all threads --------------------------------------------------------------- */

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

/* --- parts of words ------------------------------------------------------------------------- */

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

/* --- other pointers to the same words ------------------------------------------------------- */

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

static const kernel_row rows[] = {
    ROW(tree_no_barrier, 1, 128),
    ROW(tree_barrier_before_load_only, 1, 128),
    ROW(tree_last_value_too_early, 1, 128),
    ROW(tree_right, 1, 128),
    ROW(tree_interleaved_index, 1, 128, 512),
    ROW(thread_0_sums_too_early, 1, 128),
    ROW(tail_lock_step, 1, 64),
    ROW(tail_volatile, 1, 64),
    ROW(tail_volatile_loop, 1, 64, 256),
    ROW(tail_syncwarp, 1, 64),
    ROW(tail_shuffle, 1, 64),
    ROW(shuffle_is_no_barrier, 1, 32),
    ROW(neighbours_of_one_warp, 1, 32),
    ROW(neighbours_of_one_warp_right, 1, 32),
    ROW(syncwarp_for_two_warps, 1, 64),
    ROW(syncwarp_in_halves, 1, 32),
    ROW(syncwarp_across_halves, 1, 32),
    ROW(reverse_no_barrier, 1, 256),
    ROW(reverse_right, 1, 256),
    ROW(transpose_no_barrier, 1, 256),
    ROW(transpose_right, 1, 256),
    ROW(tiles_one_barrier, 1, 64),
    ROW(tiles_of_which_one_stays_in_a_warp, 1, 256),
    ROW(tiles_read_on_two_lines, 1, 256),
    ROW(tiles_two_barriers, 1, 64),
    ROW(double_buffer, 1, 64),
    ROW(double_buffer_of_one, 1, 64),
    ROW(scan_in_place, 1, 64),
    ROW(scan_right, 1, 64),
    ROW(stencil_in_place, 1, 128),
    ROW(halo_too_early, 1, 128),
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
};

int main(int argc, char **argv)
{
    return run_all(rows, sizeof rows / sizeof *rows, argc, argv);
}
