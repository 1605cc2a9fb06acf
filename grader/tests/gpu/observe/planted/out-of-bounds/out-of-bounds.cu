/* Accesses outside of every allocation, array or parameter. */
#include "tests/gpu/observe/planted/memory.cuh"
#include "tests/support/cluster.cuh"

__constant__ int table[16];
__device__ int numbers[10];

/* --- global memory -------------------------------------------------------------------------- */

// out-of-bounds
__global__ void off_by_one(int *a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= n)
        a[i] = i; // B
}

// out-of-bounds
__global__ void no_guard(int *a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    a[i] = i; // B
}

// fine
__global__ void guarded(int *a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        a[i] = i;
}

// out-of-bounds
__global__ void guard_of_the_wrong_index(int *a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x < n)
        a[i] = i; // B
}

// out-of-bounds
__global__ void left_neighbour(int *a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && a[i - 1] > 5) // B
        atomicAdd(&a[i], 1);
}

// fine
__global__ void left_neighbour_if_there_is_one(int *a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && i > 0 && a[i - 1] > 5)
        atomicAdd(&a[i], 1);
}

// out-of-bounds
__global__ void right_neighbour(int *a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && a[i + 1] > 5) // B
        atomicMax(&a[i], 1);
}

// fine
__global__ void right_neighbour_but_the_last(int *a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n - 1 && a[i + 1] > 5)
        atomicMax(&a[i], 1);
}

// out-of-bounds
__global__ void row_times_width_overflows(int *a, int n)
{
    int row = 50000 + threadIdx.x, width = 50000;
    a[row * width] = n; // B
}

// fine
__global__ void row_times_width(int *a, int n)
{
    int row = threadIdx.x, width = 3;
    a[row * width] = n;
}

// out-of-bounds
__global__ void ragged_columns(int *a, int n)
{
    int x = blockIdx.x * 16 + threadIdx.x % 16, y = threadIdx.x / 16, width = 40, height = 25;
    if (y < height)
        a[y * width + x] = n; // B
}

// fine
__global__ void whole_columns(int *a, int n)
{
    int x = blockIdx.x * 16 + threadIdx.x % 16, y = threadIdx.x / 16, width = 40, height = 25;
    if (y < height && x < width)
        a[y * width + x] = n;
}

// out-of-bounds
__global__ void stride_too_large(int *a, int n)
{
    for (int i = threadIdx.x; i < 10; i++)
        a[i * 125] = i; // B
}

// fine
__global__ void stride_that_fits(int *a, int n)
{
    for (int i = threadIdx.x; i < 8; i++)
        a[i * 125] = i;
}

// out-of-bounds
__global__ void vector_across_the_end(int *a, int n)
{
    int i = threadIdx.x;
    ((int4 *)a)[i] = make_int4(i, i, i, i); // B
}

// fine
__global__ void vector_up_to_the_end(int *a, int n)
{
    int i = threadIdx.x;
    if (4 * i + 3 < n)
        ((int4 *)a)[i] = make_int4(i, i, i, i);
}

// out-of-bounds
__global__ void bytes_taken_for_ints(int *a, int n)
{
    for (int i = threadIdx.x; i < n * 4; i += blockDim.x)
        a[i] = 0; // B
}

struct particle {
    int x, y, z, mass;
};

// out-of-bounds
__global__ void structures_beyond(int *a, int n)
{
    particle *p = (particle *)a;
    if (threadIdx.x <= 250)
        p[threadIdx.x].mass = n; // B
}

// fine
__global__ void structures(int *a, int n)
{
    particle *p = (particle *)a;
    if (threadIdx.x < 250)
        p[threadIdx.x].mass = n;
}

// out-of-bounds
__global__ void histogram_bin_beyond(int *a, int n)
{
    atomicAdd(&a[n / 8 * (threadIdx.x % 9)], 1); // B
}

// fine
__global__ void histogram(int *a, int n)
{
    atomicAdd(&a[n / 8 * (threadIdx.x % 8)], 1);
}

// out-of-bounds
__global__ void null_pointer(int *a, int n)
{
    a[threadIdx.x] = n; // B
}

// out-of-bounds
__global__ void pointer_never_set(int *a, int n)
{
    int *p = ((int **)a)[threadIdx.x];
    *p = n; // B
}

// out-of-bounds
__global__ void device_variable_beyond(int *a, int n)
{
    a[threadIdx.x] = numbers[threadIdx.x % 11]; // B
}

// fine
__global__ void device_variable(int *a, int n)
{
    a[threadIdx.x] = numbers[threadIdx.x % 10];
}

// out-of-bounds
__global__ void constant_beyond(int *a, int n)
{
    a[threadIdx.x] = table[threadIdx.x]; // B
}

// fine
__global__ void constant(int *a, int n)
{
    a[threadIdx.x] = table[threadIdx.x % 16];
}

// out-of-bounds
static void copies_to_null()
{
    cudaMemcpy(NULL, host, 100, cudaMemcpyHostToDevice); // B
}

/* --- shared memory -------------------------------------------------------------------------- */

