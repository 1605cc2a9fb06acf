// Counts odd numbers: two threads can read the same count and add 1 to it.
__global__ void count(const int *a, int *odd)
{
    __shared__ int total;
    if (threadIdx.x == 0)
        total = 0;
    __syncthreads();
    if (a[threadIdx.x] % 2)
        total += 1;
    __syncthreads();
    *odd = total;
}

int main()
{
    int *a, *odd;
    cudaMallocManaged(&a, 256 * sizeof(int));
    cudaMallocManaged(&odd, sizeof(int));
    for (int i = 0; i < 256; i++)
        a[i] = i / 2;
    count<<<1, 256>>>(a, odd);
    cudaDeviceSynchronize();
    return *odd != 128;
}
