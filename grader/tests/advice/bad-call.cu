// Calls a __device__ function through the address that it has on the host.
typedef int (*operation)(int);

__device__ int twice(int x)
{
    return 2 * x;
}

__device__ operation chosen;

__global__ void apply(int *a)
{
    a[threadIdx.x] = chosen(threadIdx.x);
}

int main()
{
    int *a;
    operation address = twice;
    cudaMallocManaged(&a, 32 * sizeof(int));
    cudaMemcpyToSymbol(chosen, &address, sizeof address);
    apply<<<1, 32>>>(a);
    if (cudaDeviceSynchronize())
        return 1;
    return a[31] != 62;
}
