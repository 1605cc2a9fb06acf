// Adds up a block's numbers in shared memory, which nobody clears.
__global__ void add_up(const int *a, int *sum)
{
    __shared__ int total;
    atomicAdd(&total, a[threadIdx.x]);
    __syncthreads();
    if (threadIdx.x == 0)
        *sum = total;
}

int main()
{
    int *a, *sum;
    cudaMallocManaged(&a, 256 * sizeof(int));
    cudaMallocManaged(&sum, sizeof(int));
    for (int i = 0; i < 256; i++)
        a[i] = i;
    add_up<<<1, 256>>>(a, sum);
    cudaDeviceSynchronize();
    return *sum != 255 * 128;
}
