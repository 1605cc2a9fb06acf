// Doubles 10,000 numbers; each block does the work of all.
__global__ void twice(float *a, const float *b, int n)
{
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        a[i] = 2 * b[i];
}

int main()
{
    float *a, *b;
    cudaMallocManaged(&a, 10000 * sizeof(float));
    cudaMallocManaged(&b, 10000 * sizeof(float));
    for (int i = 0; i < 10000; i++)
        b[i] = 1;
    twice<<<1000, 128>>>(a, b, 10000);
    if (cudaDeviceSynchronize())
        return 1;
    return a[0] != 2 || a[9999] != 2;
}
