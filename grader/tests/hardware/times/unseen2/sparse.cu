/* Sparse matrices times vectors, in several formats. */
#include "common.cuh"

template <typename T>
__global__ void csrRow(T *y, const int *start, const int *column, const T *value, const T *x,
                       int rows)
{
    int r = own_index();
    if (r >= rows)
        return;
    T sum = 0;
    for (int i = start[r]; i < start[r + 1]; i++)
        sum += value[i] * x[column[i]];
    y[r] = sum;
}

/* LANES threads share a row. */
template <int LANES, typename T>
__global__ void csrShared(T *y, const int *start, const int *column, const T *value, const T *x,
                          int rows)
{
    int r = own_index() / LANES, lane = threadIdx.x % LANES;
    T sum = 0;
    if (r < rows)
        for (int i = start[r] + lane; i < start[r + 1]; i += LANES)
            sum += value[i] * x[column[i]];
    for (int d = LANES / 2; d; d /= 2)
        sum += __shfl_down_sync(~0u, sum, d, LANES);
    if (r < rows && lane == 0)
        y[r] = sum;
}

/* Rows have WIDTH places; empty ones have column -1. By columns or by rows. */
template <bool BY_ROWS>
__global__ void ellRow(float *y, const int *column, const float *value, const float *x, int rows,
                       int width)
{
    int r = own_index();
    if (r >= rows)
        return;
    float sum = 0;
    for (int k = 0; k < width; k++) {
        int at = BY_ROWS ? r * width + k : k * rows + r, c = column[at];
        if (c >= 0)
            sum += value[at] * __ldg(&x[c]);
    }
    y[r] = sum;
}

/* Diagonals at fixed offsets. */
__global__ void diagonals(double *y, const double *value, const double *x, const int *offset,
                          int count, int n)
{
    int r = own_index();
    if (r >= n)
        return;
    double sum = 0;
    for (int d = 0; d < count; d++) {
        int c = r + offset[d];
        if (c >= 0 && c < n)
            sum += value[d * n + r] * x[c];
    }
    y[r] = sum;
}

/* Dense blocks of 4 x 4: four lanes per block row, each one row of it. */
__global__ void blocks4(float *y, const int *start, const int *column, const float4 *value,
                        const float4 *x, int blockRows)
{
    int t = own_index(), br = t / 4, lane = t % 4;
    if (br >= blockRows)
        return;
    float sum = 0;
    for (int i = start[br]; i < start[br + 1]; i++) {
        float4 v = value[i * 4 + lane], u = x[column[i]];
        sum += v.x * u.x + v.y * u.y + v.z * u.z + v.w * u.w;
    }
    y[t] = sum;
}

/* A sparse matrix times a dense one with 32 columns: a warp per row. */
__global__ void csrTimesDense(float *Y, const int *start, const int *column, const float *value,
                              const float *X, int rows)
{
    int r = blockIdx.x * blockDim.y + threadIdx.y, c = threadIdx.x;
    if (r >= rows)
        return;
    float sum = 0;
    for (int i = start[r]; i < start[r + 1]; i++)
        sum += value[i] * X[column[i] * 32 + c];
    Y[r * 32 + c] = sum;
}

/* The transposed product, without the transposed matrix: by atomics. */
__global__ void csrTransposed(float *y, const int *start, const int *column, const float *value,
                              const float *x, int rows)
{
    int r = own_index();
    if (r >= rows)
        return;
    float by = x[r];
    for (int i = start[r]; i < start[r + 1]; i++)
        atomicAdd(&y[column[i]], value[i] * by);
}

