// Uses each number before the line that writes it.
__global__ void fill(int *a, int *b)
{
    b[threadIdx.x] = a[threadIdx.x] + 1;
    a[threadIdx.x] = threadIdx.x;
}

int main()
{
    int *a, *b, last;
    cudaMalloc(&a, 256 * sizeof(int));
    cudaMalloc(&b, 256 * sizeof(int));
    fill<<<1, 256>>>(a, b);
    cudaMemcpy(&last, b + 255, sizeof last, cudaMemcpyDeviceToHost);
    return last != 256;
}
