// Finds the most frequent digit of each eight numbers with counts that begin with any value.
__global__ void find(const int *a, int *most)
{
    int counts[10], best = 0;
    for (int i = 0; i < 8; i++)
        counts[a[threadIdx.x * 8 + i]]++;
    for (int digit = 1; digit < 10; digit++)
        if (counts[digit] > counts[best])
            best = digit;
    most[threadIdx.x] = best;
}

int main()
{
    int *a, *most;
    cudaMallocManaged(&a, 64 * 8 * sizeof(int));
    cudaMallocManaged(&most, 64 * sizeof(int));
    for (int i = 0; i < 64 * 8; i++)
        a[i] = i % 8 < 4 ? i / 8 % 10 : i % 10;
    find<<<1, 64>>>(a, most);
    cudaDeviceSynchronize();
    return most[7] != 7;
}
