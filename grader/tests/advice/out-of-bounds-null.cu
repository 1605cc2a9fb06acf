// Fills an array of 16 TB, without a look at what cudaMalloc() returns.
__global__ void fill(int *a)
{
    a[threadIdx.x] = threadIdx.x;
}

int main()
{
    int *a = NULL, last;
    cudaMalloc(&a, (size_t)1 << 44);
    fill<<<1, 256>>>(a);
    cudaMemcpy(&last, a + 255, sizeof last, cudaMemcpyDeviceToHost);
    return last != 255;
}
