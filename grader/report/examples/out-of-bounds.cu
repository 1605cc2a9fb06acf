#include <string.h>

// Numbers 1,000 elements with 1,024 threads: the last 24 threads must do nothing.
__global__ void right(float *a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        a[i] = i;
}

__global__ void wrong(float *a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    a[i] = i;
}

int main()
{
    float *a, *b;
    cudaMallocManaged(&a, 1000 * sizeof(float));
    cudaMallocManaged(&b, 1000 * sizeof(float));
    right<<<4, 256>>>(a, 1000);
    wrong<<<4, 256>>>(b, 1000);
    if (cudaDeviceSynchronize())
        return 1;
    return memcmp(a, b, 1000 * sizeof(float)) != 0;
}
