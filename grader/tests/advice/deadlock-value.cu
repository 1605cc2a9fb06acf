// Thread 0 waits for a flag that thread 1 sets only after the barrier at which thread 0 is missed.
__global__ void wait(volatile int *flag, int *a)
{
    if (threadIdx.x == 0)
        while (*flag == 0)
            ;
    __syncthreads();
    if (threadIdx.x == 32)
        *flag = 1;
    a[threadIdx.x] = *flag + 1;
}

int main()
{
    int *flag, *a;
    cudaMalloc(&flag, sizeof(int));
    cudaMallocManaged(&a, 64 * sizeof(int));
    cudaMemset(flag, 0, sizeof(int));
    wait<<<1, 64>>>(flag, a);
    if (cudaDeviceSynchronize())
        return 1;
    return a[0] == 0 || a[63] == 0;
}
