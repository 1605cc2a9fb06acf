/* Accesses that memcheck must find, each beside the same done right. What is expected of a kernel or a
 * function stands before it: see races.cuh. A fault ends all work of a process, so each row runs in a
 * process of its own. */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/wait.h>
#include <unistd.h>

#define N 1000

__constant__ int table[16];
__device__ int numbers[10];

static int *g; /* N ints */

/* --- global memory ----------------------------------------------------------------------------------- */

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
    if (i < n)
        atomicAdd(&a[i], a[i - 1] > 5); // B
}

// fine
__global__ void left_neighbour_if_there_is_one(int *a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && i > 0)
        atomicAdd(&a[i], a[i - 1] > 5);
}

// out-of-bounds
__global__ void right_neighbour(int *a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicMax(&a[i], a[i + 1]); // B
}

// fine
__global__ void right_neighbour_but_the_last(int *a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n - 1)
        atomicMax(&a[i], a[i + 1]);
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

// host-pointer
__global__ void host_pointer(int *a, int n)
{
    a[threadIdx.x] = n; // B
}

// out-of-bounds
__global__ void pointer_never_set(int *a, int n)
{
    int *p = ((int **)a)[threadIdx.x];
    *p = n; // B
}

// use-after-free
__global__ void freed(int *a, int n)
{
    a[threadIdx.x] = n; // B
}

// use-after-free
__global__ void freed_and_only_read(int *a, int n)
{
    if (a[threadIdx.x] == 12345) // B
        __nanosleep(100);
}

