// Reverses the first 48 words.
__global__ void right(float *a)
{
    __shared__ float s[48];
    if (threadIdx.x < 48)
        s[threadIdx.x] = a[threadIdx.x];
    __syncthreads(); // all 64 threads get here
    if (threadIdx.x < 48)
        a[threadIdx.x] = s[47 - threadIdx.x];
}

__global__ void wrong(float *a)
{
    __shared__ float s[48];
    if (threadIdx.x < 48) {
        s[threadIdx.x] = a[threadIdx.x];
        __syncthreads(); // 16 threads never get here
        a[threadIdx.x] = s[47 - threadIdx.x];
    }
}

int main()
{
    float *a;
    cudaMalloc(&a, 64 * sizeof(float));
    cudaMemset(a, 0, 64 * sizeof(float));
    right<<<1, 64>>>(a);
    wrong<<<1, 64>>>(a);
    return cudaDeviceSynchronize();
}
