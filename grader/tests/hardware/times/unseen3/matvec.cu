/* A matrix times a vector, the core of PolyBench's atax, bicg and mvt. */
#include "expect.cuh"

static __global__ void row_per_thread(float *y, const float *a, const float *x, int rows,
                                      int columns)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    float sum = 0;
    for (int j = 0; j < columns; j++)
        sum += a[(size_t)row * columns + j] * x[j];
    y[row] = sum;
}

/* y = transposed A x */
static __global__ void column_per_thread(float *y, const float *a, const float *x, int rows,
                                         int columns)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    if (column >= columns)
        return;
    float sum = 0;
    for (int i = 0; i < rows; i++)
        sum += a[(size_t)i * columns + column] * x[i];
    y[column] = sum;
}

static __global__ void row_per_warp(float *y, const float *a, const float *x, int rows, int columns)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= rows)
        return;
    float sum = 0;
    for (int j = lane; j < columns; j += 32)
        sum += a[(size_t)row * columns + j] * x[j];
    for (int apart = 16; apart > 0; apart /= 2)
        sum += __shfl_down_sync(~0u, sum, apart);
    if (lane == 0)
        y[row] = sum;
}

int main()
{
    const int most = 4096;
    float *a = fractions<float>((size_t)most * most), *x = fractions<float>(most);
    float *y = zeros<float>(most);
    std::vector<float> host_a = fetched(a, (size_t)most * most), host_x = fetched(x, most);

    auto expect_product = [&](int rows, int columns, bool transposed) {
        int count = transposed ? columns : rows, length = transposed ? rows : columns;
        std::vector<float> found = fetched(y, count);
        for (int i = 0; i < count; i += 101) {
            double sum = 0;
            for (int j = 0; j < length; j++)
                sum += host_a[transposed ? (size_t)j * columns + i : (size_t)i * columns + j] *
                       host_x[j];
            EXPECT(near(found[i], sum, 1e-3));
        }
        clear(y, most);
    };
    TWICE(row_per_thread<<<2048 / 256, 256>>>(y, a, x, 2048, 2048));
    expect_product(2048, 2048, false);
    TWICE(row_per_thread<<<2048 / 32, 32>>>(y, a, x, 2048, 2048));
    expect_product(2048, 2048, false);
    TWICE(column_per_thread<<<2048 / 256, 256>>>(y, a, x, 2048, 2048));
    expect_product(2048, 2048, true);
    TWICE(column_per_thread<<<4096 / 64, 64>>>(y, a, x, 4096, 4096));
    expect_product(4096, 4096, true);
    TWICE(row_per_warp<<<2048 / 8, 256>>>(y, a, x, 2048, 2048));
    expect_product(2048, 2048, false);
    TWICE(row_per_warp<<<4096 / 8, 256>>>(y, a, x, 4096, 4096));
    expect_product(4096, 4096, false);
    return 0;
}
