// Launches an ordinary function as a kernel.
__global__ void fill(int *a)
{
    a[threadIdx.x] = threadIdx.x;
}

static void launch(int *a)
{
    fill<<<1, 32>>>(a);
}

int main()
{
    int *a;
    cudaMallocManaged(&a, 32 * sizeof(int));
    launch(a);
    void *arguments[] = {&a};
    if (cudaLaunchKernel((const void *)launch, 1, 32, arguments, 0, 0))
        return 1;
    cudaDeviceSynchronize();
    return a[31] != 31;
}
