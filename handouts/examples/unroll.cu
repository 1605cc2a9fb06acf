// #pragma unroll: each thread adds up 24 numbers of its column. The loops differ only in the pragma.
#include "lab.h"

#define THREADS 64
#define ROWS    24

__global__ void rolled(const int *data, int *sums)
{
    int sum = 0;
#pragma unroll 1
    for (int y = 0; y < ROWS; ++y)
        sum += data[y * THREADS + threadIdx.x];
    sums[threadIdx.x] = sum;
}

__global__ void by_four(const int *data, int *sums)
{
    int sum = 0;
#pragma unroll 4
    for (int y = 0; y < ROWS; ++y)
        sum += data[y * THREADS + threadIdx.x];
    sums[threadIdx.x] = sum;
}

__global__ void all_steps(const int *data, int *sums)
{
    int sum = 0;
#pragma unroll
    for (int y = 0; y < ROWS; ++y)
        sum += data[y * THREADS + threadIdx.x];
    sums[threadIdx.x] = sum;
}

// The compiler does not know how many steps there are: four copies, and a loop for what is left.
__global__ void any_rows(const int *data, int *sums, int rows)
{
    int sum = 0;
#pragma unroll 4
    for (int y = 0; y < rows; ++y)
        sum += data[y * THREADS + threadIdx.x];
    sums[threadIdx.x] = sum;
}

int main()
{
    static int host[ROWS * THREADS];
    int *data, *sums, total[4];
    for (int i = 0; i < ROWS * THREADS; ++i)
        host[i] = i;
    CHECK_CUDA(cudaMalloc(&data, sizeof host));
    CHECK_CUDA(cudaMalloc(&sums, 4 * THREADS * sizeof *sums));
    CHECK_CUDA(cudaMemcpy(data, host, sizeof host, cudaMemcpyHostToDevice));
    rolled<<<1, THREADS>>>(data, sums);
    by_four<<<1, THREADS>>>(data, sums + THREADS);
    all_steps<<<1, THREADS>>>(data, sums + 2 * THREADS);
    any_rows<<<1, THREADS>>>(data, sums + 3 * THREADS, ROWS - 1);
    for (int k = 0; k < 4; ++k)
        CHECK_CUDA(
            cudaMemcpy(&total[k], sums + k * THREADS, sizeof *total, cudaMemcpyDeviceToHost));
    printf("sums of the first column: %d %d %d, of all rows but the last: %d\n", total[0], total[1],
           total[2], total[3]);
    CHECK_CUDA(cudaFree(sums));
    CHECK_CUDA(cudaFree(data));
    return 0;
}
