// Reads a tile that no thread fills.
__global__ void copy(int *to, const int *from)
{
    __shared__ int tile[256];
    to[threadIdx.x] = tile[threadIdx.x];
}

int main()
{
    int *a, *b;
    cudaMallocManaged(&a, 256 * sizeof(int));
    cudaMallocManaged(&b, 256 * sizeof(int));
    for (int i = 0; i < 256; i++)
        a[i] = i;
    copy<<<1, 256>>>(b, a);
    cudaDeviceSynchronize();
    return b[255] != 255;
}
