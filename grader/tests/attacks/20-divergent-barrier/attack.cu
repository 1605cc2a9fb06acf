// Half of a warp waits for the other half, which waits at another barrier.
__global__ void waits_apart(const int *data, int n, unsigned long long *sum)
{
    __shared__ int turn;
    if (threadIdx.x < 16)
        __syncthreads();
    else
        turn = 1;
    __syncthreads();
    add_share(data, n, sum);
    if (n < 0)
        *sum = turn;
}

ATTACK(20)
{
    return run_kernel(stage, waits_apart);
}
