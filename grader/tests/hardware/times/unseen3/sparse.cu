/* Sparse matrices times a vector: as SHOC's spmv, Parboil's spmv and Bell and Garland's paper. */
#include "expect.cuh"
#include <algorithm>
#include <functional>

#define ROWS (1 << 16)

struct matrix {
    std::vector<int> begin, column;
    std::vector<float> value;
    int *device_begin, *device_column;
    float *device_value;
};

static __global__ void csr_by_thread(float *y, const float *x, const int *begin, const int *column,
                                     const float *value, int rows)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    float sum = 0;
    for (int e = begin[row]; e < begin[row + 1]; e++)
        sum += value[e] * x[column[e]];
    y[row] = sum;
}

static __global__ void csr_by_warp(float *y, const float *x, const int *begin, const int *column,
                                   const float *value, int rows)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= rows)
        return;
    float sum = 0;
    for (int e = begin[row] + lane; e < begin[row + 1]; e += 32)
        sum += value[e] * x[column[e]];
    for (int apart = 16; apart > 0; apart /= 2)
        sum += __shfl_down_sync(~0u, sum, apart);
    if (lane == 0)
        y[row] = sum;
}

/* ELLPACK: WIDTH entries a row, stored column by column. */
static __global__ void ell(float *y, const float *x, const int *column, const float *value,
                           int rows, int width)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    float sum = 0;
    for (int e = 0; e < width; e++)
        sum += value[e * rows + row] * x[column[e * rows + row]];
    y[row] = sum;
}

static matrix make_matrix(const std::function<int(int)> &length,
                          const std::function<int(int, int)> &place)
{
    matrix m;
    m.begin.push_back(0);
    for (int row = 0; row < ROWS; row++) {
        for (int e = 0; e < length(row); e++) {
            m.value.push_back(1 + scrambled(m.value.size()) % 4);
            m.column.push_back(place(row, e));
        }
        m.begin.push_back((int)m.value.size());
    }
    m.device_begin = filled<int>(m.begin.size(), [&](size_t i) { return m.begin[i]; });
    m.device_column = filled<int>(m.column.size(), [&](size_t i) { return m.column[i]; });
    m.device_value = filled<float>(m.value.size(), [&](size_t i) { return m.value[i]; });
    return m;
}

int main()
{
    float *x = filled<float>(ROWS, [](size_t i) { return (float)(scrambled(i) % 8); });
    float *y = zeros<float>(ROWS);
    std::vector<float> host_x = fetched(x, ROWS);
    auto even_length = [](int) { return 16; };
    auto uneven_length = [](int row) { return row % 256 == 0 ? 1024 : (int)(scrambled(row) % 16); };
    auto anywhere = [](int row, int e) { return (int)(scrambled(row * 1031 + e) % ROWS); };
    auto band = [](int row, int e) { return std::min(std::max(row + 4 * (e - 8), 0), ROWS - 1); };
    matrix banded = make_matrix(even_length, band), random = make_matrix(even_length, anywhere);
    matrix uneven = make_matrix(uneven_length, anywhere);

    auto expect_product = [&](const matrix &m) {
        std::vector<float> found = fetched(y, ROWS);
        for (int row = 0; row < ROWS; row += 64) {
            float sum = 0;
            for (int e = m.begin[row]; e < m.begin[row + 1]; e++)
                sum += m.value[e] * host_x[m.column[e]];
            EXPECT(found[row] == sum);
        }
        clear(y, ROWS);
    };
    for (const matrix *m : {&banded, &random, &uneven}) {
        TWICE(csr_by_thread<<<ROWS / 128, 128>>>(y, x, m->device_begin, m->device_column,
                                                 m->device_value, ROWS));
        expect_product(*m);
        TWICE(csr_by_warp<<<ROWS / 8, 256>>>(y, x, m->device_begin, m->device_column,
                                             m->device_value, ROWS));
        expect_product(*m);
    }
    for (const matrix *m : {&banded, &random}) {
        auto entry = [](size_t i) { return i % ROWS * 16 + i / ROWS; };
        int *column = filled<int>(ROWS * 16, [&](size_t i) { return m->column[entry(i)]; });
        float *value = filled<float>(ROWS * 16, [&](size_t i) { return m->value[entry(i)]; });
        TWICE(ell<<<ROWS / 128, 128>>>(y, x, column, value, ROWS, 16));
        expect_product(*m);
    }
    return 0;
}
