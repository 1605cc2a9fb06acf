// Waits for a flag in page-locked memory that main() sets only after the kernel.
__global__ void wait(volatile int *flag, int *a)
{
    while (*flag == 0)
        ;
    a[threadIdx.x] = threadIdx.x;
}

int main()
{
    int *flag, *a;
    cudaMallocHost(&flag, sizeof(int));
    cudaMallocManaged(&a, 32 * sizeof(int));
    *flag = 0;
    wait<<<1, 32>>>(flag, a);
    cudaDeviceSynchronize();
    *flag = 1;
    return cudaDeviceSynchronize() || a[31] != 31;
}