// out-of-bounds
__global__ void shared_right_neighbour(int *a, int n)
{
    __shared__ int s[32];
    s[threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    a[threadIdx.x] = s[threadIdx.x + 1]; // B
}

// fine
__global__ void shared_right_neighbour_around(int *a, int n)
{
    __shared__ int s[32];
    s[threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    a[threadIdx.x] = s[(threadIdx.x + 1) % 32];
}

// out-of-bounds
__global__ void shared_left_neighbour(int *a, int n)
{
    __shared__ int s[32];
    s[threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    a[threadIdx.x] = s[(int)threadIdx.x - 1]; // B
}

// out-of-bounds
__global__ void shared_for_fewer_threads(int *a, int n)
{
    __shared__ int s[24];
    s[threadIdx.x] = a[threadIdx.x]; // B
    __syncthreads();
    a[threadIdx.x] = s[threadIdx.x / 2];
}

// out-of-bounds
__global__ void tile_without_its_edges(int *a, int n)
{
    __shared__ int tile[6][6];
    int x = threadIdx.x % 6, y = threadIdx.x / 6;
    tile[y][x] = a[threadIdx.x];
    __syncthreads();
    if (y < 6)
        a[threadIdx.x] = tile[y + 1][x]; // B
}

// fine
__global__ void tile_with_its_edges(int *a, int n)
{
    __shared__ int tile[7][6];
    int x = threadIdx.x % 6, y = threadIdx.x / 6;
    tile[y][x] = a[threadIdx.x];
    if (y == 0)
        tile[6][x] = 0;
    __syncthreads();
    if (y < 6)
        a[threadIdx.x] = tile[y + 1][x];
}

// out-of-bounds
__global__ void dynamic_in_bytes_not_ints(int *a, int n)
{
    extern __shared__ int d[];
    d[threadIdx.x] = a[threadIdx.x]; // B
    __syncthreads();
    a[threadIdx.x] = d[threadIdx.x / 8];
}

// fine
__global__ void dynamic(int *a, int n)
{
    extern __shared__ int d[];
    d[threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    a[threadIdx.x] = d[threadIdx.x / 8];
}

// out-of-bounds
__global__ void dynamic_not_asked_for(int *a, int n)
{
    extern __shared__ int d[];
    d[threadIdx.x] = a[threadIdx.x]; // B
    __syncthreads();
    a[threadIdx.x] = d[threadIdx.x / 8];
}

// out-of-bounds
__global__ void shared_into_the_next_array(int *a, int n)
{
    __shared__ int first[32], second[32];
    second[threadIdx.x] = a[threadIdx.x];
    first[threadIdx.x] = a[threadIdx.x + 32];
    __syncthreads();
    a[threadIdx.x] = first[threadIdx.x + n / 1000] + second[threadIdx.x + n / 1000]; // B
}

// fine
__global__ void shared_in_both_arrays(int *a, int n)
{
    __shared__ int first[33], second[33];
    second[threadIdx.x] = a[threadIdx.x];
    first[threadIdx.x] = a[threadIdx.x + 32];
    first[32] = second[32] = 0;
    __syncthreads();
    a[threadIdx.x] = first[threadIdx.x + n / 1000] + second[threadIdx.x + n / 1000];
}

// out-of-bounds
__global__ void static_into_dynamic(int *a, int n)
{
    __shared__ int fixed[32];
    extern __shared__ int d[];
    d[threadIdx.x] = a[threadIdx.x];
    fixed[threadIdx.x] = a[threadIdx.x + 32];
    __syncthreads();
    a[threadIdx.x] = fixed[threadIdx.x + n / 1000] + d[threadIdx.x]; // B
}

/* --- local memory and parameters ------------------------------------------------------------ */

// out-of-bounds
__global__ void local_beyond(int *a, int n)
{
    int own[5];
    for (int i = 0; i < 5; i++)
        own[i] = a[i];
    a[threadIdx.x + 200] = own[a[threadIdx.x + 100] + n / 200]; // B
}

// fine
__global__ void local(int *a, int n)
{
    int own[5];
    for (int i = 0; i < 5; i++)
        own[i] = a[i];
    a[threadIdx.x + 200] = own[a[threadIdx.x + 100] + n / 250];
}

// out-of-bounds
__global__ void local_before(int *a, int n)
{
    int own[8];
    for (int i = 0; i < 8; i++)
        own[i] = a[i];
    a[threadIdx.x + 200] = own[a[threadIdx.x + 100] - n / 1000]; // B
}

// out-of-bounds
__global__ void local_written_beyond(int *a, int n)
{
    char own[7];
    for (int i = 0; i < n / 125; i++)
        own[i] = (char)a[i]; // B
    a[threadIdx.x + 200] = own[a[threadIdx.x]];
}

// fine
__global__ void local_written(int *a, int n)
{
    char own[8];
    for (int i = 0; i < n / 125; i++)
        own[i] = (char)a[i];
    a[threadIdx.x + 200] = own[a[threadIdx.x]];
}

struct weights {
    int of[4];
};

// out-of-bounds
__global__ void parameter_beyond(int *a, int n, weights w)
{
    a[threadIdx.x] = w.of[a[threadIdx.x] + n / 200]; // B
}

// fine
__global__ void parameter(int *a, int n, weights w)
{
    a[threadIdx.x] = w.of[a[threadIdx.x] + n / 500];
}

/* --- malloc() in kernels -------------------------------------------------------------------- */

// out-of-bounds
__global__ void heap_beyond(int *a, int n)
{
    int *own = (int *)malloc(5 * sizeof *own);
    for (int i = 0; i <= n / 200; i++)
        own[i] = i; // B
    a[threadIdx.x] = own[a[threadIdx.x]];
    free(own);
}

// fine
__global__ void heap(int *a, int n)
{
    int *own = (int *)malloc(5 * sizeof *own);
    for (int i = 0; i < n / 200; i++)
        own[i] = i;
    a[threadIdx.x] = own[a[threadIdx.x]];
    free(own);
}

/* --- shared memory of another block --------------------------------------------------------- */

// out-of-bounds
__global__ void behind_an_array_of_another_block(int *g)
{
    __shared__ int s[64], more[64];
    cg::cluster_group cluster = cg::this_cluster();
    s[threadIdx.x] = more[threadIdx.x] = 1;
    cluster.sync();
    if (cluster.block_rank() == 0)
        g[threadIdx.x] = cluster.map_shared_rank(s, 1)[threadIdx.x + 1]; // B
    cluster.sync();
    g[blockIdx.x * 64 + threadIdx.x + 64] = more[63 - threadIdx.x];
}

// out-of-bounds
__global__ void global_memory_is_not_mapped(int *g)
{
    __shared__ int s[64];
    cg::cluster_group cluster = cg::this_cluster();
    s[threadIdx.x] = threadIdx.x;
    cluster.sync();
    g[blockIdx.x * 64 + threadIdx.x] = *cluster.map_shared_rank(g, 1) + s[0]; // B
    cluster.sync();
}

static const kernel_row cluster_rows[] = {
    PAIR(behind_an_array_of_another_block),
    PAIR(global_memory_is_not_mapped),
};

int main(int argc, char **argv)
{
    LAUNCH(off_by_one, 4, 256);
    LAUNCH(no_guard, 4, 256);
    LAUNCH(guarded, 4, 256);
    LAUNCH(guard_of_the_wrong_index, 4, 256);
    LAUNCH(left_neighbour, 4, 256);
    LAUNCH(left_neighbour_if_there_is_one, 4, 256);
    LAUNCH(right_neighbour, 4, 256);
    LAUNCH(right_neighbour_but_the_last, 4, 256);
    LAUNCH(row_times_width_overflows, 1, 32);
    LAUNCH(row_times_width, 1, 32);
    LAUNCH(ragged_columns, 3, 400);
    LAUNCH(whole_columns, 3, 400);
    LAUNCH(stride_too_large, 1, 1);
    LAUNCH(stride_that_fits, 1, 1);
    LAUNCH(vector_across_the_end, 1, 256);
    LAUNCH(vector_up_to_the_end, 1, 256);
    LAUNCH(bytes_taken_for_ints, 1, 256);
    LAUNCH(structures_beyond, 1, 256);
    LAUNCH(structures, 1, 256);
    LAUNCH(histogram_bin_beyond, 1, 256);
    LAUNCH(histogram, 1, 256);
    apart([] { null_pointer<<<1, 32>>>(NULL, N); });
    LAUNCH(pointer_never_set, 1, 32);
    LAUNCH(device_variable_beyond, 1, 32);
    LAUNCH(device_variable, 1, 32);
    LAUNCH(constant_beyond, 1, 32);
    LAUNCH(constant, 1, 32);
    CALL(copies_to_null);
    LAUNCH(shared_right_neighbour, 1, 32);
    LAUNCH(shared_right_neighbour_around, 1, 32);
    LAUNCH(shared_left_neighbour, 1, 32);
    LAUNCH(shared_for_fewer_threads, 1, 32);
    LAUNCH(tile_without_its_edges, 1, 36);
    LAUNCH(tile_with_its_edges, 1, 36);
    LAUNCH(dynamic_in_bytes_not_ints, 1, 64, 64);
    LAUNCH(dynamic, 1, 64, 64 * sizeof(int));
    LAUNCH(dynamic_not_asked_for, 1, 64);
    LAUNCH(shared_into_the_next_array, 1, 32);
    LAUNCH(shared_in_both_arrays, 1, 32);
    LAUNCH(static_into_dynamic, 1, 32, 128);
    LAUNCH(local_beyond, 1, 32);
    LAUNCH(local, 1, 32);
    LAUNCH(local_before, 1, 32);
    LAUNCH(local_written_beyond, 1, 32);
    LAUNCH(local_written, 1, 32);
    apart([] {
        allocate();
        parameter_beyond<<<1, 32>>>(g, N, weights());
    });
    apart([] {
        allocate();
        parameter<<<1, 32>>>(g, N, weights());
    });
    LAUNCH(heap_beyond, 1, 32);
    LAUNCH(heap, 1, 32);
    return run_all(cluster_rows, sizeof cluster_rows / sizeof *cluster_rows, argc, argv);
}
