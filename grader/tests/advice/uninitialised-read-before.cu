// Reads the tile first and writes it afterwards.
__global__ void reverse(int *a)
{
    __shared__ int tile[256];
    int mine = tile[255 - threadIdx.x];
    __syncthreads();
    tile[threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    a[threadIdx.x] = mine;
}

int main()
{
    int *a;
    cudaMallocManaged(&a, 256 * sizeof(int));
    for (int i = 0; i < 256; i++)
        a[i] = i;
    reverse<<<1, 256>>>(a);
    cudaDeviceSynchronize();
    return a[0] != 255 || a[255] != 0;
}
