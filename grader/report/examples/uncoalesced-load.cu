// Each thread sums every 256th element (right) or its own chunk (wrong).
__global__ void right(const float *a, float *sums)
{
    float sum = 0;
    for (int i = threadIdx.x; i < 256 * 64; i += 256)
        sum += a[i]; // neighbouring threads, neighbouring words: 4 sectors
    sums[threadIdx.x] = sum;
}

__global__ void wrong(const float *a, float *sums)
{
    float sum = 0;
    for (int i = 0; i < 64; i++)
        sum += a[threadIdx.x * 64 + i]; // neighbouring threads are 64 words apart: 32 sectors
    sums[threadIdx.x] = sum;
}

int main()
{
    float *a, *sums;
    cudaMalloc(&a, 256 * 64 * sizeof(float));
    cudaMalloc(&sums, 256 * sizeof(float));
    cudaMemset(a, 0, 256 * 64 * sizeof(float));
    right<<<1, 256>>>(a, sums);
    wrong<<<1, 256>>>(a, sums);
    return cudaDeviceSynchronize();
}
