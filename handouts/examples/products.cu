// Three kernels with three different limits: a sum of vectors, and two ways to multiply matrices.
#include "lab.h"

#define LONG  (1 << 23) // floats in a vector
#define WIDTH 640       // of a matrix
#define TILE  16

__global__ void add(const float *a, const float *b, float *c)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    c[i] = a[i] + b[i];
}

__global__ void naive(const float *a, const float *b, float *c)
{
    int row = blockIdx.y * TILE + threadIdx.y, column = blockIdx.x * TILE + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < WIDTH; ++k)
        sum += a[row * WIDTH + k] * b[k * WIDTH + column];
    c[row * WIDTH + column] = sum;
}

__global__ void tiled(const float *a, const float *b, float *c)
{
    __shared__ float tile_a[TILE][TILE], tile_b[TILE][TILE];
    int x = threadIdx.x, y = threadIdx.y;
    int row = blockIdx.y * TILE + y, column = blockIdx.x * TILE + x;
    float sum = 0;
    for (int k = 0; k < WIDTH; k += TILE) {
        tile_a[y][x] = a[row * WIDTH + k + x];
        tile_b[y][x] = b[(k + y) * WIDTH + column];
        __syncthreads();
        for (int i = 0; i < TILE; ++i)
            sum += tile_a[y][i] * tile_b[i][x];
        __syncthreads();
    }
    c[row * WIDTH + column] = sum;
}

int main()
{
    float *a, *b, *c;
    dim3 blocks(WIDTH / TILE, WIDTH / TILE), threads(TILE, TILE);
    CHECK_CUDA(cudaMalloc(&a, LONG * sizeof *a));
    CHECK_CUDA(cudaMalloc(&b, LONG * sizeof *b));
    CHECK_CUDA(cudaMalloc(&c, LONG * sizeof *c));
    CHECK_CUDA(cudaMemset(a, 0, LONG * sizeof *a));
    CHECK_CUDA(cudaMemset(b, 0, LONG * sizeof *b));
    naive<<<blocks, threads>>>(a, b, c);
    tiled<<<blocks, threads>>>(a, b, c);
    add<<<LONG / 256, 256>>>(a, b, c);
    CHECK_CUDA(cudaDeviceSynchronize());
    CHECK_CUDA(cudaFree(a));
    CHECK_CUDA(cudaFree(b));
    CHECK_CUDA(cudaFree(c));
    return 0;
}
