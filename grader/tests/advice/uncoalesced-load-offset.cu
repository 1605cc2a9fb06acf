// Adds up each row of a matrix whose rows have 33 words, so that most rows begin inside a sector.
__global__ void add_up(const float *a, size_t pitch, float *sums)
{
    const float *row = (const float *)((const char *)a + blockIdx.x * pitch);
    atomicAdd(&sums[blockIdx.x], row[threadIdx.x]);
}

int main()
{
    float numbers[64 * 33], *a, *sums;
    size_t bytes = 33 * sizeof(float), pitch = bytes;
    for (int i = 0; i < 64 * 33; i++)
        numbers[i] = i % 33 == 32 ? 1000 : i / 33;
    cudaMalloc(&a, 64 * bytes);
    cudaMallocManaged(&sums, 64 * sizeof(float));
    cudaMemset(sums, 0, 64 * sizeof(float));
    cudaMemcpy2D(a, pitch, numbers, bytes, bytes, 64, cudaMemcpyHostToDevice);
    add_up<<<64, 32>>>(a, pitch, sums);
    cudaDeviceSynchronize();
    return sums[0] != 0 || sums[1] != 32 || sums[63] != 63 * 32;
}
