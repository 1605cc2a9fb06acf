// Block 0 clears the sum to which all blocks add.
__global__ void add_up(const int *a, int *sum)
{
    if (blockIdx.x == 0 && threadIdx.x == 0)
        *sum = 0;
    __syncthreads();
    atomicAdd(sum, a[blockIdx.x * blockDim.x + threadIdx.x]);
}

int main()
{
    int *a, *sum;
    cudaMallocManaged(&a, 256 * sizeof(int));
    cudaMallocManaged(&sum, sizeof(int));
    for (int i = 0; i < 256; i++)
        a[i] = i;
    add_up<<<4, 64>>>(a, sum);
    cudaDeviceSynchronize();
    return *sum != 255 * 128;
}
