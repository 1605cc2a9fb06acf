// A fast kernel is a decoy, and the last block of another kernel does the work. All launches count, and
// all their blocks.
__global__ void last_block_works(const int *data, int n, unsigned long long *sum)
{
    if (blockIdx.x == gridDim.x - 1 && threadIdx.x == 0)
        for (int i = 0; i < n; ++i)
            *sum += (long long)data[i] * data[i];
}

ATTACK(40)
{
    run_kernel(stage, add_squares);
    return run_kernel(stage, last_block_works);
}
