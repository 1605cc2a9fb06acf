// Doubles numbers that must not be negative. One thread finds a number that is.
__global__ void twice(int *a)
{
    if (a[threadIdx.x] < 0)
        __trap();
    a[threadIdx.x] *= 2;
}

int main()
{
    int *a;
    cudaMallocManaged(&a, 32 * sizeof(int));
    for (int i = 0; i < 32; i++)
        a[i] = i - 1;
    twice<<<1, 32>>>(a);
    if (cudaDeviceSynchronize())
        return 1;
    return a[31] < 60;
}
