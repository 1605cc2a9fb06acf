// Lets a kernel fill managed memory. wrong() reads that memory without waiting for the kernel.
__global__ void fill(int *data)
{
    data[threadIdx.x] = threadIdx.x;
}

static void right(int *data, volatile int *last)
{
    fill<<<1, 256>>>(data);
    cudaDeviceSynchronize();
    *last = data[255];
}

static void wrong(int *data, volatile int *last)
{
    fill<<<1, 256>>>(data);
    *last = data[255];
}

int main()
{
    int *data;
    volatile int one, other;
    cudaMallocManaged(&data, 256 * sizeof(int));
    right(data, &one);
    wrong(data, &other);
    cudaFree(data);
    return one != 255 || other != 255;
}
