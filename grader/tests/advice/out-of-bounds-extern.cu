// Reverses 256 numbers in an extern array to which the launch gives no bytes.
__global__ void reverse(int *a)
{
    extern __shared__ int s[];
    s[threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    a[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x];
}

int main()
{
    int *a;
    cudaMallocManaged(&a, 256 * sizeof(int));
    for (int i = 0; i < 256; i++)
        a[i] = i;
    reverse<<<1, 256>>>(a);
    if (cudaDeviceSynchronize())
        return 1;
    return a[0] != 255 || a[255] != 0;
}
