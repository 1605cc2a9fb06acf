/* The same numbers in another order. */
#include "expect.cuh"

#define TILE   32
#define FIELDS 5

template <typename T>
static __global__ void transpose_naive(T *out, const T *in, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height)
        out[(size_t)x * height + y] = in[(size_t)y * width + x];
}

/* As CUDA samples' transpose. PAD 0 makes all threads of a warp meet in one bank. */
template <typename T, int PAD>
static __global__ void transpose_tile(T *out, const T *in, int width, int height)
{
    __shared__ T tile[TILE][TILE + PAD];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    for (int row = 0; row < TILE; row += blockDim.y)
        tile[threadIdx.y + row][threadIdx.x] = in[(size_t)(y + row) * width + x];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x, y = blockIdx.x * TILE + threadIdx.y;
    for (int row = 0; row < TILE; row += blockDim.y)
        out[(size_t)(y + row) * height + x] = tile[threadIdx.x][threadIdx.y + row];
}

/* Structures of five numbers to five arrays. */
static __global__ void to_arrays(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        for (int f = 0; f < FIELDS; f++)
            out[f * n + i] = in[i * FIELDS + f];
}

/* The same through shared memory. */
static __global__ void to_arrays_staged(float *out, const float *in, int n)
{
    __shared__ float part[FIELDS * 256];
    int t = threadIdx.x, start = blockIdx.x * 256;
    for (int f = 0; f < FIELDS; f++)
        part[f * 256 + t] = in[start * FIELDS + f * 256 + t];
    __syncthreads();
    for (int f = 0; f < FIELDS; f++)
        out[f * n + start + t] = part[t * FIELDS + f];
}

template <typename T> static void expect_transposed(T *out, const T *in, int width, int height)
{
    std::vector<T> before = fetched(in, width * height), after = fetched(out, width * height);
    for (int i = 0; i < width * height; i += 97)
        EXPECT(after[i % width * height + i / width] == before[i]);
    clear(out, width * height);
}

int main()
{
    const int n = 2048;
    float *in = fractions<float>(n * n), *out = zeros<float>(n * n);
    double *double_in = (double *)in, *double_out = (double *)out;
    dim3 grid(n / TILE, n / TILE), block(TILE, 8);

    TWICE(transpose_naive<float><<<dim3(16, 64), block>>>(out, in, 512, 512));
    expect_transposed(out, in, 512, 512);
    TWICE(transpose_naive<float><<<dim3(64, 256), block>>>(out, in, n, n));
    expect_transposed(out, in, n, n);
    TWICE(transpose_tile<float, 0><<<grid, block>>>(out, in, n, n));
    expect_transposed(out, in, n, n);
    TWICE(transpose_tile<float, 1><<<grid, block>>>(out, in, n, n));
    expect_transposed(out, in, n, n);
    TWICE(transpose_tile<float, 1><<<dim3(16, 16), block>>>(out, in, 512, 512));
    expect_transposed(out, in, 512, 512);
    TWICE(transpose_tile<double, 1>
          <<<dim3(64, 32), dim3(32, 32)>>>(double_out, double_in, n, 1024));
    expect_transposed(double_out, double_in, n, 1024);

    const int count = 3 << 18;
    std::vector<float> before = fetched(in, count * FIELDS);
    auto expect_arrays = [&] {
        std::vector<float> after = fetched(out, count * FIELDS);
        for (int i = 0; i < count * FIELDS; i += 97)
            EXPECT(after[i % FIELDS * count + i / FIELDS] == before[i]);
        clear(out, n * n);
    };
    TWICE(to_arrays<<<count / 256, 256>>>(out, in, count));
    expect_arrays();
    TWICE(to_arrays_staged<<<count / 256, 256>>>(out, in, count));
    expect_arrays();
    return 0;
}
