// Doubles 256 numbers, but copies only 200 of them.
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
    cudaMemcpy(a, numbers, 200 * sizeof(int), cudaMemcpyHostToDevice);
    twice<<<1, 256>>>(a);
    cudaMemcpy(numbers, a, sizeof numbers, cudaMemcpyDeviceToHost);
    return numbers[0] != 0 || numbers[255] != 510;
}
