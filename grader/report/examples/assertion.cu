#include <assert.h>

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
    float *a;
    cudaMalloc(&a, 100 * sizeof(float));
    right<<<1, 128>>>(a, 100);
    wrong<<<1, 128>>>(a, 100);
    return cudaDeviceSynchronize();
}
