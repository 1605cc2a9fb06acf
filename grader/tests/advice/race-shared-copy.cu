// Reverses 256 numbers, which arrive by asynchronous copies, without waiting for the copies.
#include <cuda_pipeline.h>

__global__ void reverse(int *a)
{
    __shared__ int s[256];
    __pipeline_memcpy_async(&s[threadIdx.x], &a[threadIdx.x], sizeof(int));
    __pipeline_commit();
    __syncthreads();
    a[threadIdx.x] = s[255 - threadIdx.x];
}

int main()
{
    int *a;
    cudaMallocManaged(&a, 256 * sizeof(int));
    for (int i = 0; i < 256; i++)
        a[i] = i;
    reverse<<<1, 256>>>(a);
    cudaDeviceSynchronize();
    return a[0] != 255 || a[255] != 0;
}
