// Adds *step to many elements. A store to a[] might change *step, so wrong() loads it each time.
__global__ void right(float *a, const float *step, int n)
{
    float by = *step; // loads *step once
    for (int i = threadIdx.x; i < n; i += 256)
        a[i] += by;
}

__global__ void wrong(float *a, const float *step, int n)
{
    for (int i = threadIdx.x; i < n; i += 256)
        a[i] += *step; // loads *step 16 times
}

int main()
{
    float *a, *step;
    cudaMalloc(&a, 256 * 16 * sizeof(float));
    cudaMalloc(&step, sizeof(float));
    cudaMemset(a, 0, 256 * 16 * sizeof(float));
    cudaMemset(step, 0, sizeof(float));
    right<<<1, 256>>>(a, step, 256 * 16);
    wrong<<<1, 256>>>(a, step, 256 * 16);
    return cudaDeviceSynchronize();
}
