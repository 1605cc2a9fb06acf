// Doubles 256 numbers, but copies 256 bytes in place of 256 ints.
__global__ void twice(int *a)
{
    a[threadIdx.x] *= 2;
}

int main()
{
    int numbers[256], *a;
    for (int i = 0; i < 256; i++)
        numbers[i] = i;
    cudaMalloc(&a, sizeof numbers);
    cudaMemcpy(a, numbers, 256, cudaMemcpyHostToDevice);
    twice<<<1, 256>>>(a);
    cudaMemcpy(numbers, a, sizeof numbers, cudaMemcpyDeviceToHost);
    return numbers[0] != 0 || numbers[255] != 510;
}
