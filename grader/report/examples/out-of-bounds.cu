// Numbers 1,000 elements with 1,024 threads: the last 24 threads must do nothing.
__global__ void right(float *a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        a[i] = i;
}

__global__ void wrong(float *a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    a[i] = i;
}

int main()
{
    float *a;
    cudaMalloc(&a, 1000 * sizeof(float));
    right<<<4, 256>>>(a, 1000);
    wrong<<<4, 256>>>(a, 1000);
    return cudaDeviceSynchronize();
}
