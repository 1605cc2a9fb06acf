// Adds neighbours up. The last thread's neighbour is not loaded.
__global__ void add_pairs(int *a)
{
    __shared__ int s[257];
    s[threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    a[threadIdx.x] = s[threadIdx.x] + s[threadIdx.x + 1];
}

int main()
{
    int *a;
    cudaMallocManaged(&a, 257 * sizeof(int));
    for (int i = 0; i < 257; i++)
        a[i] = i;
    add_pairs<<<1, 256>>>(a);
    cudaDeviceSynchronize();
    return a[0] != 1 || a[255] != 511;
}
