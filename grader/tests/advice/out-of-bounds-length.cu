// Adds up 1,000 numbers in 8 blocks, then the sums of the blocks, but passes the wrong length.
__global__ void sum(const int *numbers, int n, int *sums)
{
    int mine = 0;
    if (threadIdx.x == 0)
        for (int i = blockIdx.x; i < n; i += gridDim.x)
            mine += numbers[i];
    if (threadIdx.x == 0)
        sums[blockIdx.x] = mine;
}

int main()
{
    int numbers[1000], *on_gpu, *sums, *total, all = 0;
    for (int i = 0; i < 1000; i++)
        numbers[i] = 1;
    cudaMalloc(&on_gpu, sizeof numbers);
    cudaMalloc(&sums, 8 * sizeof(int));
    cudaMalloc(&total, sizeof(int));
    cudaMemcpy(on_gpu, numbers, sizeof numbers, cudaMemcpyHostToDevice);
    sum<<<8, 32>>>(on_gpu, 1000, sums);
    sum<<<1, 32>>>(sums, 1000, total);
    if (cudaDeviceSynchronize())
        return 1;
    cudaMemcpy(&all, total, sizeof all, cudaMemcpyDeviceToHost);
    return all != 1000;
}
