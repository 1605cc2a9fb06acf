// The benchmark's kernels: one of each kind that the labs and public programs use. kernels.cl has the
// same kernels for OpenCL.
//
//     kernels NAME N REPEATS
//
// Prints "kernel_seconds WALL CPU" for each launch, "peak_mebibytes X", and "checksum X", the sum of the first
// launch's results; opencl.c prints the same checksum. Exit code: 0; 1 if an answer is wrong; 2 for an unknown
// kernel. Inputs are small whole numbers, so that every sum is exact in any order.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <sys/resource.h>
#include <vector>

enum { BLOCKS = 32, THREADS = 256, TILE = 16, SQUARE = 32, BINS = 256, MOST_STEPS = 1000 };

// --- sums ------------------------------------------------------------------------------------------------

// Each thread sums its own contiguous chunk, so that no two lanes of a warp read neighbouring words.
__global__ void sumsq_chunks(const int *data, int n, int *block_sums)
{
    int threads = BLOCKS * THREADS, each = (n + threads - 1) / threads;
    int first = (blockIdx.x * THREADS + threadIdx.x) * each, sum = 0;
    for (int i = first; i < first + each && i < n; i++)
        sum += data[i] * data[i];
    atomicAdd(&block_sums[blockIdx.x], sum);
}

__global__ void sumsq(const int *data, int n, int *block_sums)
{
    __shared__ int sums[THREADS];
    int sum = 0;
    for (int i = blockIdx.x * THREADS + threadIdx.x; i < n; i += BLOCKS * THREADS)
        sum += data[i] * data[i];
    sums[threadIdx.x] = sum;
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (threadIdx.x < half)
            sums[threadIdx.x] += sums[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        block_sums[blockIdx.x] = sums[0];
}

__global__ void shuffle(const int *data, int n, int *block_sums)
{
    __shared__ int sums[THREADS / 32];
    int sum = 0;
    for (int i = blockIdx.x * THREADS + threadIdx.x; i < n; i += BLOCKS * THREADS) {
        int value = data[i] * data[i];
        for (int step = 16; step > 0; step /= 2)
            value += __shfl_down_sync(0xffffffff, value, step);
        sum += value;
    }
    if (threadIdx.x % 32 == 0)
        sums[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < THREADS / 32; w++)
            sum += sums[w];
        block_sums[blockIdx.x] = sum;
    }
}

// --- matrices --------------------------------------------------------------------------------------------

__global__ void matmul_naive(const float *a, const float *b, float *c, int n)
{
    int row = blockIdx.y * TILE + threadIdx.y, column = blockIdx.x * TILE + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < n; k++)
        sum += a[row * n + k] * b[k * n + column];
    c[row * n + column] = sum;
}

__global__ void matmul(const float *a, const float *b, float *c, int n)
{
    __shared__ float a_tile[TILE][TILE], b_tile[TILE][TILE];
    int x = threadIdx.x, y = threadIdx.y;
    int row = blockIdx.y * TILE + y, column = blockIdx.x * TILE + x;
    float sum = 0;
    for (int k = 0; k < n; k += TILE) {
        a_tile[y][x] = a[row * n + k + x];
        b_tile[y][x] = b[(k + y) * n + column];
        __syncthreads();
        for (int i = 0; i < TILE; i++)
            sum += a_tile[y][i] * b_tile[i][x];
        __syncthreads();
    }
    c[row * n + column] = sum;
}

// PAD 0: the lanes that read a column of the tile all access the same bank.
template <int PAD> __global__ void transpose(const float *from, float *to, int n)
{
    __shared__ float tile[SQUARE][SQUARE + PAD];
    int x = blockIdx.x * SQUARE + threadIdx.x, y = blockIdx.y * SQUARE + threadIdx.y;
    for (int i = 0; i < SQUARE; i += 8)
        tile[threadIdx.y + i][threadIdx.x] = from[(y + i) * n + x];
    __syncthreads();
    x = blockIdx.y * SQUARE + threadIdx.x;
    y = blockIdx.x * SQUARE + threadIdx.y;
    for (int i = 0; i < SQUARE; i += 8)
        to[(y + i) * n + x] = tile[threadIdx.x][threadIdx.y + i];
}

__global__ void jacobi(const double *from, double *to, int n)
{
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    if (x > 0 && y > 0 && x < n - 1 && y < n - 1)
        to[y * n + x] = 0.25 * (from[y * n + x - 1] + from[y * n + x + 1] + from[(y - 1) * n + x] +
                                from[(y + 1) * n + x]);
}

