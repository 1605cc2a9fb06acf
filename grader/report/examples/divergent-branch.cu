// Half of the threads do the work: the first half (right), or every second thread (wrong).
__device__ void work(float *a, int t)
{
    for (int i = 0; i < 16; i++)
        a[t + 256 * i] *= 2;
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
    float *a;
    cudaMalloc(&a, 256 * 16 * sizeof(float));
    cudaMemset(a, 0, 256 * 16 * sizeof(float));
    right<<<1, 256>>>(a);
    wrong<<<1, 256>>>(a);
    return cudaDeviceSynchronize();
}
