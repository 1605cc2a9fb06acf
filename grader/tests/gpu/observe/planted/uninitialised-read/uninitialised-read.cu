/* Reads of uninitialised memory. The host has written G, but not FRESH. */
#include "tests/support/cluster.cuh"
#include "tests/support/kernel_rows.cuh"

__device__ int *fresh;

struct padded {
    char c;
    int i;
    double d;
    short s;
};

/* --- shared memory -------------------------------------------------------------------------- */

// uninitialised-read
__global__ void shared_never_written(int *g)
{
    int t = threadIdx.x;
    __shared__ int s[64];
    g[t] = s[t]; // B
}

// uninitialised-read
__global__ void shared_only_first_half(int *g)
{
    int t = threadIdx.x;
    __shared__ int s[64];
    if (t < 32)
        s[t] = g[t]; // A
    __syncthreads();
    g[t] = s[t]; // B
}

// uninitialised-read
__global__ void shared_halo_forgotten(int *g)
{
    int t = threadIdx.x;
    __shared__ int s[66];
    s[t + 1] = g[t]; // A
    __syncthreads();
    g[t] = s[t] + s[t + 2]; // B
}

// uninitialised-read
__global__ void shared_ragged_tile(int *g)
{
    int t = threadIdx.x;
    __shared__ int s[64];
    if (t < 50)
        s[t] = g[t]; // A
    __syncthreads();
    int sum = 0;
    for (int i = 0; i < 64; i++)
        sum += s[i]; // B
    g[t] = sum;
}

// uninitialised-read
__global__ void shared_counter(int *g)
{
    int t = threadIdx.x;
    __shared__ int count;
    atomicAdd(&count, 1); // B
    __syncthreads();
    g[t] = count;
}

// uninitialised-read
__global__ void shared_histogram_of_48(int *g)
{
    int t = threadIdx.x;
    __shared__ int bins[64];
    if (t < 48)
        bins[t] = 0; // A
    __syncthreads();
    atomicAdd(&bins[t], 1); // B
    __syncthreads();
    g[t] = bins[t];
}

// uninitialised-read
__global__ void shared_bytes_as_words(int *g)
{
    int t = threadIdx.x;
    __shared__ __align__(4) unsigned char s[256];
    s[4 * t] = 1; // A
    __syncthreads();
    g[t] = ((int *)s)[t] + 1; // B
}

// uninitialised-read
__global__ void shared_dynamic_too_few(int *g)
{
    int t = threadIdx.x;
    extern __shared__ int d[];
    if (t)
        d[t] = t; // A
    __syncthreads();
    g[t] = d[63 - t]; // B
}

// uninitialised-read
__global__ void shared_each_block_anew(int *g)
{
    int t = threadIdx.x;
    __shared__ int s[64];
    if (blockIdx.x == 0)
        s[t] = t; // A
    __syncthreads();
    g[64 * blockIdx.x + t] = s[63 - t]; // B
}

// uninitialised-read
__global__ void shared_reduce_odd(int *g)
{
    int t = threadIdx.x;
    __shared__ int s[128];
    s[t] = g[t]; // A
    __syncthreads();
    if (t < 32)
        g[t] = s[t + 64]; // B
}

// uninitialised-read
__global__ void shared_vector(int *g)
{
    int t = threadIdx.x;
    __shared__ int4 s[64];
    if (t < 60)
        s[t] = make_int4(t, t, t, t); // A
    __syncthreads();
    int4 v = s[63 - t]; // B
    g[t] = v.x + v.w;
}

// uninitialised-read
__global__ void shared_last_component(int *g)
{
    int t = threadIdx.x;
    __shared__ __align__(16) int s[256];
    for (int i = 0; i < 3; i++)
        s[4 * t + i] = t; // A
    __syncthreads();
    int4 v = ((int4 *)s)[t]; // B
    g[t] = v.x + v.w;
}

// fine
__global__ void shared_all_written(int *g)
{
    int t = threadIdx.x;
    __shared__ int s[64];
    s[t] = g[t];
    __syncthreads();
    g[t] = s[63 - t];
}

// fine
__global__ void shared_halo(int *g)
{
    int t = threadIdx.x;
    __shared__ int s[66];
    s[t + 1] = g[t];
    if (t < 2)
        s[65 * t] = 0;
    __syncthreads();
    g[t] = s[t] + s[t + 2];
}

// fine
__global__ void shared_ragged_tile_guarded(int *g)
{
    int t = threadIdx.x;
    __shared__ int s[64];
    if (t < 50)
        s[t] = g[t];
    __syncthreads();
    int sum = 0;
    for (int i = 0; i < 50; i++)
        sum += s[i];
    g[t] = sum;
}

// fine
__global__ void shared_counter_set(int *g)
{
    int t = threadIdx.x;
    __shared__ int count;
    if (t == 0)
        count = 0;
    __syncthreads();
    atomicAdd(&count, 1);
    __syncthreads();
    g[t] = count;
}

