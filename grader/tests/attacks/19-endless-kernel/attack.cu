__global__ void never_ends(volatile unsigned long long *sum)
{
    while (*sum != 1)
        ;
}

ATTACK(19)
{
    unsigned long long *sum;
    cudaMalloc(&sum, sizeof *sum);
    cudaMemset(sum, 0, sizeof *sum);
    never_ends<<<64, 256>>>(sum);
    return on_host(stage);
}
