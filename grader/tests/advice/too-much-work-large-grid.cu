// Doubles 10,000 numbers in a grid that is made for 100 times as many.
__global__ void twice(float *a, const float *b, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        a[i] = 2 * b[i];
}

int main()
{
    float *a, *b;
    cudaMallocManaged(&a, 10000 * sizeof(float));
    cudaMallocManaged(&b, 10000 * sizeof(float));
    for (int i = 0; i < 10000; i++)
        b[i] = 1;
    twice<<<1000000 / 128, 128>>>(a, b, 10000);
    if (cudaDeviceSynchronize())
        return 1;
    return a[0] != 2 || a[9999] != 2;
}
