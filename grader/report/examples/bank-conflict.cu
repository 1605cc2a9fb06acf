#include <string.h>

// A warp reads a column of a tile. The column is in one bank unless rows are padded by a word.
__global__ void right(float *out)
{
    __shared__ float tile[32][33];
    tile[threadIdx.y][threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}

__global__ void wrong(float *out)
{
    __shared__ float tile[32][32];
    tile[threadIdx.y][threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y]; // 32-way conflict
}

int main()
{
    float *a, *b;
    cudaMallocManaged(&a, 32 * 32 * sizeof(float));
    cudaMallocManaged(&b, 32 * 32 * sizeof(float));
    right<<<1, dim3(32, 32)>>>(a);
    wrong<<<1, dim3(32, 32)>>>(b);
    cudaDeviceSynchronize();
    return memcmp(a, b, 32 * 32 * sizeof(float)) != 0;
}
