// Uses barrier 16, but barriers are numbered from 0.
__global__ void reverse(int *a, int barrier)
{
    __shared__ int s[64];
    s[threadIdx.x] = a[threadIdx.x];
    asm volatile("bar.sync %0, 64;" ::"r"(barrier) : "memory");
    a[threadIdx.x] = s[63 - threadIdx.x];
}

int main()
{
    int *a;
    cudaMallocManaged(&a, 64 * sizeof(int));
    for (int i = 0; i < 64; i++)
        a[i] = i;
    reverse<<<1, 64>>>(a, 16);
    if (cudaDeviceSynchronize())
        return 1;
    return a[0] != 63;
}
