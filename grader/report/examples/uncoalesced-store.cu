// Fills rows of 64 words: a warp can go along a row or down a column.
__global__ void right(float *a)
{
    for (int row = 0; row < 64; row++)
        a[row * 64 + threadIdx.x] = row;
}

__global__ void wrong(float *a)
{
    for (int column = 0; column < 64; column++)
        a[threadIdx.x * 64 + column] = threadIdx.x; // each thread a sector of its own
}

int main()
{
    float *a;
    cudaMalloc(&a, 64 * 64 * sizeof(float));
    right<<<1, 64>>>(a);
    wrong<<<1, 64>>>(a);
    return cudaDeviceSynchronize();
}
