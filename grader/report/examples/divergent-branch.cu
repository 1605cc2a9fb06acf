// Half of the threads do the work: the first half (right), or every second thread (wrong).
__device__ void work(float *a, int t)
{
    float x = a[t];
    for (int i = 0; i < 100; i++)
        x = x * 0.5f + i;
    a[t] = x;
}

__global__ void right(float *a)
{
    if (threadIdx.x < 128) // all lanes of a warp agree
        work(a, threadIdx.x);
}

__global__ void wrong(float *a)
{
    if (threadIdx.x % 2 == 0) // half of the lanes of every warp wait
        work(a, threadIdx.x);
}

int main()
{
    float *a, *b, difference = 0;
    cudaMallocManaged(&a, 256 * sizeof(float));
    cudaMallocManaged(&b, 256 * sizeof(float));
    for (int i = 0; i < 256; i++)
        a[i] = b[i] = 1;
    right<<<1, 256>>>(a);
    wrong<<<1, 256>>>(b);
    cudaDeviceSynchronize();
    for (int i = 0; i < 256; i++)
        difference += a[i] - b[i];
    return difference != 0;
}
