// Doubles numbers in the host's memory.
__global__ void twice(int *a)
{
    a[threadIdx.x] *= 2;
}

int main()
{
    static int numbers[256];
    for (int i = 0; i < 256; i++)
        numbers[i] = i;
    twice<<<1, 256>>>(numbers);
    cudaDeviceSynchronize();
    return numbers[255] != 2 * 255;
}
