// Reverses each warp's words: each lane reads a word that another lane of its warp writes.
__global__ void reverse(int *a)
{
    __shared__ volatile int s[64];
    int lane = threadIdx.x % 32, first = threadIdx.x - lane;
    s[threadIdx.x] = a[threadIdx.x];
    a[threadIdx.x] = s[first + 31 - lane];
}

int main()
{
    int *a;
    cudaMallocManaged(&a, 64 * sizeof(int));
    for (int i = 0; i < 64; i++)
        a[i] = i;
    reverse<<<1, 64>>>(a);
    cudaDeviceSynchronize();
    return a[0] != 31 || a[63] != 32;
}
