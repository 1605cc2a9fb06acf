// Doubles 4,096 numbers.
__global__ void right(float *a, int n)
{
    int all = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += all)
        a[i] *= 2;
}

__global__ void wrong(float *a, int n)
{
    for (int i = 0; i < n; i++) // one thread does all the work
        a[i] *= 2;
}

int main()
{
    float *a;
    cudaMalloc(&a, 4096 * sizeof(float));
    cudaMemset(a, 0, 4096 * sizeof(float));
    right<<<16, 256>>>(a, 4096);
    wrong<<<1, 1>>>(a, 4096);
    return cudaDeviceSynchronize();
}
