/* Dense linear algebra in single and double precision: vectors, matrix by vector, matrix by matrix. */
#include "../launch.cuh"

__global__ void axpby(float *y, const float *x, float a, float b, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i] + b * y[i];
}

__global__ void axpby4(float4 *y, const float4 *x, float a, float b, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float4 u = x[i], v = y[i];
        y[i] =
            make_float4(a * u.x + b * v.x, a * u.y + b * v.y, a * u.z + b * v.z, a * u.w + b * v.w);
    }
}

template <typename T> __global__ void dot(T *out, const T *x, const T *y, int n)
{
    __shared__ T parts[256];
    T sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        sum += x[i] * y[i];
    parts[threadIdx.x] = sum;
    for (int half = blockDim.x / 2; half; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half)
            parts[threadIdx.x] += parts[threadIdx.x + half];
    }
    if (threadIdx.x == 0)
        out[blockIdx.x] = parts[0];
}

/* One thread per row: neighbouring threads read with a stride. */
__global__ void gemv_thread(float *y, const float *a, const float *x, int rows, int columns)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    float sum = 0;
    for (int k = 0; k < columns; k++)
        sum += a[(size_t)row * columns + k] * x[k];
    y[row] = sum;
}

__global__ void gemv_warp(float *y, const float *a, const float *x, int rows, int columns)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= rows)
        return;
    float sum = 0;
    for (int k = lane; k < columns; k += 32)
        sum += a[(size_t)row * columns + k] * x[k];
    for (int step = 16; step; step /= 2)
        sum += __shfl_down_sync(~0u, sum, step);
    if (lane == 0)
        y[row] = sum;
}

/* The transposed matrix by a vector: a thread per column. */
__global__ void gemv_columns(float *y, const float *a, const float *x, int rows, int columns)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < rows; k++)
        sum += a[(size_t)k * columns + column] * x[k];
    y[column] = sum;
}

template <typename T> __global__ void gemm_plain(T *c, const T *a, const T *b, int n)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    T sum = 0;
    for (int k = 0; k < n; k++)
        sum += a[row * n + k] * b[k * n + column];
    c[row * n + column] = sum;
}

template <int TILE> __global__ void gemm_tiled(float *c, const float *a, const float *b, int n)
{
    __shared__ float as[TILE][TILE], bs[TILE][TILE];
    int x = threadIdx.x, y = threadIdx.y, column = blockIdx.x * TILE + x,
        row = blockIdx.y * TILE + y;
    float sum = 0;
    for (int k = 0; k < n; k += TILE) {
        as[y][x] = a[row * n + k + x];
        bs[y][x] = b[(k + y) * n + column];
        __syncthreads();
        for (int i = 0; i < TILE; i++)
            sum += as[y][i] * bs[i][x];
        __syncthreads();
    }
    c[row * n + column] = sum;
}

/* A block computes 64 x 64 numbers, a thread 4 x 4. */
__global__ void gemm_registers(float *c, const float *a, const float *b, int n)
{
    __shared__ float as[16][65], bs[16][64];
    int tx = threadIdx.x % 16, ty = threadIdx.x / 16, row = blockIdx.y * 64,
        column = blockIdx.x * 64;
    float sum[4][4] = {};
    for (int k = 0; k < n; k += 16) {
        for (int i = threadIdx.x; i < 1024; i += 256) {
            as[i % 16][i / 16] = a[(row + i / 16) * n + k + i % 16];
            bs[i / 64][i % 64] = b[(k + i / 64) * n + column + i % 64];
        }
        __syncthreads();
#pragma unroll
        for (int l = 0; l < 16; l++) {
            float u[4], v[4];
            for (int i = 0; i < 4; i++)
                u[i] = as[l][ty * 4 + i], v[i] = bs[l][tx + i * 16];
            for (int i = 0; i < 4; i++)
                for (int j = 0; j < 4; j++)
                    sum[i][j] += u[i] * v[j];
        }
        __syncthreads();
    }
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            c[(row + ty * 4 + i) * n + column + tx + j * 16] = sum[i][j];
}

__global__ void rank_one(double *a, const double *x, const double *y, int n)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    for (int row = blockIdx.y; row < n; row += gridDim.y)
        a[(size_t)row * n + column] = 0.5 * a[(size_t)row * n + column] + x[row] * y[column];
}

/* Forward substitution of a lower triangle by one block. */
__global__ void solve_lower(float *x, const float *a, const float *b, int n)
{
    extern __shared__ float known[];
    float mine = b[threadIdx.x];
    for (int k = 0; k < n; k++) {
        if (threadIdx.x == k)
            known[k] = x[k] = mine / (a[k * n + k] + 2);
        __syncthreads();
        if (threadIdx.x > k)
            mine -= a[threadIdx.x * n + k] * known[k];
    }
}

int main()
{
    const int n = 1 << 21;
    float *x = fractions<float>(n), *y = fractions<float>(n), *out = zeros<float>(1 << 18);
    double *dx = fractions<double>(1 << 19), *dy = fractions<double>(1 << 19);
    TWICE(axpby<<<n / 128, 128>>>(y, x, 2, 0.5f, n));
    TWICE(axpby<<<133, 1024>>>(y, x, 2, 0.5f, 133 * 1024));
    TWICE(axpby4<<<264, 256>>>((float4 *)y, (float4 *)x, 2, 0.5f, n / 4));
    TWICE(dot<<<132, 256>>>(out, x, y, n / 2));
    TWICE(dot<<<8, 256>>>(out, x, y, n / 16));
    TWICE(dot<<<528, 256>>>((double *)out, dx, dy, 1 << 19));
    TWICE(gemv_thread<<<32, 64>>>(out, x, y, 2048, 512));
    TWICE(gemv_warp<<<256, 256>>>(out, x, y, 2048, 512));
    TWICE(gemv_columns<<<16, 64>>>(out, x, y, 1024, 1024));
    TWICE(gemm_plain<<<dim3(8, 32), dim3(32, 8)>>>(out, x, y, 256));
    TWICE(gemm_plain<<<dim3(8, 8), dim3(16, 16)>>>((double *)out, dx, dy, 128));
    TWICE(gemm_tiled<16><<<dim3(16, 16), dim3(16, 16)>>>(out, x, y, 256));
    TWICE(gemm_tiled<32><<<dim3(8, 8), dim3(32, 32)>>>(out, x, y, 256));
    TWICE(gemm_registers<<<dim3(4, 4), 256>>>(out, x, y, 256));
    TWICE(gemm_registers<<<dim3(6, 6), 256>>>(out, x, y, 384));
    TWICE(rank_one<<<dim3(2, 132), 256>>>(dx, dy, dy + 1024, 512));
    TWICE(solve_lower<<<1, 512, 2048>>>(out, x, y, 512));
    return 0;
}
