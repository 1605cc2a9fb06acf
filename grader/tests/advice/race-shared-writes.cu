// Remembers which thread has the largest number. Several threads write the word.
__global__ void find(const int *a, int *where)
{
    __shared__ int place;
    if (a[threadIdx.x] >= 99)
        place = threadIdx.x;
    __syncthreads();
    if (threadIdx.x == 0)
        *where = place;
}

int main()
{
    int *a, *where;
    cudaMallocManaged(&a, 200 * sizeof(int));
    cudaMallocManaged(&where, sizeof(int));
    for (int i = 0; i < 200; i++)
        a[i] = i % 100;
    find<<<1, 200>>>(a, where);
    cudaDeviceSynchronize();
    return *where != 199;
}
