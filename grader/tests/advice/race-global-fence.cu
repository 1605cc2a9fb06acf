// The last block adds up the sums of all blocks. Their writes may come after their atomics.
__device__ unsigned done;

__global__ void add_up(const int *a, int *sums)
{
    __shared__ bool is_last;
    if (threadIdx.x == 0) {
        int sum = 0;
        for (int i = 0; i < 4; i++)
            sum += a[blockIdx.x * 4 + i];
        sums[blockIdx.x] = sum;
        is_last = atomicAdd(&done, 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (is_last && threadIdx.x == 0)
        for (int i = 1; i < gridDim.x; i++)
            sums[0] += sums[i];
}

int main()
{
    int *a, *sums;
    cudaMallocManaged(&a, 32 * sizeof(int));
    cudaMallocManaged(&sums, 8 * sizeof(int));
    for (int i = 0; i < 32; i++)
        a[i] = i;
    add_up<<<8, 32>>>(a, sums);
    cudaDeviceSynchronize();
    return sums[0] != 31 * 16;
}
