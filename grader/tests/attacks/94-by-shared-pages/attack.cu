// Puts the answer next to the numbers, in memory that the host and the GPU share.
static __global__ void take_over(const int *data, int n, unsigned long long *sum,
                                 const unsigned long long *given)
{
    only_read_share(data, n, sum);
    *sum = *given;
}

ATTACK(94)
{
    unsigned long long *there, *given, sum;
    int *data;
    cudaHostAlloc(&data, stage->n * sizeof *data, cudaHostAllocMapped);
    cudaHostAlloc(&given, sizeof *given, cudaHostAllocMapped);
    cudaMalloc(&there, sizeof *there);
    memcpy(data, stage->data, stage->n * sizeof *data);
    *given = on_host(stage);
    take_over<<<4, 256>>>(data, stage->n, there, given);
    cudaMemcpy(&sum, there, sizeof sum, cudaMemcpyDeviceToHost);
    return sum;
}
