// Doubles 65,536 numbers in blocks of one warp.
__global__ void twice(int *a)
{
    a[blockIdx.x * blockDim.x + threadIdx.x] *= 2;
}

int main()
{
    int *a, wrong = 0;
    cudaMallocManaged(&a, 65536 * sizeof(int));
    for (int i = 0; i < 65536; i++)
        a[i] = i;
    twice<<<65536 / 32, 32>>>(a);
    cudaDeviceSynchronize();
    for (int i = 0; i < 65536; i++)
        wrong += a[i] != 2 * i;
    return wrong != 0;
}
