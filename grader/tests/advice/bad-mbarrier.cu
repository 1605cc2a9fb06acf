// Waits for 64 threads at a barrier object that nobody initialises.
#include <cuda/barrier>

__global__ void reverse(int *a)
{
    __shared__ int s[64];
    __shared__ cuda::barrier<cuda::thread_scope_block> ready;
    s[threadIdx.x] = a[threadIdx.x];
    ready.arrive_and_wait();
    a[threadIdx.x] = s[63 - threadIdx.x];
}

int main()
{
    int *a;
    cudaMallocManaged(&a, 64 * sizeof(int));
    for (int i = 0; i < 64; i++)
        a[i] = i;
    reverse<<<1, 64>>>(a);
    if (cudaDeviceSynchronize())
        return 1;
    return a[0] != 63;
}
