// Adds up 16 numbers by shuffles under a condition, and reads lanes that do not take part.
__global__ void add_up(int *a)
{
    int sum = a[threadIdx.x];
    if (threadIdx.x < 16)
        for (int off = 16; off > 0; off /= 2)
            sum += __shfl_down_sync(0x0000ffff, sum, off);
    if (threadIdx.x == 0)
        *a = sum;
}

int main()
{
    int *a;
    cudaMallocManaged(&a, 32 * sizeof(int));
    for (int i = 0; i < 32; i++)
        a[i] = i;
    add_up<<<1, 32>>>(a);
    cudaDeviceSynchronize();
    return *a != 31 * 16;
}
