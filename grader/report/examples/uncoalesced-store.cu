// Fills rows of 64 words: a warp writes along a row (right) or down a column (wrong).
__global__ void right(float *a)
{
    for (int row = 0; row < 64; row++)
        a[row * 64 + threadIdx.x] = row;
}

__global__ void wrong(float *a)
{
    for (int column = 0; column < 64; column++)
        a[threadIdx.x * 64 + column] = threadIdx.x; // each thread writes another sector
}

int main()
{
    float *a, *b, difference = 0;
    cudaMallocManaged(&a, 64 * 64 * sizeof(float));
    cudaMallocManaged(&b, 64 * 64 * sizeof(float));
    right<<<1, 64>>>(a);
    wrong<<<1, 64>>>(b);
    cudaDeviceSynchronize();
    for (int i = 0; i < 64 * 64; i++)
        difference += a[i] != b[i];
    return difference != 0;
}
