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
    float *a, *one, *other, sum = 0;
    cudaMallocManaged(&a, 256 * 64 * sizeof(float));
    cudaMallocManaged(&one, 256 * sizeof(float));
    cudaMallocManaged(&other, 256 * sizeof(float));
    for (int i = 0; i < 256 * 64; i++)
        a[i] = i % 10;
    right<<<1, 256>>>(a, one);
    wrong<<<1, 256>>>(a, other);
    cudaDeviceSynchronize();
    for (int i = 0; i < 256; i++)
        sum += one[i] - other[i];
    return sum != 0;
}
