#include <string.h>

// Each word becomes the sum of its neighbours.
__global__ void right(int *a)
{
    __shared__ int s[66];
    s[threadIdx.x + 1] = a[threadIdx.x];
    if (threadIdx.x < 2)
        s[65 * threadIdx.x] = 0; // writes the edges, s[0] and s[65], too
    __syncthreads();
    a[threadIdx.x] = s[threadIdx.x] + s[threadIdx.x + 2];
}

__global__ void wrong(int *a)
{
    __shared__ int s[66];
    s[threadIdx.x + 1] = a[threadIdx.x];
    __syncthreads();
    a[threadIdx.x] = s[threadIdx.x] + s[threadIdx.x + 2]; // s[0] and s[65] were never written
}

int main()
{
    int *a, *b;
    cudaMallocManaged(&a, 64 * sizeof(int));
    cudaMallocManaged(&b, 64 * sizeof(int));
    for (int i = 0; i < 64; i++)
        a[i] = b[i] = i;
    right<<<1, 64>>>(a);
    wrong<<<1, 64>>>(b);
    cudaDeviceSynchronize();
    return memcmp(a, b, 64 * sizeof(int)) != 0;
}
