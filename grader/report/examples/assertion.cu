#include <assert.h>
#include <string.h>

// Each thread writes one word. The block may be larger than the array.
__global__ void right(float *a, int n)
{
    if (threadIdx.x < n)
        a[threadIdx.x] = 1;
}

__global__ void wrong(float *a, int n)
{
    assert(threadIdx.x < n);
    a[threadIdx.x] = 1;
}

int main()
{
    float *a, *b;
    cudaMallocManaged(&a, 100 * sizeof(float));
    cudaMallocManaged(&b, 100 * sizeof(float));
    right<<<1, 128>>>(a, 100);
    wrong<<<1, 128>>>(b, 100);
    if (cudaDeviceSynchronize())
        return 1;
    return memcmp(a, b, 100 * sizeof(float)) != 0;
}
