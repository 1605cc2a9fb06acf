
// The sum of the block's numbers, valid in thread 0.
__device__ int sum_of_block(const int *data, int n)
{
    int mine = 0;
    if (threadIdx.x >= 32)
        return 0;
    for (int first = blockIdx.x * blockDim.x; first < n; first += gridDim.x * blockDim.x)
        for (int i = first + threadIdx.x; i < min(n, first + blockDim.x); i += 32)
            mine += data[i];
    for (int off = 16; off > 0; off /= 2)
        mine += __shfl_down_sync(0xffffffff, mine, off);
    return mine;
}
