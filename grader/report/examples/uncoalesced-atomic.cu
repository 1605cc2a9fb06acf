#include <string.h>

// Counts threads with odd numbers. right() counts in shared memory, then adds one sum per block to
// global memory. In wrong(), each thread adds to global memory, 64 bytes from its neighbour.
__global__ void right(unsigned *counts)
{
    __shared__ unsigned block;
    if (threadIdx.x == 0)
        block = 0;
    __syncthreads();
    atomicAdd(&block, threadIdx.x & 1);
    __syncthreads();
    if (threadIdx.x == 0)
        atomicAdd(&counts[0], block);
}

__global__ void wrong(unsigned *counts)
{
    atomicAdd(&counts[threadIdx.x * 16], threadIdx.x & 1); // a warp touches 32 sectors
}

int main()
{
    unsigned *a, *b, sum = 0;
    cudaMallocManaged(&a, sizeof(unsigned));
    cudaMallocManaged(&b, 256 * 16 * sizeof(unsigned));
    memset(b, 0, 256 * 16 * sizeof(unsigned));
    *a = 0;
    right<<<8, 256>>>(a);
    wrong<<<8, 256>>>(b);
    cudaDeviceSynchronize();
    for (int i = 0; i < 256 * 16; i++)
        sum += b[i];
    return *a != sum;
}
