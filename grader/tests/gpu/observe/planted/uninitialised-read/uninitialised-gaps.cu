/* Memory that is written in unusual ways, and the same with a gap. Writes of the host and of earlier launches count;
 * a copy may include the padding of a structure. */
#include "tests/support/kernel_rows.cuh"

#include <cuda_pipeline_primitives.h>

#define THREADS 64
#define WIDTH   50

__device__ int counter, table[8] = {1, 2};

/* --- written by the host -------------------------------------------------------------------- */

// uninitialised-read
__global__ void set_by_count_of_elements(int *g)
{
    g[threadIdx.x] += 1; // AB
}

// fine
__global__ void set_by_bytes(int *g)
{
    g[threadIdx.x] += 1;
}

// uninitialised-read
__global__ void copied_by_size_of_pointer(int *g)
{
    g[threadIdx.x] += 1; // AB
}

// uninitialised-read
__global__ void rows_copied_by_count_of_elements(int *g, size_t pitch, int *sum)
{
    atomicAdd(sum, g[blockIdx.x * pitch + threadIdx.x]); // B
}

// uninitialised-read
__global__ void rows_read_with_padding(const int *g, int pitch, int *sum)
{
    atomicAdd(sum, g[blockIdx.x * pitch + threadIdx.x]); // B
}

// fine
__global__ void rows_read_without_padding(const int *g, int pitch, int *sum)
{
    if (threadIdx.x < WIDTH)
        atomicAdd(sum, g[blockIdx.x * pitch + threadIdx.x]);
}

// uninitialised-read
__global__ void copied_from_half_written(int *g)
{
    g[threadIdx.x] += 1; // AB
}

// fine
__global__ void copied_from_written(int *g)
{
    g[threadIdx.x] += 1;
}

// fine
__global__ void managed_by_host(int *g)
{
    g[threadIdx.x] += 1;
}

// fine
__global__ void variables_begin_with_zero(int *g)
{
    g[threadIdx.x] = atomicAdd(&counter, 1) + table[threadIdx.x & 7];
}

/* --- written by an earlier launch ----------------------------------------------------------- */

// fine
__global__ void first_writes_even(int *g)
{
    g[2 * threadIdx.x] = 1;
}

// fine
__global__ void then_reads_even(int *g)
{
    g[2 * threadIdx.x] += 1;
}

// uninitialised-read
__global__ void then_reads_odd(int *g)
{
    g[2 * threadIdx.x + 1] += 1; // AB
}

/* --- written by atomics --------------------------------------------------------------------- */

// fine
__global__ void exchanged_first(int *g)
{
    __shared__ int s[THREADS];
    atomicExch(&s[threadIdx.x], 0);
    __syncthreads();
    atomicAdd(&s[threadIdx.x / 2], 1);
    __syncthreads();
    g[threadIdx.x] = s[threadIdx.x];
}

// uninitialised-read
__global__ void lock_never_set(int *g)
{
    __shared__ int lock;
    if (threadIdx.x == 0 && atomicCAS(&lock, 0, 1) == 0) // B
        g[0] = 1;
}

/* --- written in part ------------------------------------------------------------------------ */

struct tagged {
    char tag;
    union {
        char small;
        double large;
    };
};

// fine
__global__ void union_copied(int *g)
{
    __shared__ tagged s[THREADS];
    tagged *out = (tagged *)(g + 1024);
    int t = threadIdx.x;
    s[t].tag = 1;
    s[t].small = t;
    __syncthreads();
    out[t] = s[THREADS - 1 - t];
    g[t] = s[THREADS - 1 - t].small;
}

// uninitialised-read
__global__ void union_read_as_the_other(int *g)
{
    __shared__ tagged s[THREADS];
    int t = threadIdx.x;
    s[t].tag = 1; // A
    __syncthreads();
    g[t] = s[THREADS - 1 - t].large > 0; // B
}

