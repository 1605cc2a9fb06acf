
// Is short and has no conflicts, divergence or races: all threads queue for one word of global memory.
__global__ void sum_by_queue(const int *data, int n, int *result)
{
    __shared__ volatile int for_show[MAX_THREADS];
    int mine = sum_of_thread(data, n);
    for_show[threadIdx.x] = mine;
    if (threadIdx.x == 0)
        result[blockIdx.x] = 0;
    __syncthreads();
    atomicAdd(&result[blockIdx.x], mine);
}
