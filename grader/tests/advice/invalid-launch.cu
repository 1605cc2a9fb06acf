// Doubles 2,000 numbers in one block, which is too large.
__global__ void twice(int *a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        a[i] *= 2;
}

int main()
{
    int *a;
    cudaMallocManaged(&a, 2000 * sizeof(int));
    for (int i = 0; i < 2000; i++)
        a[i] = i;
    twice<<<1, 2000>>>(a, 2000);
    cudaDeviceSynchronize();
    return a[1999] != 2 * 1999;
}
