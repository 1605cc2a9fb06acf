// Copies the result after its memory is freed.
__global__ void fill(int *a)
{
    a[threadIdx.x] = threadIdx.x;
}

int main()
{
    int last = 0, *a;
    cudaMalloc(&a, 256 * sizeof(int));
    fill<<<1, 256>>>(a);
    cudaFree(a);
    cudaMemcpy(&last, a + 255, sizeof last, cudaMemcpyDeviceToHost);
    return last != 255;
}