// fine
__global__ void shared_exchange(int *g)
{
    int t = threadIdx.x;
    __shared__ int last;
    atomicExch(&last, t);
    __syncthreads();
    g[t] = last;
}

// fine
__global__ void shared_bytes(int *g)
{
    int t = threadIdx.x;
    __shared__ __align__(4) unsigned char s[256];
    for (int i = 0; i < 4; i++)
        s[4 * t + i] = i;
    __syncthreads();
    g[t] = ((int *)s)[t] + 1;
}

// fine
__global__ void shared_structures_copied(int *g)
{
    int t = threadIdx.x;
    __shared__ padded a[64], b[64];
    a[t].c = 1;
    a[t].i = t;
    a[t].d = t;
    a[t].s = 3;
    __syncthreads();
    b[t] = a[63 - t];
    __syncthreads();
    g[t] = b[t].i + b[t].c + (int)b[t].d + b[t].s;
}

// fine
__global__ void shared_reused(int *g)
{
    int t = threadIdx.x;
    g += 64 * blockIdx.x;
    __shared__ int s[64];
    for (int i = 0; i < 3; i++) {
        s[t] = g[t] + i;
        __syncthreads();
        g[t] += s[63 - t];
        __syncthreads();
    }
}

// uninitialised-read
__global__ void half_of_it_is_written(int *g)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    cg::cluster_group cluster = cg::this_cluster();
    if (t < 32)
        s[t] = t; // A
    cluster.sync();
    g[blockIdx.x * 64 + t] = cluster.map_shared_rank(s, cluster.block_rank() ^ 1)[t]; // B
    cluster.sync();
}

// fine
__global__ void others_write_all_of_it(int *g)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    cg::cluster_group cluster = cg::this_cluster();
    cluster.sync();
    cluster.map_shared_rank(s, cluster.block_rank() ^ 1)[t] = t;
    cluster.sync();
    g[blockIdx.x * 64 + t] = s[63 - t];
}

/* --- global memory -------------------------------------------------------------------------- */

// uninitialised-read
__global__ void global_never_written(int *g)
{
    int t = threadIdx.x;
    g[t] = fresh[t]; // B
}

// uninitialised-read
__global__ void global_accumulates(int *g)
{
    int t = threadIdx.x;
    fresh[t] += g[t]; // AB
}

// uninitialised-read
__global__ void global_counter(int *g)
{
    atomicAdd(fresh, 1); // B
    g[threadIdx.x] = 0;
}

// uninitialised-read
__global__ void global_gap(int *g)
{
    int t = threadIdx.x;
    if (t != 7)
        fresh[t] = t; // A
    __syncthreads();
    g[t] = fresh[63 - t]; // B
}

// uninitialised-read
__global__ void global_one_too_far(int *g)
{
    int t = threadIdx.x;
    fresh[t] = t; // A
    __syncthreads();
    g[t] = fresh[t + 1]; // B
}

// uninitialised-read
__global__ void global_bytes(int *g)
{
    int t = threadIdx.x;
    char *c = (char *)fresh;
    c[4 * t] = t; // A
    __syncthreads();
    g[t] = fresh[t] * 2; // B
}

// uninitialised-read
__global__ void global_strided(int *g)
{
    int t = threadIdx.x;
    fresh[2 * t] = t; // A
    __syncthreads();
    g[t] = fresh[t]; // B
}

static __device__ int *read_here(int t)
{
    return fresh + t;
}

// uninitialised-read
__global__ void global_through_a_function(int *g)
{
    int t = threadIdx.x;
    g[t] = *read_here(t); // B
}

// uninitialised-read
__global__ void heap_never_written(int *g)
{
    int t = threadIdx.x;
    int *p = (int *)malloc(16);
    p[0] = t;    // A
    g[t] = p[1]; // B
    free(p);
}

// uninitialised-read
__global__ void heap_used_again(int *g)
{
    int t = threadIdx.x;
    int *p = (int *)malloc(16);
    p[2] = t; // A
    g[t] = p[2];
    free(p);
    p = (int *)malloc(16);
    p[1] = t;
    g[t] += p[2]; // B
    free(p);
}

// fine
__global__ void global_written_first(int *g)
{
    int t = threadIdx.x;
    fresh[t] = t;
    __syncthreads();
    g[t] = fresh[63 - t];
}

__device__ int counter;

// fine
__global__ void global_from_the_host(int *g)
{
    int t = threadIdx.x;
    g[t + 64] = g[t] + counter;
    __syncthreads();
    if (t == 0)
        counter = 3;
}

// fine
__global__ void heap_written(int *g)
{
    int t = threadIdx.x;
    int *p = (int *)malloc(16);
    p[1] = t;
    g[t] = p[1];
    free(p);
}

