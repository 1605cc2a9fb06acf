#include <string.h>

// Doubles 4,096 numbers.
__global__ void right(float *a, int n)
{
    int all = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += all)
        a[i] *= 2;
}

__global__ void wrong(float *a, int n)
{
    for (int i = 0; i < n; i++) // one thread does all the work
        a[i] *= 2;
}

int main()
{
    float *a, *b;
    cudaMallocManaged(&a, 4096 * sizeof(float));
    cudaMallocManaged(&b, 4096 * sizeof(float));
    for (int i = 0; i < 4096; i++)
        a[i] = b[i] = i;
    right<<<16, 256>>>(a, 4096);
    wrong<<<1, 1>>>(b, 4096);
    cudaDeviceSynchronize();
    return memcmp(a, b, 4096 * sizeof(float)) != 0;
}
