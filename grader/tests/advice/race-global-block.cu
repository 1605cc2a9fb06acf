// Reverses a block's words in global memory: each thread reads a word that another thread writes.
__global__ void reverse(int *a, int *b)
{
    b[threadIdx.x] = a[threadIdx.x];
    a[threadIdx.x] = b[255 - threadIdx.x];
}

int main()
{
    int *a, *b;
    cudaMallocManaged(&a, 256 * sizeof(int));
    cudaMallocManaged(&b, 256 * sizeof(int));
    for (int i = 0; i < 256; i++)
        a[i] = i;
    reverse<<<1, 256>>>(a, b);
    cudaDeviceSynchronize();
    return a[0] != 255;
}
