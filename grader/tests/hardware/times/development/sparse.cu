// Sparse matrices: a row for each thread, for each warp, and in columns of equal length; breadth-first steps.
#include "../launch.cuh"

#define EACH 16

__global__ void row_a_thread(const int *begin, const int *columns, const float *values,
                             const float *x, float *y)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int i = begin[row]; i < begin[row + 1]; i++)
        sum += values[i] * x[columns[i]];
    y[row] = sum;
}

__global__ void row_a_warp(const int *begin, const int *columns, const float *values,
                           const float *x, float *y)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    float sum = 0;
    for (int i = begin[row] + lane; i < begin[row + 1]; i += 32)
        sum += values[i] * x[columns[i]];
    for (int off = 16; off > 0; off /= 2)
        sum += __shfl_down_sync(~0u, sum, off);
    if (lane == 0)
        y[row] = sum;
}

__global__ void ellpack(const int *columns, const float *values, const float *x, float *y, int rows)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int i = 0; i < EACH; i++)
        sum += values[i * rows + row] * x[columns[i * rows + row]];
    y[row] = sum;
}

__global__ void breadth_first(const int *begin, const int *edges, int *level, int now)
{
    int node = blockIdx.x * blockDim.x + threadIdx.x;
    if (level[node] % 4 != now)
        return;
    for (int i = begin[node]; i < begin[node + 1]; i++)
        if (level[edges[i]] < 0)
            level[edges[i]] = now + 1;
}

int main()
{
    int rows = 1 << 16;
    int *even = filled<int>(rows + 1, [](size_t i) { return (int)i * EACH; });
    int *uneven = filled<int>(rows + 1, [](size_t i) {
        return (int)(i / 64 * 64 * EACH + i % 64 * (i % 64) * EACH / 64); // 0 to 2 EACH numbers
    });
    int *columns = integers(rows * EACH, rows), *level = integers(rows, 1000);
    float *values = fractions<float>(rows * EACH), *x = fractions<float>(rows),
          *y = zeros<float>(rows);
    TWICE(row_a_thread<<<rows / 256, 256>>>(even, columns, values, x, y));
    TWICE(row_a_warp<<<rows / 8, 256>>>(even, columns, values, x, y));
    TWICE(row_a_thread<<<rows / 256, 256>>>(uneven, columns, values, x, y));
    TWICE(ellpack<<<rows / 256, 256>>>(columns, values, x, y, rows));
    TWICE(breadth_first<<<rows / 256, 256>>>(even, columns, level, 1));
}
