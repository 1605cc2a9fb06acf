// Looks for the first power of two above n; the step is never taken.
__global__ void find(volatile int *a, int n)
{
    a[0] = 1;
    while (a[0] <= n)
        a[1] = 2 * a[0];
}

int main()
{
    int *a;
    cudaMallocManaged(&a, 2 * sizeof(int));
    find<<<1, 1>>>(a, 1000);
    if (cudaDeviceSynchronize())
        return 1;
    return a[0] != 1024;
}
