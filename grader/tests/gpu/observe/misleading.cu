/* Mistakes whose messages once misled: `misleading CASE` makes one of them. test_misleading.c has the words that the
 * output must contain, and those that it must not. */
#include <cstdio>
#include <cstdlib>
#include <cstring>

#define N 10000

static int *numbers()
{
    static int host[N];
    int *data;
    for (int i = 0; i < N; i++)
        host[i] = 7 * i;
    cudaMalloc(&data, sizeof host);
    cudaMemcpy(data, host, sizeof host, cudaMemcpyHostToDevice);
    return data;
}

static int *zeros(int count)
{
    int *data;
    cudaMalloc(&data, count * sizeof *data);
    cudaMemset(data, 0, count * sizeof *data);
    return data;
}

/* --- races ---------------------------------------------------------------------------------- */

__global__ void add_behind_barrier(const int *data, int *sum)
{
    int mine = data[threadIdx.x];
    __syncthreads();
    *sum += mine;
}

static void sum_of_one_block()
{
    add_behind_barrier<<<1, 256>>>(numbers(), zeros(1));
}

__global__ void largest(const int *data, int *most)
{
    int mine = data[blockIdx.x * blockDim.x + threadIdx.x];
    if (mine > *most)
        *most = mine;
}

static void largest_without_atomic()
{
    largest<<<4, 256>>>(numbers(), zeros(1));
}

__global__ void unrolled_rounds(const int *data, int *out)
{
    __shared__ int part[256];
    int t = threadIdx.x, sum = 0;
#pragma unroll
    for (int k = 0; k < 4; k++) {
        part[t] = data[256 * k + t];
        __syncthreads();
        sum += part[255 - t];
    }
    out[t] = sum;
}

static void unrolled_loop()
{
    unrolled_rounds<<<1, 256>>>(numbers(), zeros(256));
}

__global__ void reverse(int *data)
{
    extern __shared__ int part[];
    part[threadIdx.x] = data[threadIdx.x];
    __syncthreads();
    data[threadIdx.x] = part[255 - threadIdx.x];
}

static void no_dynamic_size()
{
    reverse<<<1, 256>>>(numbers());
}

__global__ void count(const int *data, int *bins)
{
    bins[data[blockIdx.x * blockDim.x + threadIdx.x] % 512]++;
}

static void partly_cleared_bins()
{
    int *bins;
    cudaMalloc(&bins, 512 * sizeof *bins);
    cudaMemset(bins, 0, 512);
    count<<<16, 256>>>(numbers(), bins);
}

/* --- memory --------------------------------------------------------------------------------- */

__global__ void tree(const int *data, int *sum)
{
    __shared__ int sums[1024];
    int t = threadIdx.x;
    sums[t] = data[t];
    __syncthreads();
    for (int off = blockDim.x / 2; off > 0; off /= 2) {
        if (t < off)
            sums[t] += sums[t + off + 1];
        __syncthreads();
    }
    if (t == 0)
        *sum = sums[0];
}

static void one_too_far()
{
    tree<<<1, 256>>>(numbers(), zeros(1));
}

__global__ void increase(int *data, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        data[i] = data[i] + 1;
}

static void elements_for_bytes()
{
    int *data, host[1000] = {0};
    cudaMalloc(&data, sizeof host);
    cudaMemcpy(data, host, 1000, cudaMemcpyHostToDevice);
    increase<<<4, 256>>>(data, 1000);
}

static void null_on_device()
{
    increase<<<1, 32>>>(nullptr, 32);
}

static void freed_after_reset()
{
    int *data = zeros(100);
    cudaDeviceReset();
    cudaFree(data);
}

/* --- calls ---------------------------------------------------------------------------------- */

static int rows[100][100];

static void swapped_pitches()
{
    int *data;
    size_t pitch;
    cudaMallocPitch(&data, &pitch, sizeof rows[0], 50);
    cudaMemcpy2D(data, sizeof rows[0], rows, pitch, sizeof rows[0], 50, cudaMemcpyHostToDevice);
    cudaFree(data);
}

static void pitch_in_elements()
{
    int *data;
    size_t pitch;
    cudaMallocPitch(&data, &pitch, sizeof rows[0], 50);
    cudaMemcpy2D(data, pitch, rows, 100, sizeof rows[0], 50, cudaMemcpyHostToDevice);
    cudaFree(data);
}

static void own_pitches()
{
    int *data;
    size_t pitch;
    cudaMallocPitch(&data, &pitch, sizeof rows[0], 50);
    cudaMemcpy2D(data, pitch, rows, sizeof rows[0], sizeof rows[0], 50, cudaMemcpyHostToDevice);
    cudaMemcpy2D(data, 2 * pitch, rows, sizeof rows[0], sizeof rows[0], 20, cudaMemcpyHostToDevice);
    cudaMemset2D(data, pitch, 0, sizeof rows[0], 50);
    cudaFree(data);
}

