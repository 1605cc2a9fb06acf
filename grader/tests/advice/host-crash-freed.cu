// Reads managed memory that is already freed.
__global__ void fill(int *a)
{
    a[threadIdx.x] = threadIdx.x;
}

int main()
{
    int *a;
    cudaMallocManaged(&a, 256 * sizeof(int));
    fill<<<1, 256>>>(a);
    cudaDeviceSynchronize();
    cudaFree(a);
    return a[255] != 255;
}
