__global__ void never_ends(volatile unsigned long long *sum)
{
    for (volatile unsigned turns = 0; *sum != 1; ++turns) // never twice in the same state
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
