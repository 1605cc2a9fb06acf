// Replaces each number by the sum of itself and the next one, which another block may replace.
__global__ void add_next(const int *from, int *to)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    to[i] = from[i] + from[i + 1];
}

int main()
{
    int *a, *b;
    cudaMallocManaged(&a, 257 * sizeof(int));
    cudaMallocManaged(&b, 257 * sizeof(int));
    for (int i = 0; i < 257; i++)
        a[i] = i;
    int *to = a;
    add_next<<<4, 64>>>(a, to);
    cudaDeviceSynchronize();
    return to[0] != 1 || to[63] != 127 || to[255] != 511;
}
