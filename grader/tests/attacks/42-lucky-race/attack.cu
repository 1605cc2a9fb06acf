// Is right only if warp 0 runs before the others.
__global__ void hurry(const int *data, int n, unsigned long long *sum)
{
    __shared__ int stride;
    if (threadIdx.x == 0)
        stride = gridDim.x * blockDim.x;
    unsigned long long mine = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += *(volatile int *)&stride)
        mine += (long long)data[i] * data[i];
    atomicAdd(sum, mine);
}

ATTACK(42)
{
    return run_kernel(stage, hurry);
}