__global__ void texture(cudaTextureObject_t image, float *to, int n)
{
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    to[y * n + x] = 0.25f * (tex2D<float>(image, x - 1, y) + tex2D<float>(image, x + 1, y) +
                             tex2D<float>(image, x, y - 1) + tex2D<float>(image, x, y + 1));
}

// --- lanes that diverge ----------------------------------------------------------------------------------

__global__ void histogram(const int *data, int n, int *bins)
{
    __shared__ int counts[BINS];
    counts[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * THREADS + threadIdx.x; i < n; i += BLOCKS * THREADS)
        atomicAdd(&counts[data[i] % BINS], 1);
    __syncthreads();
    atomicAdd(&bins[threadIdx.x], counts[threadIdx.x]);
}

// Counts the steps of the Collatz sequence (halve an even number, else 3 n + 1) until 1. The count
// differs from lane to lane.
__global__ void divergent(int *steps, int n)
{
    int i = blockIdx.x * THREADS + threadIdx.x;
    unsigned value = i + 1;
    int count = 0;
    while (value != 1 && count < MOST_STEPS) {
        if (value % 2)
            value = 3 * value + 1;
        else
            value /= 2;
        count++;
    }
    if (i < n)
        steps[i] = count;
}

// --- the host's side -------------------------------------------------------------------------------------

template <class T> static std::vector<T> small_numbers(int count, unsigned factor, unsigned below)
{
    std::vector<T> numbers(count);
    for (int i = 0; i < count; i++)
        numbers[i] = (T)(i * factor % below);
    return numbers;
}

template <class T> static T *to_device(const std::vector<T> &values)
{
    T *device;
    cudaMalloc(&device, values.size() * sizeof(T));
    cudaMemcpy(device, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice);
    return device;
}

template <class T> static std::vector<T> from_device(const T *device, size_t count)
{
    std::vector<T> values(count);
    if (cudaMemcpy(values.data(), device, count * sizeof(T), cudaMemcpyDeviceToHost) != cudaSuccess)
        exit(1);
    return values;
}

template <class LAUNCH, class T>
static void time_launches(int repeats, const T *output, size_t count, LAUNCH launch)
{
    double sum = 0;
    for (int r = 0; r < repeats; r++) {
        auto start = std::chrono::steady_clock::now();
        clock_t cpu_start = clock();
        launch();
        cudaDeviceSynchronize();
        std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
        printf("kernel_seconds %.6f %.6f\n", seconds.count(),
               (double)(clock() - cpu_start) / CLOCKS_PER_SEC);
        if (r > 0)
            continue; // some kernels add to the results of earlier launches
        for (T value : from_device(output, count))
            sum += value;
    }
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    printf("checksum %.17g\npeak_mebibytes %.1f\n", sum, usage.ru_maxrss / 1024.0);
}

static bool run_sum(const char *name, int n, int repeats)
{
    std::vector<int> data = small_numbers<int>(n, 7919, 1000);
    int *input = to_device(data), *sums = to_device(std::vector<int>(BLOCKS));
    time_launches(repeats, sums, BLOCKS, [&] {
        if (strcmp(name, "sumsq") == 0)
            sumsq<<<BLOCKS, THREADS>>>(input, n, sums);
        else if (strcmp(name, "shuffle") == 0)
            shuffle<<<BLOCKS, THREADS>>>(input, n, sums);
        else
            sumsq_chunks<<<BLOCKS, THREADS>>>(input, n, sums);
    });
    unsigned expected = 0, sum = 0; // sums wrap around the same way on host and device
    for (int value : data)
        expected += (unsigned)(value * value);
    for (int block_sum : from_device(sums, BLOCKS))
        sum += (unsigned)block_sum;
    return sum == (strcmp(name, "sumsq_chunks") == 0 ? repeats * expected : expected);
}

static bool run_product(const char *name, int n, int repeats)
{
    std::vector<float> a = small_numbers<float>(n * n, 31, 8),
                       b = small_numbers<float>(n * n, 17, 8);
    float *left = to_device(a), *right = to_device(b),
          *product = to_device(std::vector<float>(n * n));
    dim3 grid(n / TILE, n / TILE), block(TILE, TILE);
    time_launches(repeats, product, n * n, [&] {
        if (strcmp(name, "matmul") == 0)
            matmul<<<grid, block>>>(left, right, product, n);
        else
            matmul_naive<<<grid, block>>>(left, right, product, n);
    });
    std::vector<float> c = from_device(product, n * n);
    for (int row = 0; row < n; row++) {
        int column = row * 37 % n; // checks one element of each row
        float expected = 0;
        for (int k = 0; k < n; k++)
            expected += a[row * n + k] * b[k * n + column];
        if (c[row * n + column] != expected)
            return false;
    }
    return true;
}

