#include <string.h>

// Adds up the values of the first 16 lanes of a warp.
__global__ void right(int *a)
{
    int sum = a[threadIdx.x];
    unsigned first = __ballot_sync(0xffffffff, threadIdx.x < 16);
    if (threadIdx.x < 16) {
        for (int off = 8; off > 0; off /= 2)
            sum += __shfl_down_sync(first, sum, off);
        a[threadIdx.x] = sum;
    }
    a[threadIdx.x + 32] = sum;
}

__global__ void wrong(int *a)
{
    int sum = a[threadIdx.x];
    if (threadIdx.x < 16) {
        for (int off = 8; off > 0; off /= 2)
            sum += __shfl_down_sync(0xffffffff, sum, off); // lanes 16 to 31 never get here
        a[threadIdx.x] = sum;
    }
    a[threadIdx.x + 32] = sum;
}

int main()
{
    int *a, *b;
    cudaMallocManaged(&a, 64 * sizeof(int));
    cudaMallocManaged(&b, 64 * sizeof(int));
    for (int i = 0; i < 64; i++)
        a[i] = b[i] = i;
    right<<<1, 32>>>(a);
    wrong<<<1, 32>>>(b);
    cudaDeviceSynchronize();
    return memcmp(a, b, 64 * sizeof(int)) != 0;
}
