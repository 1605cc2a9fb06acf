// Doubles numbers that were not copied to the GPU.
__global__ void twice(const int *a, int *b)
{
    b[threadIdx.x] = 2 * a[threadIdx.x];
}

int main()
{
    int numbers[256], *a, *b;
    for (int i = 0; i < 256; i++)
        numbers[i] = i;
    cudaMalloc(&a, sizeof numbers);
    cudaMalloc(&b, sizeof numbers);
    twice<<<1, 256>>>(a, b);
    cudaMemcpy(numbers, b, sizeof numbers, cudaMemcpyDeviceToHost);
    return numbers[255] != 510;
}
