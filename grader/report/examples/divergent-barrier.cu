#include <string.h>

// Reverses the first 48 words.
__global__ void right(float *a)
{
    __shared__ float s[48];
    if (threadIdx.x < 48)
        s[threadIdx.x] = a[threadIdx.x];
    __syncthreads(); // all 64 threads get here
    if (threadIdx.x < 48)
        a[threadIdx.x] = s[47 - threadIdx.x];
}

__global__ void wrong(float *a)
{
    __shared__ float s[48];
    if (threadIdx.x < 48) {
        s[threadIdx.x] = a[threadIdx.x];
        __syncthreads(); // 16 threads never get here
        a[threadIdx.x] = s[47 - threadIdx.x];
    }
}

int main()
{
    float *a, *b;
    cudaMallocManaged(&a, 64 * sizeof(float));
    cudaMallocManaged(&b, 64 * sizeof(float));
    for (int i = 0; i < 64; i++)
        a[i] = b[i] = i;
    right<<<1, 64>>>(a);
    wrong<<<1, 64>>>(b);
    cudaDeviceSynchronize();
    return memcmp(a, b, 64 * sizeof(float)) != 0;
}