// fine
__global__ void freed_later(int *a, int n)
{
    a[threadIdx.x] = n;
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

/* --- alignment ----------------------------------------------------------------------------------------- */

// misaligned
__global__ void float4_one_float_behind(int *a, int n)
{
    float4 v = *(float4 *)(a + 1 + 4 * threadIdx.x); // B
    a[threadIdx.x] = (int)(v.x + v.y + v.z + v.w);
}

// fine
__global__ void float4_four_floats_behind(int *a, int n)
{
    float4 v = *(float4 *)(a + 4 + 4 * threadIdx.x);
    if (v.x + v.y + v.z + v.w == 0.5f)
        a[threadIdx.x] = 0;
}

// misaligned
__global__ void double_at_an_odd_int(int *a, int n)
{
    *(double *)(a + 2 * threadIdx.x + 1) = n; // B
}

// misaligned
__global__ void int_at_a_byte(int *a, int n)
{
    *(int *)((char *)a + 4 * threadIdx.x + 1) = n; // B
}

// fine
__global__ void int_at_a_fourth_byte(int *a, int n)
{
    *(int *)((char *)a + 4 * threadIdx.x + 4) = n;
}

// misaligned
__global__ void rows_of_odd_width(int *a, int n)
{
    int row = threadIdx.x, width = 25;
    ((int2 *)(a + row * width))[0] = make_int2(row, n); // B
}

// fine
__global__ void rows_of_even_width(int *a, int n)
{
    int row = threadIdx.x, width = 26;
    ((int2 *)(a + row * width))[0] = make_int2(row, n);
}

// misaligned
__global__ void shared_pair_at_an_odd_int(int *a, int n)
{
    __shared__ int s[100];
    s[threadIdx.x] = n;
    __syncthreads();
    int2 v = *(int2 *)&s[threadIdx.x + 1]; // B
    a[threadIdx.x] = v.x + v.y;
}

/* --- shared memory --------------------------------------------------------------------------------------- */

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

/* --- local memory, parameters ------------------------------------------------------------------------------ */

// out-of-bounds
__global__ void local_beyond(int *a, int n)
{
    int own[5];
    for (int i = 0; i < 5; i++)
        own[i] = a[i];
    a[threadIdx.x] = own[a[threadIdx.x + 100] + n / 200]; // B
}

// fine
__global__ void local(int *a, int n)
{
    int own[5];
    for (int i = 0; i < 5; i++)
        own[i] = a[i];
    a[threadIdx.x] = own[a[threadIdx.x + 100] + n / 250];
}

// out-of-bounds
__global__ void local_before(int *a, int n)
{
    int own[8];
    for (int i = 0; i < 8; i++)
        own[i] = a[i];
    a[threadIdx.x] = own[a[threadIdx.x + 100] - n / 1000]; // B
}

// out-of-bounds
__global__ void local_written_beyond(int *a, int n)
{
    char own[7];
    for (int i = 0; i < n / 125; i++)
        own[i] = (char)a[i]; // B
    a[threadIdx.x] = own[a[threadIdx.x]];
}

// fine
__global__ void local_written(int *a, int n)
{
    char own[8];
    for (int i = 0; i < n / 125; i++)
        own[i] = (char)a[i];
    a[threadIdx.x] = own[a[threadIdx.x]];
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

/* --- malloc() in kernels ------------------------------------------------------------------------------------- */

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

// use-after-free
__global__ void heap_freed(int *a, int n)
{
    int *own = (int *)malloc(8 * sizeof *own);
    own[n / 500] = n;
    free(own);
    a[threadIdx.x] = own[n / 500]; // B
}

// double-free
__global__ void heap_freed_twice(int *a, int n)
{
    int *own = (int *)malloc(8 * sizeof *own);
    own[n / 500] = n;
    a[threadIdx.x] = own[n / 500 + a[threadIdx.x]];
    free(own);
    free(own); // B
}

// bad-free
__global__ void heap_freed_in_the_middle(int *a, int n)
{
    int *own = (int *)malloc(8 * sizeof *own);
    own[n / 500] = n;
    a[threadIdx.x] = own[n / 500 + a[threadIdx.x]];
    free(own + n / 500); // B
}

/* --- the host's calls ------------------------------------------------------------------------------------------ */

static int host[2 * N];

// double-free
static void frees_twice()
{
    cudaFree(g); // A
    cudaFree(g); // B
}

// fine
static void frees_once()
{
    cudaFree(g);
    cudaFree(NULL);
}

// bad-free
static void frees_a_part()
{
    cudaFree(g + 10); // B
}

// bad-free
static void frees_the_hosts()
{
    cudaFree(host); // B
}

// copy-too-long
static void copies_too_much_in()
{
    cudaMemcpy(g, host, sizeof host, cudaMemcpyHostToDevice); // B
}

// copy-too-long
static void copies_too_much_out()
{
    cudaMemcpy(host, g + 1, N * sizeof *g, cudaMemcpyDeviceToHost); // B
}

// fine
static void copies_all()
{
    cudaMemcpy(g, host, N * sizeof *g, cudaMemcpyHostToDevice);
    cudaMemcpy(host, g, N * sizeof *g, cudaMemcpyDeviceToHost);
}

// copy-too-long
static void copies_too_many_rows()
{
    cudaMemcpy2D(g, 40 * sizeof *g, host, 40 * sizeof *g, 30 * sizeof *g, 26, // B
                 cudaMemcpyHostToDevice);
}

// copy-too-long
static void sets_too_much()
{
    cudaMemset(g, 0, N * sizeof(double)); // B
}

// out-of-bounds
static void copies_to_null()
{
    cudaMemcpy(NULL, host, 100, cudaMemcpyHostToDevice); // B
}

// use-after-free
static void copies_freed()
{
    cudaFree(g);
    cudaMemcpy(host, g, 100, cudaMemcpyDeviceToHost); // B
}

// use-after-free
static void sets_freed()
{
    cudaFree(g);
    cudaMemset(g, 0, 100); // B
}

// wrong-copy-direction
static void copies_the_wrong_way()
{
    cudaMemcpy(host, g, 100, cudaMemcpyHostToDevice); // B
}

// wrong-copy-direction
static void copies_with_pointers_swapped()
{
    cudaMemcpy(g, host, 100, cudaMemcpyDeviceToHost); // B
}

// wrong-copy-direction
static void copies_between_devices_from_the_host()
{
    cudaMemcpy(g, host, 100, cudaMemcpyDeviceToDevice); // B
}

// wrong-copy-direction
static void copies_rows_the_wrong_way()
{
    cudaMemcpy2D(host, 64, g, 64, 32, 10, cudaMemcpyHostToDevice); // B
}

static __global__ void empty()
{
}

// invalid-launch
static void launches_too_many_threads()
{
    empty<<<1, 2048>>>(); // B
}

/* --- running them -------------------------------------------------------------------------------------------------- */

/* Fills memory so that the numbers from 100 on are 0. */
static void prepare()
{
    cudaMalloc(&g, N * sizeof *g);
    cudaMemset(g, 0, N * sizeof *g);
}

#define LAUNCH(kernel, blocks, threads, ...)                                                       \
    {                                                                                              \
        prepare();                                                                                 \
        kernel<<<blocks, threads, ##__VA_ARGS__>>>(g, N);                                          \
    }
#define EACH(...)                                                                                  \
    if (fork() == 0) {                                                                             \
        __VA_ARGS__;                                                                               \
        _exit(cudaDeviceSynchronize() != cudaSuccess);                                             \
    } else                                                                                         \
        wait(NULL);
#define HOST(function)                                                                             \
    EACH({                                                                                         \
        prepare();                                                                                 \
        function();                                                                                \
    })

int main()
{
    EACH(LAUNCH(off_by_one, 4, 256))
    EACH(LAUNCH(no_guard, 4, 256))
    EACH(LAUNCH(guarded, 4, 256))
    EACH(LAUNCH(guard_of_the_wrong_index, 4, 256))
    EACH(LAUNCH(left_neighbour, 4, 256))
    EACH(LAUNCH(left_neighbour_if_there_is_one, 4, 256))
    EACH(LAUNCH(right_neighbour, 4, 256))
    EACH(LAUNCH(right_neighbour_but_the_last, 4, 256))
    EACH(LAUNCH(row_times_width_overflows, 1, 32))
    EACH(LAUNCH(row_times_width, 1, 32))
    EACH(LAUNCH(ragged_columns, 3, 400))
    EACH(LAUNCH(whole_columns, 3, 400))
    EACH(LAUNCH(stride_too_large, 1, 1))
    EACH(LAUNCH(stride_that_fits, 1, 1))
    EACH(LAUNCH(vector_across_the_end, 1, 256))
    EACH(LAUNCH(vector_up_to_the_end, 1, 256))
    EACH(LAUNCH(bytes_taken_for_ints, 1, 256))
    EACH(LAUNCH(structures_beyond, 1, 256))
    EACH(LAUNCH(structures, 1, 256))
    EACH(LAUNCH(histogram_bin_beyond, 1, 256))
    EACH(LAUNCH(histogram, 1, 256))
    EACH((null_pointer<<<1, 32>>>(NULL, N)))
    EACH((host_pointer<<<1, 32>>>(host, N)))
    EACH(LAUNCH(pointer_never_set, 1, 32))
    EACH({
        prepare();
        cudaFree(g);
        freed<<<1, 32>>>(g, N);
    })
    EACH({
        prepare();
        cudaFree(g);
        freed_and_only_read<<<1, 32>>>(g, N);
    })
    EACH({ LAUNCH(freed_later, 1, 32) cudaFree(g); })
    EACH(LAUNCH(device_variable_beyond, 1, 32))
    EACH(LAUNCH(device_variable, 1, 32))
    EACH(LAUNCH(constant_beyond, 1, 32))
    EACH(LAUNCH(constant, 1, 32))
    EACH(LAUNCH(float4_one_float_behind, 1, 32))
    EACH(LAUNCH(float4_four_floats_behind, 1, 32))
    EACH(LAUNCH(double_at_an_odd_int, 1, 32))
    EACH(LAUNCH(int_at_a_byte, 1, 32))
    EACH(LAUNCH(int_at_a_fourth_byte, 1, 32))
    EACH(LAUNCH(rows_of_odd_width, 1, 32))
    EACH(LAUNCH(rows_of_even_width, 1, 32))
    EACH(LAUNCH(shared_pair_at_an_odd_int, 1, 64))
    EACH(LAUNCH(shared_right_neighbour, 1, 32))
    EACH(LAUNCH(shared_right_neighbour_around, 1, 32))
    EACH(LAUNCH(shared_left_neighbour, 1, 32))
    EACH(LAUNCH(shared_for_fewer_threads, 1, 32))
    EACH(LAUNCH(tile_without_its_edges, 1, 36))
    EACH(LAUNCH(tile_with_its_edges, 1, 36))
    EACH(LAUNCH(dynamic_in_bytes_not_ints, 1, 64, 64))
    EACH(LAUNCH(dynamic, 1, 64, 64 * sizeof(int)))
    EACH(LAUNCH(dynamic_not_asked_for, 1, 64))
    EACH(LAUNCH(shared_into_the_next_array, 1, 32))
    EACH(LAUNCH(shared_in_both_arrays, 1, 32))
    EACH(LAUNCH(static_into_dynamic, 1, 32, 128))
    EACH(LAUNCH(local_beyond, 1, 32))
    EACH(LAUNCH(local, 1, 32))
    EACH(LAUNCH(local_before, 1, 32))
    EACH(LAUNCH(local_written_beyond, 1, 32))
    EACH(LAUNCH(local_written, 1, 32))
    EACH({
        prepare();
        parameter_beyond<<<1, 32>>>(g, N, weights());
    })
    EACH({
        prepare();
        parameter<<<1, 32>>>(g, N, weights());
    })
    EACH(LAUNCH(heap_beyond, 1, 32))
    EACH(LAUNCH(heap, 1, 32))
    EACH(LAUNCH(heap_freed, 1, 32))
    EACH(LAUNCH(heap_freed_twice, 1, 32))
    EACH(LAUNCH(heap_freed_in_the_middle, 1, 32))
    HOST(frees_twice)
    HOST(frees_once)
    HOST(frees_a_part)
    HOST(frees_the_hosts)
    HOST(copies_too_much_in)
    HOST(copies_too_much_out)
    HOST(copies_all)
    HOST(copies_too_many_rows)
    HOST(sets_too_much)
    HOST(copies_to_null)
    HOST(copies_freed)
    HOST(sets_freed)
    HOST(copies_the_wrong_way)
    HOST(copies_with_pointers_swapped)
    HOST(copies_between_devices_from_the_host)
    HOST(copies_rows_the_wrong_way)
    HOST(launches_too_many_threads)
    return 0;
}
