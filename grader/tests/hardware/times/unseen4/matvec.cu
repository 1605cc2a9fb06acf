/* Matrix times vector and its transpose, the ways of Polybench's atax, bicg, mvt and gemver. */
#include "expect.cuh"

/* A thread a row: neighbouring threads read a row apart. */
template <typename T>
__global__ void row_thread(const T *a, const T *x, T *y, int rows, int columns)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    T sum = 0;
    for (int j = 0; j < columns; j++)
        sum += a[(size_t)row * columns + j] * x[j];
    y[row] = sum;
}

template <typename T>
__global__ void column_thread(const T *a, const T *x, T *y, int rows, int columns)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    if (column >= columns)
        return;
    T sum = 0;
    for (int i = 0; i < rows; i++)
        sum += a[(size_t)i * columns + column] * x[i];
    y[column] = sum;
}

template <typename T> __global__ void row_warp(const T *a, const T *x, T *y, int rows, int columns)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= rows)
        return;
    T sum = 0;
    for (int j = lane; j < columns; j += 32)
        sum += a[(size_t)row * columns + j] * x[j];
    for (int d = 16; d; d /= 2)
        sum += __shfl_down_sync(~0u, sum, d);
    if (lane == 0)
        y[row] = sum;
}

__global__ void row_block(const float4 *a, const float4 *x, float *y, int quads)
{
    __shared__ float sums[256];
    float sum = 0;
    for (int j = threadIdx.x; j < quads; j += blockDim.x) {
        float4 p = a[(size_t)blockIdx.x * quads + j], q = x[j];
        sum += p.x * q.x + p.y * q.y + p.z * q.z + p.w * q.w;
    }
    sums[threadIdx.x] = sum;
    __syncthreads();
    for (int half = blockDim.x / 2; half; half /= 2) {
        if (threadIdx.x < half)
            sums[threadIdx.x] += sums[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        y[blockIdx.x] = sums[0];
}

/* Columns, the rows split over blockIdx.y; the parts meet by atomics. */
__global__ void column_split(const float *a, const float *x, float *y, int rows, int columns)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x, part = rows / gridDim.y;
    float sum = 0;
    for (int i = blockIdx.y * part; i < (blockIdx.y + 1) * part; i++)
        sum += a[(size_t)i * columns + column] * x[i];
    atomicAdd(&y[column], sum);
}

/* B = A + u v' + w z' */
__global__ void rank_two(const float *a, const float *u, const float *v, const float *w,
                         const float *z, float *b, int columns)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    b[(size_t)i * columns + j] = a[(size_t)i * columns + j] + u[i] * v[j] + w[i] * z[j];
}

int main()
{
    const int n = 2048;
    float *a = fractions<float>(n * n), *x = fractions<float>(n), *y = zeros<float>(n),
          *b = zeros<float>(n * n);
    const int m = 1024;
    double *da = fractions<double>(m * m), *dx = fractions<double>(m), *dy = zeros<double>(m);
    auto ha = fetched(a, n * n);
    auto hx = fetched(x, n);
    auto hda = fetched(da, m * m);
    auto hdx = fetched(dx, m);

    auto rows = [&](const char *what, int count) {
        auto h = fetched(y, count);
        for (size_t i : places(count, 50)) {
            double sum = 0;
            for (int j = 0; j < n; j++)
                sum += (double)ha[i * n + j] * hx[j];
            expect_near(what, i, h[i], sum, 1e-4);
        }
        CHECK(cudaMemset(y, 0, n * sizeof *y));
    };
    auto columns = [&](const char *what, double times) {
        auto h = fetched(y, n);
        for (size_t i : places(n, 50)) {
            double sum = 0;
            for (int j = 0; j < n; j++)
                sum += (double)ha[(size_t)j * n + i] * hx[j];
            expect_near(what, i, h[i] / times, sum, times > 1 ? 1e-3 : 1e-4);
        }
        CHECK(cudaMemset(y, 0, n * sizeof *y));
    };
    auto doubles = [&](const char *what, bool transposed) {
        auto h = fetched(dy, m);
        for (size_t i : places(m, 50)) {
            double sum = 0;
            for (int j = 0; j < m; j++)
                sum += (transposed ? hda[j * m + i] : hda[i * m + j]) * hdx[j];
            expect_near(what, i, h[i], sum, 1e-10);
        }
    };

    TWICE(row_thread<<<n / 256, 256>>>(a, x, y, n, n));
    rows("row_thread", n);
    TWICE(row_thread<<<n / 32, 32>>>(a, x, y, n, n));
    rows("row_thread", n);
    TWICE(row_thread<<<m / 128, 128>>>(da, dx, dy, m, m));
    doubles("row_thread", false);
    TWICE(column_thread<<<n / 256, 256>>>(a, x, y, n, n));
    columns("column_thread", 1);
    TWICE(column_thread<<<n / 32, 32>>>(a, x, y, n, n));
    columns("column_thread", 1);
    TWICE(column_thread<<<m / 64, 64>>>(da, dx, dy, m, m));
    doubles("column_thread", true);
    TWICE(row_warp<<<n / 8, 256>>>(a, x, y, n, n));
    rows("row_warp", n);
    TWICE(row_warp<<<m / 4, 128>>>(da, dx, dy, m, m));
    doubles("row_warp", false);
    TWICE(row_block<<<n, 256>>>((float4 *)a, (float4 *)x, y, n / 4));
    rows("row_block", n);
    TWICE(row_block<<<n, 64>>>((float4 *)a, (float4 *)x, y, n / 4));
    rows("row_block", n);
    TWICE(column_split<<<dim3(n / 256, 32), 256>>>(a, x, y, n, n));
    auto multiple = [&] {
        /* However often it ran, the sums are the same multiple. */
        auto h = fetched(y, n);
        double first = 0;
        for (int j = 0; j < n; j++)
            first += (double)ha[(size_t)j * n] * hx[j];
        columns("column_split", std::fmax(1, std::round(h[0] / first)));
    };
    multiple();
    TWICE(column_split<<<dim3(n / 128, 256), 128>>>(a, x, y, n, n));
    multiple();
    TWICE(rank_two<<<dim3(n / 32, n / 8), dim3(32, 8)>>>(a, x, x, x, x, b, n));
    TWICE(rank_two<<<dim3(n / 256, n), dim3(256, 1)>>>(a, x, x, x, x, b, n));
    auto hb = fetched(b, n * n);
    for (size_t i : places(n * n, 1000))
        expect_near("rank_two", i, hb[i], ha[i] + 2.0 * hx[i / n] * hx[i % n], 1e-5);
    return verdict("matvec");
}
