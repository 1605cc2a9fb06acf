// The last block reads the results of the others, without waiting for them.
static __device__ unsigned long long total;

static __global__ void add_then_take(const int *data, int n, unsigned long long *sum)
{
    add_share(data, n, &total);
    __syncthreads();
    if (blockIdx.x == gridDim.x - 1 && threadIdx.x == 0)
        *sum = atomicAdd(&total, 0);
}

ATTACK(88)
{
    return run_kernel(stage, add_then_take);
}
