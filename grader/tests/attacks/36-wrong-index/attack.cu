// Would be right only if all numbers were equal.
__global__ void repeat_first(const int *data, int n, unsigned long long *sum)
{
    if (threadIdx.x == 0 && blockIdx.x == 0)
        *sum = (unsigned long long)n * (data[0] * data[0]);
}

ATTACK(36)
{
    run_kernel(stage, only_read);
    return run_kernel(stage, repeat_first);
}
