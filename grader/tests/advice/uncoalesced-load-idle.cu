// One lane of each pair loads a number, and gives it to the other one. All lanes compute with it.
__global__ void compute(const float *a, float *results)
{
    int t = blockIdx.x * 256 + threadIdx.x;
    float x = 0;
    if (t % 2 == 0)
        x = a[t];
    x = __shfl_sync(0xffffffff, x, threadIdx.x & 30);
    for (int i = 0; i < 200; i++)
        x = x * 0.5f + t % 2;
    results[t] = x;
}

int main()
{
    float *a, *results;
    cudaMallocManaged(&a, 1024 * sizeof(float));
    cudaMallocManaged(&results, 1024 * sizeof(float));
    for (int i = 0; i < 1024; i++)
        a[i] = i;
    compute<<<4, 256>>>(a, results);
    cudaDeviceSynchronize();
    return results[1022] != 0 || results[1023] != 2;
}
