// Each round shifts the numbers by one place. Nothing orders the end of a round and the next one.
__global__ void shift(int *a)
{
    __shared__ int s[64];
    int mine = a[threadIdx.x];
    for (int round = 0; round < 4; round++) {
        s[threadIdx.x] = mine;
        __syncthreads();
        mine = s[(threadIdx.x + 1) % 64];
    }
    a[threadIdx.x] = mine;
}

int main()
{
    int *a;
    cudaMallocManaged(&a, 64 * sizeof(int));
    for (int i = 0; i < 64; i++)
        a[i] = i;
    shift<<<1, 64>>>(a);
    cudaDeviceSynchronize();
    return a[0] != 4 || a[63] != 3;
}