__global__ void add_rows(int *data, int step, int *sum)
{
    atomicAdd(sum, data[threadIdx.x * step + blockIdx.x]);
}

/* Adds up 50 rows of 100 ints, if a row begins ELEMENTS(pitch) ints after the one before. */
static void add_up_rows(int elements(int pitch))
{
    int *data, *sum;
    size_t pitch;
    cudaMallocPitch(&data, &pitch, sizeof rows[0], 50);
    cudaMalloc(&sum, sizeof *sum);
    cudaMemset(sum, 0, sizeof *sum);
    cudaMemcpy2D(data, pitch, rows, sizeof rows[0], sizeof rows[0], 50, cudaMemcpyHostToDevice);
    add_rows<<<100, 50>>>(data, elements((int)pitch), sum);
    cudaDeviceSynchronize();
    cudaFree(sum);
    cudaFree(data);
}

static void pitch_of_ints()
{
    add_up_rows([](int pitch) { return pitch; });
}

static void rows_without_pitch()
{
    add_up_rows([](int) { return 100; });
}

__device__ int variable;

static void symbol_in_quotes()
{
    cudaMemcpyToSymbol("variable", rows, sizeof variable);
}

static void size_below_zero()
{
    int *data;
    cudaMalloc(&data, (size_t)-5);
}

__global__ void first()
{
}

__global__ void second()
{
}

static void two_empty_grids()
{
    /* all of this is on one line */
    // clang-format off
    first<<<0, 32>>>(); second<<<0, 32>>>();
    // clang-format on
}

/* --- the host ------------------------------------------------------------------------------- */

static char *no_argument;

static void host_null()
{
    printf("%d\n", atoi(no_argument));
}

static void host_uses_device_memory()
{
    int *data = zeros(100);
    data[3] = 1;
}

/* Despite its name, it does not call free(). The symbol must be visible to the library. */
__attribute__((noinline)) void free_list(int *first)
{
    *first = 0;
}

static void host_function_named_free()
{
    free_list(zeros(100));
}

static int recurse(int depth)
{
    volatile char large[1 << 20];
    large[depth] = 1;
    return depth ? recurse(depth - 1) + large[depth] : 0;
}

static void host_stack()
{
    exit(recurse(100));
}

static void host_index()
{
    static int *host = (int *)malloc(400);
    for (long i = 0;; i += 100000000)
        host[i] = 1;
}

static void host_divides()
{
    volatile int zero = 0;
    printf("%d\n", 5 / zero);
}

/* --- limits --------------------------------------------------------------------------------- */

__global__ void long_loop(int *sum, int n)
{
    for (int i = 0; i < n; i++)
        sum[i % 7] += i;
}

static void right_but_long()
{
    long_loop<<<1, 1>>>(zeros(7), 1 << 20);
}

__global__ void spin(volatile int *data, int n)
{
    int i = threadIdx.x;
    while (i < n)
        data[i] = i;
}

static void endless()
{
    spin<<<2, 64>>>(zeros(1000), 1000);
}

/* --- cases ---------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    void (*run)();
} cases[] = {
    {"sum_of_one_block", sum_of_one_block},
    {"largest_without_atomic", largest_without_atomic},
    {"unrolled_loop", unrolled_loop},
    {"no_dynamic_size", no_dynamic_size},
    {"partly_cleared_bins", partly_cleared_bins},
    {"one_too_far", one_too_far},
    {"elements_for_bytes", elements_for_bytes},
    {"null_on_device", null_on_device},
    {"freed_after_reset", freed_after_reset},
    {"swapped_pitches", swapped_pitches},
    {"pitch_in_elements", pitch_in_elements},
    {"own_pitches", own_pitches},
    {"pitch_of_ints", pitch_of_ints},
    {"rows_without_pitch", rows_without_pitch},
    {"symbol_in_quotes", symbol_in_quotes},
    {"size_below_zero", size_below_zero},
    {"two_empty_grids", two_empty_grids},
    {"host_null", host_null},
    {"host_uses_device_memory", host_uses_device_memory},
    {"host_function_named_free", host_function_named_free},
    {"host_stack", host_stack},
    {"host_index", host_index},
    {"host_divides", host_divides},
    {"right_but_long", right_but_long},
    {"endless", endless},
};

int main(int argc, char **argv)
{
    for (auto &one : cases)
        if (argc == 2 && strcmp(argv[1], one.name) == 0)
            one.run();
    cudaDeviceSynchronize();
    return 0;
}