static bool run_transpose(const char *name, int n, int repeats)
{
    std::vector<float> from = small_numbers<float>(n * n, 31, 1000);
    float *input = to_device(from), *output = to_device(std::vector<float>(n * n));
    dim3 grid(n / SQUARE, n / SQUARE), block(SQUARE, 8);
    time_launches(repeats, output, n * n, [&] {
        if (strcmp(name, "transpose") == 0)
            transpose<1><<<grid, block>>>(input, output, n);
        else
            transpose<0><<<grid, block>>>(input, output, n);
    });
    std::vector<float> to = from_device(output, n * n);
    for (int i = 0; i < n * n; i++)
        if (to[i] != from[i % n * n + i / n])
            return false;
    return true;
}

static bool run_jacobi(const char *, int n, int repeats)
{
    std::vector<double> from = small_numbers<double>(n * n, 31, 1000);
    double *input = to_device(from), *output = to_device(std::vector<double>(n * n));
    dim3 grid(n / TILE, n / TILE), block(TILE, TILE);
    time_launches(repeats, output, n * n, [&] { jacobi<<<grid, block>>>(input, output, n); });
    std::vector<double> to = from_device(output, n * n);
    for (int i = n + 1; i < n * (n - 1) - 1; i++) {
        double expected = 0.25 * (from[i - 1] + from[i + 1] + from[i - n] + from[i + n]);
        if (i % n != 0 && i % n != n - 1 && to[i] != expected)
            return false;
    }
    return true;
}

static bool run_texture(const char *, int n, int repeats)
{
    std::vector<float> from = small_numbers<float>(n * n, 31, 1000);
    float *output = to_device(from);
    cudaArray_t array;
    cudaChannelFormatDesc floats = cudaCreateChannelDesc<float>();
    cudaMallocArray(&array, &floats, n, n);
    cudaMemcpy2DToArray(array, 0, 0, from.data(), n * 4, n * 4, n, cudaMemcpyHostToDevice);
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureDesc description = {};
    description.addressMode[0] = description.addressMode[1] = cudaAddressModeClamp;
    cudaTextureObject_t image;
    cudaCreateTextureObject(&image, &resource, &description, nullptr);
    dim3 grid(n / TILE, n / TILE), block(TILE, TILE);
    time_launches(repeats, output, n * n, [&] { texture<<<grid, block>>>(image, output, n); });
    std::vector<float> to = from_device(output, n * n);
    for (int i = n + 1; i < n * (n - 1) - 1; i++) {
        float expected = 0.25f * (from[i - 1] + from[i + 1] + from[i - n] + from[i + n]);
        if (i % n != 0 && i % n != n - 1 && to[i] != expected)
            return false;
    }
    return true;
}

static bool run_histogram(const char *, int n, int repeats)
{
    std::vector<int> data = small_numbers<int>(n, 7919, 1000), expected(BINS);
    int *input = to_device(data), *bins = to_device(std::vector<int>(BINS));
    time_launches(repeats, bins, BINS, [&] { histogram<<<BLOCKS, THREADS>>>(input, n, bins); });
    for (int value : data)
        expected[value % BINS] += repeats;
    return from_device(bins, BINS) == expected;
}

static bool run_divergent(const char *, int n, int repeats)
{
    int *steps = to_device(std::vector<int>(n));
    time_launches(repeats, steps, n, [&] { divergent<<<n / THREADS, THREADS>>>(steps, n); });
    std::vector<int> counted = from_device(steps, n);
    for (int i = 0; i < n; i++) {
        unsigned value = i + 1;
        int count = 0;
        for (; value != 1 && count < MOST_STEPS; count++)
            value = value % 2 ? 3 * value + 1 : value / 2;
        if (counted[i] != count)
            return false;
    }
    return true;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        bool (*run)(const char *name, int n, int repeats);
    } works[] = {
        {"sumsq_chunks", run_sum},    {"sumsq", run_sum},
        {"shuffle", run_sum},         {"matmul_naive", run_product},
        {"matmul", run_product},      {"transpose_conflicts", run_transpose},
        {"transpose", run_transpose}, {"jacobi", run_jacobi},
        {"texture", run_texture},     {"histogram", run_histogram},
        {"divergent", run_divergent},
    };
    for (auto &work : works)
        if (argc == 4 && strcmp(work.name, argv[1]) == 0)
            return !work.run(argv[1], atoi(argv[2]), atoi(argv[3]));
    fprintf(stderr, "usage: kernels NAME N REPEATS, where NAME is one of\n");
    for (auto &work : works)
        fprintf(stderr, "  %s\n", work.name);
    return 2;
}
