// Matrix products: swapped indices, naive, tiles of 16 and 32, and tiles in registers.
#include "../launch.cuh"

__global__ void swapped(const float *a, const float *b, float *c, int n)
{
    int y = blockIdx.x * blockDim.x + threadIdx.x, x = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0;
    for (int k = 0; k < n; k++)
        sum += a[y * n + k] * b[k * n + x];
    c[y * n + x] = sum;
}

__global__ void naive(const float *a, const float *b, float *c, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0;
    for (int k = 0; k < n; k++)
        sum += a[y * n + k] * b[k * n + x];
    c[y * n + x] = sum;
}

template <int TILE> __global__ void tiled(const float *a, const float *b, float *c, int n)
{
    __shared__ float as[TILE][TILE], bs[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * TILE + tx, y = blockIdx.y * TILE + ty;
    float sum = 0;
    for (int k = 0; k < n; k += TILE) {
        as[ty][tx] = a[y * n + k + tx];
        bs[ty][tx] = b[(k + ty) * n + x];
        __syncthreads();
        for (int i = 0; i < TILE; i++)
            sum += as[ty][i] * bs[i][tx];
        __syncthreads();
    }
    c[y * n + x] = sum;
}

// 64 x 64 of C by 256 threads, 4 x 4 each.
__global__ void in_registers(const float *a, const float *b, float *c, int n)
{
    __shared__ float as[16][64], bs[16][64];
    int t = threadIdx.x, tx = t % 16, ty = t / 16, x0 = blockIdx.x * 64, y0 = blockIdx.y * 64;
    float sums[4][4] = {};
    for (int k = 0; k < n; k += 16) {
        for (int i = t; i < 1024; i += 256) {
            as[i % 16][i / 16] = a[(y0 + i / 16) * n + k + i % 16];
            bs[i / 64][i % 64] = b[(k + i / 64) * n + x0 + i % 64];
        }
        __syncthreads();
#pragma unroll
        for (int i = 0; i < 16; i++) {
            float row[4], column[4];
            for (int j = 0; j < 4; j++) {
                row[j] = as[i][ty * 4 + j];
                column[j] = bs[i][tx + j * 16];
            }
            for (int j = 0; j < 4; j++)
                for (int l = 0; l < 4; l++)
                    sums[j][l] += row[j] * column[l];
        }
        __syncthreads();
    }
    for (int j = 0; j < 4; j++)
        for (int l = 0; l < 4; l++)
            c[(y0 + ty * 4 + j) * n + x0 + tx + l * 16] = sums[j][l];
}

__global__ void in_double(const double *a, const double *b, double *c, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    double sum = 0;
    for (int k = 0; k < n; k++)
        sum += a[y * n + k] * b[k * n + x];
    c[y * n + x] = sum;
}

int main()
{
    for (int n : {128, 256, 512}) {
        float *a = fractions<float>(n * n), *b = fractions<float>(n * n), *c = zeros<float>(n * n);
        if (n == 256)
            TWICE(swapped<<<dim3(n / 32, n / 8), dim3(32, 8)>>>(a, b, c, n));
        TWICE(naive<<<dim3(n / 32, n / 8), dim3(32, 8)>>>(a, b, c, n));
        TWICE(tiled<16><<<dim3(n / 16, n / 16), dim3(16, 16)>>>(a, b, c, n));
        TWICE(tiled<32><<<dim3(n / 32, n / 32), dim3(32, 32)>>>(a, b, c, n));
        TWICE(in_registers<<<dim3(n / 64, n / 64), 256>>>(a, b, c, n));
    }
    int n = 256;
    double *a = fractions<double>(n * n), *c = zeros<double>(n * n);
    TWICE(in_double<<<dim3(n / 32, n / 8), dim3(32, 8)>>>(a, a, c, n));
}
