// Counts numbers by their last digit. Nobody clears the counts.
__global__ void count(const int *a, int *counts)
{
    atomicAdd(&counts[a[threadIdx.x] % 10], 1);
}

int main()
{
    int *a, *counts, first;
    cudaMallocManaged(&a, 250 * sizeof(int));
    cudaMalloc(&counts, 10 * sizeof(int));
    for (int i = 0; i < 250; i++)
        a[i] = i;
    count<<<1, 250>>>(a, counts);
    cudaMemcpy(&first, counts, sizeof first, cudaMemcpyDeviceToHost);
    return first != 25;
}
