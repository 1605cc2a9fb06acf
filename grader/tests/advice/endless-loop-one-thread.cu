// Doubles 100,000 numbers; each thread does all the work.
__global__ void twice(float *a, const float *b, int n)
{
    for (int i = 0; i < n; i++)
        a[i] = 2 * b[i];
}

int main()
{
    float *a, *b;
    cudaMallocManaged(&a, 100000 * sizeof(float));
    cudaMallocManaged(&b, 100000 * sizeof(float));
    for (int i = 0; i < 100000; i++)
        b[i] = 1;
    twice<<<1, 1024>>>(a, b, 100000);
    if (cudaDeviceSynchronize())
        return 1;
    return a[0] != 2 || a[99999] != 2;
}
