// Counts bits, recursively and in an array of each call.
__host__ __device__ __noinline__ int count(int n)
{
    int bits[8];
    for (int i = 0; i < 8; i++)
        bits[i] = n >> i & 1;
    int rest = n > 0 ? count(n - 1) : 0;
    return rest + bits[rest % 8];
}

__global__ void count_all(int *results)
{
    results[threadIdx.x] = count(200);
}

int main()
{
    int *results;
    cudaMallocManaged(&results, 32 * sizeof(int));
    count_all<<<1, 32>>>(results);
    if (cudaDeviceSynchronize())
        return 1;
    return results[31] != count(200);
}
