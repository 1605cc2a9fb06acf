// Doubles arrays of any size. For an array without numbers, the grid has no blocks.
__global__ void twice(int *a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        a[i] *= 2;
}

static void twice_all(int *a, int n)
{
    twice<<<(n + 255) / 256, 256>>>(a, n);
    cudaDeviceSynchronize();
}

int main()
{
    int *a;
    cudaMallocManaged(&a, 300 * sizeof(int));
    for (int i = 0; i < 300; i++)
        a[i] = i;
    twice_all(a, 0);
    twice_all(a, 300);
    return cudaGetLastError() || a[299] != 2 * 299;
}
