/* Sparse matrices times vectors in several formats, after SHOC's spmv and Bell and Garland's study. */
#include "expect.cuh"
#include <algorithm>

template <typename T>
__global__ void csr_scalar(const int *rows, const int *columns, const T *values, const T *x, T *y,
                           int n)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n)
        return;
    T sum = 0;
    for (int e = rows[row]; e < rows[row + 1]; e++)
        sum += values[e] * x[columns[e]];
    y[row] = sum;
}

template <typename T>
__global__ void csr_vector(const int *rows, const int *columns, const T *values, const T *x, T *y,
                           int n)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= n)
        return;
    T sum = 0;
    for (int e = rows[row] + lane; e < rows[row + 1]; e += 32)
        sum += values[e] * x[columns[e]];
    for (int d = 16; d; d /= 2)
        sum += __shfl_down_sync(~0u, sum, d);
    if (lane == 0)
        y[row] = sum;
}

/* Four lanes a row. */
__global__ void csr_quarter(const int *rows, const int *columns, const float *values,
                            const float *x, float *y, int n)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 4, lane = threadIdx.x % 4;
    if (row >= n)
        return;
    float sum = 0;
    for (int e = rows[row] + lane; e < rows[row + 1]; e += 4)
        sum += values[e] * x[columns[e]];
    sum += __shfl_xor_sync(~0u, sum, 2);
    sum += __shfl_xor_sync(~0u, sum, 1);
    if (lane == 0)
        y[row] = sum;
}

template <typename T>
__global__ void ell(const int *columns, const T *values, const T *x, T *y, int n, int width)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n)
        return;
    T sum = 0;
    for (int k = 0; k < width; k++) {
        int column = columns[k * n + row];
        if (column >= 0)
            sum += values[k * n + row] * x[column];
    }
    y[row] = sum;
}

__global__ void coo_atomic(const int *row, const int *column, const float *values, const float *x,
                           float *y, int count)
{
    int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e < count)
        atomicAdd(&y[row[e]], values[e] * x[column[e]]);
}

/* The lanes of a row add up first: a segmented sum in a warp. */
__global__ void coo_segments(const int *row, const int *column, const float *values, const float *x,
                             float *y, int count)
{
    int e = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    int mine = e < count ? row[e] : -1;
    float sum = e < count ? values[e] * x[column[e]] : 0;
    for (int d = 1; d < 32; d *= 2) {
        float other = __shfl_up_sync(~0u, sum, d);
        int its = __shfl_up_sync(~0u, mine, d);
        if (lane >= d && its == mine)
            sum += other;
    }
    int after = __shfl_down_sync(~0u, mine, 1);
    if (mine >= 0 && (lane == 31 || after != mine))
        atomicAdd(&y[mine], sum);
}

/* Diagonals; offsets in constant memory. */
__constant__ int offsets[16];

template <typename T> __global__ void dia(const T *values, const T *x, T *y, int n, int diagonals)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    T sum = 0;
    for (int d = 0; d < diagonals; d++) {
        int column = row + offsets[d];
        if (column >= 0 && column < n)
            sum += values[d * n + row] * x[column];
    }
    y[row] = sum;
}

/* Blocks of 4 x 4: a thread a row of the blocks. */
__global__ void bsr(const int *rows, const int *columns, const float4 *values, const float4 *x,
                    float *y)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x, block_row = t / 4;
    float sum = 0;
    for (int e = rows[block_row]; e < rows[block_row + 1]; e++) {
        float4 v = values[e * 4 + t % 4], w = x[columns[e]];
        sum += v.x * w.x + v.y * w.y + v.z * w.z + v.w * w.w;
    }
    y[t] = sum;
}

