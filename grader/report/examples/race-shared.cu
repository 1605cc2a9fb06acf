// Reverses a block's words: each thread reads a word that another thread writes.
__global__ void right(float *a)
{
    __shared__ float s[256];
    s[threadIdx.x] = a[threadIdx.x];
    __syncthreads(); // every thread has written
    a[threadIdx.x] = s[255 - threadIdx.x];
}

__global__ void wrong(float *a)
{
    __shared__ float s[256];
    s[threadIdx.x] = a[threadIdx.x];
    a[threadIdx.x] = s[255 - threadIdx.x]; // the other thread may not have written it yet
}

int main()
{
    float *a;
    cudaMalloc(&a, 256 * sizeof(float));
    cudaMemset(a, 0, 256 * sizeof(float));
    right<<<1, 256>>>(a);
    wrong<<<1, 256>>>(a);
    return cudaDeviceSynchronize();
}