int main()
{
    const int rows = 50000;
    auto length = [](int kind, int r) -> int {
        return kind == 0   ? 5 + scrambled(r) % 8           // even rows
               : kind == 1 ? (scrambled(r) % 100 ? 4 : 400) // a few long ones
                           : 60 + scrambled(r) % 20;        // all long
    };
    auto x = random_between<float>(rows * 2, -1, 1);
    auto dx = made<double>(rows, [&](size_t i) { return (double)x[i]; });
    float *y = zeros<float>(rows * 32);
    double *dy = zeros<double>(rows);
    for (int kind = 0; kind < 3; kind++) {
        int count = kind == 2 ? rows / 4 : rows;
        std::vector<int> starts{0}, cols;
        for (int r = 0; r < count; r++) {
            for (int k = 0, l = length(kind, r); k < l; k++)
                cols.push_back(
                    kind == 0 ? std::min(count - 1,
                                         std::max(0, r + (int)(scrambled(r * 31 + k) % 201) - 100))
                              : scrambled(r * 571 + k) % count);
            starts.push_back((int)cols.size());
        }
        auto start = sent(starts), column = sent(cols);
        auto value = random_between<float>(cols.size(), -1, 1);
        std::vector<double> want(count), want_t(count);
        for (int r = 0; r < count; r++)
            for (int i = starts[r]; i < starts[r + 1]; i++) {
                want[r] += (double)value[i] * x[cols[i]];
                want_t[cols[i]] += 2.0 * value[i] * x[r];
            }
        auto right = [&](size_t r) { return want[r]; };
        auto run = [&](auto launch, const char *what) {
            launch();
            expect(what, y, count, right, 1e-4);
            CHECK(cudaMemset(y, 0, count * sizeof *y));
        };
        const int *s = start.device, *c = column.device;
        run(
            [&] {
                TWICE(csrRow<float>
                      <<<blocks_for(count, 128), 128>>>(y, s, c, value.device, x.device, count));
            },
            "csrRow");
        if (kind != 2)
            run(
                [&] {
                    TWICE(csrShared<4, float>
                          <<<blocks_for(count, 64), 256>>>(y, s, c, value.device, x.device, count));
                },
                "csrShared, 4");
        run(
            [&] {
                TWICE(csrShared<32, float>
                      <<<blocks_for(count, 8), 256>>>(y, s, c, value.device, x.device, count));
            },
            "csrShared, 32");
        if (kind == 0) {
            const int width = 12;
            std::vector<int> byRows(width * rows, -1), byColumns(width * rows, -1);
            std::vector<float> vRows(width * rows), vColumns(width * rows);
            for (int r = 0; r < rows; r++)
                for (int i = starts[r]; i < starts[r + 1]; i++) {
                    int k = i - starts[r];
                    byRows[r * width + k] = byColumns[k * rows + r] = cols[i];
                    vRows[r * width + k] = vColumns[k * rows + r] = value[i];
                }
            auto cr = sent(byRows), cc = sent(byColumns);
            auto vr = sent(vRows), vc = sent(vColumns);
            run(
                [&] {
                    TWICE(ellRow<false><<<blocks_for(rows, 256), 256>>>(y, cc.device, vc.device,
                                                                        x.device, rows, width));
                },
                "ellRow");
            run(
                [&] {
                    TWICE(ellRow<true><<<blocks_for(rows, 256), 256>>>(y, cr.device, vr.device,
                                                                       x.device, rows, width));
                },
                "ellRow, by rows");
            auto dvalue = made<double>(cols.size(), [&](size_t i) { return (double)value[i]; });
            TWICE(csrRow<double>
                  <<<blocks_for(rows, 128), 128>>>(dy, s, c, dvalue.device, dx.device, rows));
            expect("csrRow, double", dy, rows, right, 1e-12);
            CHECK(cudaMemset(y, 0, rows * sizeof *y));
            TWICE(csrTransposed<<<blocks_for(rows, 256), 256>>>(y, s, c, value.device, x.device,
                                                                rows));
            expect(
                "csrTransposed", y, rows, [&](size_t r) { return want_t[r]; }, 1e-3);
            TWICE(csrRow<float><<<6, 128>>>(y, s, c, value.device, x.device, 700));
        }
        if (kind == 2) {
            auto X = random_between<float>(count * 32, -1, 1);
            TWICE(csrTimesDense<<<blocks_for(count, 4), dim3(32, 4)>>>(y, s, c, value.device,
                                                                       X.device, count));
            expect(
                "csrTimesDense", y, count * 32,
                [&](size_t i) {
                    double sum = 0;
                    for (int k = starts[i / 32]; k < starts[i / 32 + 1]; k++)
                        sum += (double)value[k] * X[cols[k] * 32 + i % 32];
                    return sum;
                },
                1e-4, 7);
        }
    }
    const int n = 200000;
    std::vector<int> offsets{-500, -1, 0, 1, 500, 501, -501};
    auto offset = sent(offsets);
    auto dv = random_between<double>(n * 7, -1, 1), du = random_between<double>(n, -1, 1, 2);
    double *dw = zeros<double>(n);
    for (int m : {n, 4000}) {
        TWICE(
            diagonals<<<blocks_for(m, 256), 256>>>(dw, dv.device, du.device, offset.device, 7, m));
        expect(
            "diagonals", dw, m,
            [&](size_t r) {
                double sum = 0;
                for (int d = 0; d < 7; d++) {
                    int c = (int)r + offsets[d];
                    if (c >= 0 && c < m)
                        sum += dv[d * m + r] * du[c];
                }
                return sum;
            },
            1e-12);
    }
    const int blockRows = 10000, each = 9;
    auto start4 = made<int>(blockRows + 1, [&](size_t i) { return (int)i * each; });
    auto column4 = random_below(blockRows * each, blockRows);
    auto value4 = random_between<float>(blockRows * each * 16, -1, 1);
    TWICE(blocks4<<<blocks_for(blockRows * 4, 128), 128>>>(
        y, start4.device, column4.device, (float4 *)value4.device, (float4 *)x.device, blockRows));
    expect(
        "blocks4", y, blockRows * 4,
        [&](size_t r) {
            double sum = 0;
            for (int i = (int)r / 4 * each; i < (int)(r / 4 + 1) * each; i++)
                for (int k = 0; k < 4; k++)
                    sum += (double)value4[i * 16 + r % 4 * 4 + k] * x[column4[i] * 4 + k];
            return sum;
        },
        1e-4);
    return 0;
}