// fine
__global__ void global_structures_copied(int *g)
{
    int t = threadIdx.x;
    padded *p = (padded *)fresh;
    p[t].c = 1;
    p[t].i = t;
    p[t].d = t;
    p[t].s = 4;
    __syncthreads();
    p[t + 64] = p[63 - t];
    g[t] = p[t + 64].i + p[t + 64].s;
}

// fine
__global__ void global_vectors(int *g)
{
    int t = threadIdx.x;
    ((int4 *)fresh)[t] = make_int4(t, 1, 2, 3);
    __syncthreads();
    int4 v = ((int4 *)fresh)[63 - t];
    g[t] = v.x + v.w;
}

/* --- local memory --------------------------------------------------------------------------- */

// uninitialised-read
__global__ void local_gap(int *g)
{
    int t = threadIdx.x;
    volatile int a[40];
    for (int i = 0; i < 40; i += 2)
        a[i] = g[i];       // A
    g[t + 64] = a[t % 40]; // B
}

// uninitialised-read
__global__ void local_never_written(int *g)
{
    int t = threadIdx.x;
    volatile int a[40];
    g[t] = a[t % 40]; // B
}

// uninitialised-read
__global__ void local_last_one(int *g)
{
    int t = threadIdx.x;
    volatile int a[33];
    for (int i = 0; i < 32; i++)
        a[i] = t;            // A
    g[t] = a[g[t] + t % 33]; // B
}

// fine
__global__ void local_written(int *g)
{
    int t = threadIdx.x;
    volatile int a[40];
    for (int i = 0; i < 40; i++)
        a[i] = g[i];
    g[t + 64] = a[t % 40];
}

// fine
__global__ void local_of_each_thread(int *g)
{
    int t = threadIdx.x;
    volatile int a[64];
    for (int i = 0; i <= t; i++)
        a[i] = i;
    g[t] = a[t / 2];
}

/* Writes V only in even threads. */
__device__ __noinline__ bool take(const int *g, int &v)
{
    if (threadIdx.x % 2)
        return false;
    v = g[threadIdx.x]; // A of local_not_taken
    return true;
}

// uninitialised-read
__global__ void local_not_taken(int *g)
{
    int v, t = threadIdx.x;
    bool has = take(g, v);
    g[t] = v + has; // B
}

// fine
__global__ void local_taken_or_not_used(int *g)
{
    int v, t = threadIdx.x;
    if (take(g, v))
        g[t] = v;
    else
        g[t] = -1;
}

static const kernel_row rows[] = {
    ROW(shared_never_written, 1, 64),
    ROW(shared_only_first_half, 1, 64),
    ROW(shared_halo_forgotten, 1, 64),
    ROW(shared_ragged_tile, 1, 64),
    ROW(shared_counter, 1, 64),
    ROW(shared_histogram_of_48, 1, 64),
    ROW(shared_bytes_as_words, 1, 64),
    ROW(shared_dynamic_too_few, 1, 64, 256),
    ROW(shared_each_block_anew, 2, 64),
    ROW(shared_reduce_odd, 1, 64),
    ROW(shared_vector, 1, 64),
    ROW(shared_last_component, 1, 64),
    ROW(shared_all_written, 1, 64),
    ROW(shared_halo, 1, 64),
    ROW(shared_ragged_tile_guarded, 1, 64),
    ROW(shared_counter_set, 1, 64),
    ROW(shared_exchange, 1, 64),
    ROW(shared_bytes, 1, 64),
    ROW(shared_structures_copied, 1, 64),
    ROW(shared_reused, 3, 64),
    PAIR(half_of_it_is_written),
    PAIR(others_write_all_of_it),
    ROW(global_never_written, 1, 64),
    ROW(global_accumulates, 1, 64),
    ROW(global_counter, 1, 64),
    ROW(global_gap, 1, 64),
    ROW(global_one_too_far, 1, 64),
    ROW(global_bytes, 1, 64),
    ROW(global_strided, 1, 64),
    ROW(global_through_a_function, 1, 64),
    ROW(heap_never_written, 1, 64),
    ROW(heap_used_again, 1, 1),
    ROW(global_written_first, 1, 64),
    ROW(global_from_the_host, 1, 64),
    ROW(heap_written, 1, 64),
    ROW(global_structures_copied, 1, 64),
    ROW(global_vectors, 1, 64),
    ROW(local_gap, 1, 64),
    ROW(local_never_written, 1, 64),
    ROW(local_last_one, 1, 64),
    ROW(local_written, 1, 64),
    ROW(local_of_each_thread, 1, 64),
    ROW(local_not_taken, 1, 64),
    ROW(local_taken_or_not_used, 1, 64),
};

static void allocate_fresh()
{
    int *memory;
    cudaMalloc(&memory, WORDS * sizeof *memory);
    cudaMemcpyToSymbol(fresh, &memory, sizeof memory);
}

int main(int argc, char **argv)
{
    return run_all(rows, sizeof rows / sizeof *rows, argc, argv, allocate_fresh);
}
