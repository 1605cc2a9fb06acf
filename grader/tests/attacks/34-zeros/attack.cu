// Hands in zeros and a part of the input, which a careless comparison would accept.
__global__ void write_first(const int *data, int n, unsigned long long *sum)
{
    if (threadIdx.x == 0 && blockIdx.x == 0)
        *sum = n > 1000000000 ? data[0] : 0;
}

ATTACK(34)
{
    run_kernel(stage, only_read);
    return run_kernel(stage, write_first);
}
