#include <string.h>

// Adds *step to many elements. A store to a[] might change *step, so wrong() loads it each time.
__global__ void right(float *a, const float *step, int n)
{
    float by = *step; // loads *step once
    for (int i = threadIdx.x; i < n; i += 256)
        a[i] += by;
}

__global__ void wrong(float *a, const float *step, int n)
{
    for (int i = threadIdx.x; i < n; i += 256)
        a[i] += *step; // loads *step 16 times
}

int main()
{
    float *a, *b, *step;
    cudaMallocManaged(&a, 256 * 16 * sizeof(float));
    cudaMallocManaged(&b, 256 * 16 * sizeof(float));
    cudaMallocManaged(&step, sizeof(float));
    for (int i = 0; i < 256 * 16; i++)
        a[i] = b[i] = i;
    *step = 3;
    right<<<1, 256>>>(a, step, 256 * 16);
    wrong<<<1, 256>>>(b, step, 256 * 16);
    cudaDeviceSynchronize();
    return memcmp(a, b, 256 * 16 * sizeof(float)) != 0;
}
