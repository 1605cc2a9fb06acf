// Each block stores one number, but cudaMalloc() gets the number of blocks.
__global__ void number(int *results)
{
    if (threadIdx.x == 0)
        results[blockIdx.x] = blockIdx.x;
}

int main()
{
    int *results, last;
    cudaMalloc(&results, 64);
    number<<<64, 32>>>(results);
    if (cudaDeviceSynchronize())
        return 1;
    cudaMemcpy(&last, results + 63, sizeof last, cudaMemcpyDeviceToHost);
    return last != 63;
}
