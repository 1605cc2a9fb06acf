// Turns a block's words around: what one thread writes, another one reads.
__global__ void right(float *a)
{
    __shared__ float s[256];
    s[threadIdx.x] = a[threadIdx.x];
    __syncthreads(); // all have written
    a[threadIdx.x] = s[255 - threadIdx.x];
}

__global__ void wrong(float *a)
{
    __shared__ float s[256];
    s[threadIdx.x] = a[threadIdx.x];
    a[threadIdx.x] = s[255 - threadIdx.x]; // perhaps it is not there yet
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
