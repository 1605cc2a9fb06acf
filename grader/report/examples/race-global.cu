// Counts the threads.
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
    cudaMalloc(&count, sizeof(unsigned));
    cudaMemset(count, 0, sizeof(unsigned));
    right<<<4, 64>>>(count);
    wrong<<<4, 64>>>(count);
    return cudaDeviceSynchronize();
}
