// Counts the threads. In wrong(), two threads can read the same number and add 1 to it.
__global__ void right(unsigned *count)
{
    atomicAdd(count, 1);
}

__global__ void wrong(unsigned *count)
{
    *count = *count + 1; // two threads may read the same number
}

int main()
{
    unsigned *count;
    cudaMallocManaged(&count, sizeof(unsigned));
    *count = 0;
    right<<<4, 64>>>(count);
    wrong<<<4, 64>>>(count);
    cudaDeviceSynchronize();
    return *count != 512;
}
