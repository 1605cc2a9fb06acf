#include <string.h>

// Reverses a block's words: each thread reads a word that another thread writes.
__global__ void right(float *a)
{
    __shared__ float s[256];
    s[threadIdx.x] = a[threadIdx.x];
    __syncthreads(); // every thread has written
    a[threadIdx.x] = s[255 - threadIdx.x];
}

__global__ void wrong(float *a)
{
    __shared__ float s[256];
    s[threadIdx.x] = a[threadIdx.x];
    a[threadIdx.x] = s[255 - threadIdx.x]; // the other thread may not have written it yet
}

int main()
{
    float *a, *b;
    cudaMallocManaged(&a, 256 * sizeof(float));
    cudaMallocManaged(&b, 256 * sizeof(float));
    for (int i = 0; i < 256; i++)
        a[i] = b[i] = i;
    right<<<1, 256>>>(a);
    wrong<<<1, 256>>>(b);
    cudaDeviceSynchronize();
    return memcmp(a, b, 256 * sizeof(float)) != 0;
}