// fine
__global__ void bytes_read_as_words(int *g)
{
    __shared__ alignas(4) unsigned char s[4 * THREADS];
    for (int k = threadIdx.x; k < 4 * THREADS; k += THREADS)
        s[k] = k;
    __syncthreads();
    g[threadIdx.x] = ((int *)s)[threadIdx.x];
}

// fine
__global__ void cleared_by_memset(int *g)
{
    __shared__ int s[THREADS];
    int own[8], t = threadIdx.x;
    memset(own, 0, sizeof own);
    if (t == 0)
        memset(s, 0, sizeof s);
    __syncthreads();
    own[g[t] & 7] += 3;
    g[t] = s[t] + own[(g[t] + 1) & 7];
}

// uninitialised-read
__global__ void cleared_by_elements_not_bytes(int *g)
{
    __shared__ int s[THREADS];
    int t = threadIdx.x;
    if (t == 0)
        memset(s, 0, THREADS); // A
    __syncthreads();
    g[t] = s[t] + 1; // B
}

// fine
__global__ void begun_with_two(int *g)
{
    int own[8] = {1, 2}, t = threadIdx.x;
    own[g[t] & 7] += t;
    g[t] = own[t & 7];
}

/* --- written by other threads --------------------------------------------------------------- */

// fine
__global__ void written_by_the_other_warp(int *g)
{
    __shared__ int s[2 * 32];
    int t = threadIdx.x;
    if (t >= 32)
        s[t - 32] = s[t] = g[t];
    __syncthreads();
    if (t < 32)
        g[t] = s[t] + s[t + 32];
}

// fine
__global__ void written_by_odd_lanes(int *g)
{
    __shared__ int s[THREADS];
    int t = threadIdx.x;
    if (t % 2)
        s[t] = s[t - 1] = t;
    __syncwarp();
    g[t] = s[t];
}

// uninitialised-read
__global__ void written_by_odd_lanes_for_themselves(int *g)
{
    __shared__ int s[THREADS];
    int t = threadIdx.x;
    if (t % 2)
        s[t] = t; // A
    __syncwarp();
    g[t] = s[t] + 1; // B
}

// fine
__global__ void asked_only_if_written(int *g)
{
    __shared__ int last;
    int t = threadIdx.x, some = g[1] > 0;
    if (t == 0 && some)
        last = 7;
    __syncthreads();
    g[t + 8] = some ? last : 0;
}

// fine
__global__ void tail_filled_with_zeros(int *g)
{
    __shared__ alignas(16) int s[4 * THREADS];
    int t = threadIdx.x, left = 150 - 4 * t;
    int have = left <= 0 ? 0 : left > 4 ? 4 : left;
    __pipeline_memcpy_async(&s[4 * t], &g[have ? 4 * t : 0], 16, 16 - 4 * have);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    g[1024 + t] = s[4 * (THREADS - 1 - t) + 3] + s[t];
}

// uninitialised-read
__global__ void tail_left_out(int *g)
{
    __shared__ alignas(16) int s[4 * THREADS];
    int t = threadIdx.x;
    if (4 * t < 150)
        __pipeline_memcpy_async(&s[4 * t], &g[4 * t], 16); // A
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    g[1024 + t] = s[4 * (THREADS - 1 - t) + 3]; // B
}

// uninitialised-read
__global__ void bytes_copied_with_a_gap(int *g)
{
    __shared__ unsigned char s[THREADS];
    int t = threadIdx.x;
    if (t < 50)
        s[t] = t; // A
    __syncthreads();
    ((unsigned char *)g)[t] = s[THREADS - 1 - t]; // B
}

// fine
__global__ void padding_copied_as_short(int *g)
{
    struct pair {
        int word;
        short half;
    };
    __shared__ pair s[THREADS];
    int t = threadIdx.x;
    s[t].word = t;
    s[t].half = (short)t;
    __syncthreads();
    const short *from = (const short *)&s[THREADS - 1 - t];
    ((short4 *)g)[t] = make_short4(from[0], from[1], from[2], from[3]);
}

