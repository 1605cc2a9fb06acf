#include <string.h>

// Each thread doubles a word. wrong() uses so much shared memory that only two blocks fit on an SM.
__global__ void right(float *a)
{
    __shared__ float mine[128];
    mine[threadIdx.x] = a[blockIdx.x * 128 + threadIdx.x];
    a[blockIdx.x * 128 + threadIdx.x] = 2 * mine[threadIdx.x];
}

__global__ void wrong(float *a)
{
    extern __shared__ float large[]; // 100 KB
    large[threadIdx.x] = a[blockIdx.x * 128 + threadIdx.x];
    a[blockIdx.x * 128 + threadIdx.x] = 2 * large[threadIdx.x];
}

int main()
{
    float *a, *b;
    cudaMallocManaged(&a, 1024 * 128 * sizeof(float));
    cudaMallocManaged(&b, 1024 * 128 * sizeof(float));
    for (int i = 0; i < 1024 * 128; i++)
        a[i] = b[i] = i;
    cudaFuncSetAttribute(wrong, cudaFuncAttributeMaxDynamicSharedMemorySize, 100 << 10);
    right<<<1024, 128>>>(a);
    wrong<<<1024, 128, 100 << 10>>>(b);
    cudaDeviceSynchronize();
    return memcmp(a, b, 1024 * 128 * sizeof(float)) != 0;
}
