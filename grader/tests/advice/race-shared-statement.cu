// Adds up 64 numbers in shared memory, with reads and writes in one statement.
__global__ void add_up(int *a)
{
    __shared__ int s[64];
    s[threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    if (threadIdx.x < 63)
        s[threadIdx.x] += s[threadIdx.x + 1];
    __syncthreads();
    a[threadIdx.x] = s[threadIdx.x];
}

int main()
{
    int *a;
    cudaMallocManaged(&a, 64 * sizeof(int));
    for (int i = 0; i < 64; i++)
        a[i] = i;
    add_up<<<1, 64>>>(a);
    cudaDeviceSynchronize();
    return a[0] != 1 || a[31] != 63 || a[62] != 125;
}