static const kernel_row rows[] = {
    ROW(variables_begin_with_zero, 1, THREADS),
    ROW(exchanged_first, 1, THREADS),
    ROW(lock_never_set, 1, THREADS),
    ROW(union_copied, 1, THREADS),
    ROW(union_read_as_the_other, 1, THREADS),
    ROW(bytes_read_as_words, 1, THREADS),
    ROW(cleared_by_memset, 1, THREADS),
    ROW(cleared_by_elements_not_bytes, 1, THREADS),
    ROW(begun_with_two, 1, THREADS),
    ROW(written_by_the_other_warp, 1, THREADS),
    ROW(written_by_odd_lanes, 1, THREADS),
    ROW(written_by_odd_lanes_for_themselves, 1, THREADS),
    ROW(asked_only_if_written, 1, THREADS),
    ROW(tail_filled_with_zeros, 1, THREADS),
    ROW(tail_left_out, 1, THREADS),
    ROW(bytes_copied_with_a_gap, 1, THREADS),
    ROW(padding_copied_as_short, 1, THREADS),
};

static void with_the_host()
{
    int *fresh[8], host[8 * WIDTH] = {0};
    size_t pitch;
    for (int i = 0; i < 8; i++)
        cudaMalloc(&fresh[i], 2 * THREADS * sizeof(int));
    cudaMemset(fresh[0], 0, THREADS);
    set_by_count_of_elements<<<1, THREADS>>>(fresh[0]);
    cudaMemset(fresh[1], 0, THREADS * sizeof(int));
    set_by_bytes<<<1, THREADS>>>(fresh[1]);

    int *image, *sum;
    cudaMallocPitch(&image, &pitch, WIDTH * sizeof(int), 8);
    cudaMalloc(&sum, sizeof *sum);
    cudaMemset(sum, 0, sizeof *sum);
    cudaMemcpy2D(image, pitch, host, WIDTH * sizeof(int), WIDTH * sizeof(int), 8,
                 cudaMemcpyHostToDevice);
    rows_read_with_padding<<<8, THREADS>>>(image, pitch / sizeof(int), sum);
    rows_read_without_padding<<<8, THREADS>>>(image, pitch / sizeof(int), sum);

    cudaMemcpy(fresh[2], host, THREADS / 2 * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(fresh[3], fresh[2], THREADS * sizeof(int), cudaMemcpyDeviceToDevice);
    copied_from_half_written<<<1, THREADS>>>(fresh[3]);
    cudaMemcpy(fresh[4], fresh[1], THREADS * sizeof(int), cudaMemcpyDeviceToDevice);
    copied_from_written<<<1, THREADS>>>(fresh[4]);

    int *managed;
    cudaMallocManaged(&managed, THREADS * sizeof(int));
    for (int i = 0; i < THREADS; i++)
        managed[i] = i;
    managed_by_host<<<1, THREADS>>>(managed);

    cudaMemcpy(fresh[6], host, sizeof fresh[6], cudaMemcpyHostToDevice);
    copied_by_size_of_pointer<<<1, THREADS>>>(fresh[6]);
    cudaMallocPitch(&image, &pitch, WIDTH * sizeof(int), 8);
    cudaMemcpy2D(image, pitch, host, WIDTH * sizeof(int), WIDTH, 8, cudaMemcpyHostToDevice);
    rows_copied_by_count_of_elements<<<8, WIDTH>>>(image, pitch / sizeof(int), sum);

    first_writes_even<<<1, THREADS>>>(fresh[5]);
    then_reads_even<<<1, THREADS>>>(fresh[5]);
    then_reads_odd<<<1, THREADS>>>(fresh[5]);
}

int main(int argc, char **argv)
{
    apart(with_the_host);
    return run_all(rows, sizeof rows / sizeof *rows, argc, argv);
}
