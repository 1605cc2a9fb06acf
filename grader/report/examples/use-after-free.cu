// Halves the numbers: before they are freed (right) or after (wrong).
__global__ void right(float *a)
{
    a[threadIdx.x] *= 0.5f;
}

__global__ void wrong(float *a)
{
    a[threadIdx.x] *= 0.5f;
}

int main()
{
    float *a;
    cudaMalloc(&a, 256 * sizeof(float));
    cudaMemset(a, 0, 256 * sizeof(float));
    right<<<1, 256>>>(a);
    cudaFree(a);
    wrong<<<1, 256>>>(a);
    return cudaDeviceSynchronize();
}
