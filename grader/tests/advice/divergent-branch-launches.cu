// Every second thread iterates, in launches of which each has more rounds than the one before.
__global__ void iterate(float *a, int rounds)
{
    if (threadIdx.x % 2 == 0)
        for (int i = 0; i < rounds; i++)
            a[threadIdx.x / 2] = a[threadIdx.x / 2] * 0.5f + i;
}

int main()
{
    float *a;
    cudaMallocManaged(&a, 128 * sizeof(float));
    for (int i = 0; i < 128; i++)
        a[i] = i;
    for (int rounds = 100; rounds <= 300; rounds += 100)
        iterate<<<1, 256>>>(a, rounds);
    cudaDeviceSynchronize();
    return a[0] < 595 || a[0] > 597 || a[127] != a[0];
}