int main()
{
    const int n = 1 << 16, width = 24;
    std::vector<int> rows(n + 1), columns, row_of;
    for (int r = 0; r < n; r++) {
        rows[r] = columns.size();
        int have = 4 + scrambled(r) % 17;
        for (int k = 0; k < have; k++) {
            columns.push_back(k % 2 ? scrambled(r * 31 + k) % n : (r + k * 5) % n);
            row_of.push_back(r);
        }
    }
    rows[n] = columns.size();
    const int m = columns.size();
    auto up = [](const auto &v) {
        return filled<typename std::decay_t<decltype(v)>::value_type>(
            v.size(), [&](size_t i) { return v[i]; });
    };
    int *d_rows = up(rows), *d_columns = up(columns), *d_row_of = up(row_of);
    float *values = fractions<float>(m), *x = fractions<float>(n), *y = zeros<float>(n);
    double *dvalues = fractions<double>(m), *dx = fractions<double>(n), *dy = zeros<double>(n);
    auto hv = fetched(values, m), hx = fetched(x, n);
    std::vector<double> wanted(n);
    for (int e = 0; e < m; e++)
        wanted[row_of[e]] += (double)hv[e] * hx[columns[e]];
    auto check_y = [&](const char *what, auto *memory, double error) {
        auto h = fetched(memory, n);
        double total = 0, should = 0;
        for (int r = 0; r < n; r++)
            total += h[r], should += wanted[r];
        /* Sums by atomics may hold a multiple. */
        double times = std::max(1.0, std::round(total / should));
        for (int r = 0; r < n; r++)
            expect_near(what, r, h[r], times * wanted[r], error);
        CHECK(cudaMemset(memory, 0, n * sizeof *memory));
    };
    TWICE(csr_scalar<<<n / 256, 256>>>(d_rows, d_columns, values, x, y, n));
    check_y("scalar", y, 1e-5);
    TWICE(csr_scalar<<<n / 32, 32>>>(d_rows, d_columns, values, x, y, n));
    check_y("scalar", y, 1e-5);
    TWICE(csr_scalar<<<n / 128, 128>>>(d_rows, d_columns, dvalues, dx, dy, n));
    check_y("scalar", dy, 1e-10);
    TWICE(csr_vector<<<n / 8, 256>>>(d_rows, d_columns, values, x, y, n));
    check_y("vector", y, 1e-5);
    TWICE(csr_vector<<<n / 4, 128>>>(d_rows, d_columns, dvalues, dx, dy, n));
    check_y("vector", dy, 1e-10);
    TWICE(csr_quarter<<<n / 64, 256>>>(d_rows, d_columns, values, x, y, n));
    check_y("quarter", y, 1e-5);
    std::vector<int> ell_columns(n * width, -1);
    std::vector<float> ell_values(n * width);
    std::vector<double> ell_doubles(n * width);
    for (int r = 0; r < n; r++)
        for (int e = rows[r]; e < rows[r + 1]; e++) {
            ell_columns[(e - rows[r]) * n + r] = columns[e];
            ell_doubles[(e - rows[r]) * n + r] = ell_values[(e - rows[r]) * n + r] = hv[e];
        }
    int *d_ell = up(ell_columns);
    float *d_ell_values = up(ell_values);
    double *d_ell_doubles = up(ell_doubles);
    TWICE(ell<<<n / 256, 256>>>(d_ell, d_ell_values, x, y, n, width));
    check_y("ell", y, 1e-5);
    TWICE(ell<<<n / 512, 512>>>(d_ell, d_ell_doubles, dx, dy, n, width));
    check_y("ell", dy, 1e-10);
    TWICE(coo_atomic<<<(m + 255) / 256, 256>>>(d_row_of, d_columns, values, x, y, m));
    check_y("coo", y, 1e-3);
    TWICE(coo_segments<<<(m + 255) / 256, 256>>>(d_row_of, d_columns, values, x, y, m));
    check_y("segments", y, 1e-3);
    TWICE(coo_segments<<<(m + 63) / 64, 64>>>(d_row_of, d_columns, values, x, y, m));
    check_y("segments", y, 1e-3);

    const int some[9] = {-256, -255, -16, -1, 0, 1, 16, 255, 256};
    CHECK(cudaMemcpyToSymbol(offsets, some, sizeof some));
    const int large = 1 << 18;
    float *fv = fractions<float>(large * 9), *fx = fractions<float>(large),
          *fy = zeros<float>(large);
    double *gv = fractions<double>(large * 5), *gx = fractions<double>(large),
           *gy = zeros<double>(large);
    auto hfv = fetched(fv, large * 9), hfx = fetched(fx, large);
    auto check_dia = [&](const char *what, auto *memory, int diagonals) {
        auto h = fetched(memory, large);
        for (size_t r : places(large, 1000)) {
            double sum = 0;
            for (int d = 0; d < diagonals; d++) {
                long column = (long)r + some[d];
                if (column >= 0 && column < large)
                    sum += (double)hfv[d * large + r] * hfx[column];
            }
            expect_near(what, r, h[r], sum, 1e-5);
        }
    };
    TWICE(dia<<<large / 256, 256>>>(fv, fx, fy, large, 9));
    check_dia("dia", fy, 9);
    TWICE(dia<<<large / 128, 128>>>(gv, gx, gy, large, 5));
    check_dia("dia", gy, 5);

    /* The pattern of the first rows, of blocks. */
    const int block_rows = 8192, blocks = rows[block_rows];
    int *d_few = filled<int>(blocks, [&](size_t e) { return columns[e] % (large / 4); });
    float4 *bv = (float4 *)fv;
    TWICE(bsr<<<block_rows * 4 / 128, 128>>>(d_rows, d_few, bv, (float4 *)fx, fy));
    TWICE(bsr<<<block_rows / 2 / 256, 256>>>(d_rows, d_few, bv, (float4 *)fx, fy + large / 2));
    auto hb = fetched(fy, block_rows * 4);
    for (size_t t : places(block_rows * 4, 500)) {
        double sum = 0;
        for (int e = rows[t / 4]; e < rows[t / 4 + 1]; e++)
            for (int k = 0; k < 4; k++)
                sum += (double)hfv[(e * 4 + t % 4) * 4 + k] * hfx[columns[e] % (large / 4) * 4 + k];
        expect_near("bsr", t, hb[t], sum, 1e-5);
    }
    return verdict("sparse");
}
