// Reverses rows of 64 words. In blocks of 16 x 16 threads, a warp works on two rows, whose words
// share banks.
__global__ void reverse(float *a)
{
    __shared__ float tile[16][64];
    for (int x = threadIdx.x; x < 64; x += blockDim.x)
        tile[threadIdx.y][63 - x] = a[threadIdx.y * 64 + x];
    __syncthreads();
    for (int x = threadIdx.x; x < 64; x += blockDim.x)
        a[threadIdx.y * 64 + x] = tile[threadIdx.y][x];
}

int main()
{
    float *a;
    cudaMallocManaged(&a, 16 * 64 * sizeof(float));
    for (int i = 0; i < 16 * 64; i++)
        a[i] = i;
    reverse<<<1, dim3(16, 16)>>>(a);
    cudaDeviceSynchronize();
    return a[0] != 63 || a[16 * 64 - 1] != 15 * 64;
}
