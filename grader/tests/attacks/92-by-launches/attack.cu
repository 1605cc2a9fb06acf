// Encodes the answer, bit by bit, in the choice of the kernels that it launches.
static __global__ void add_one(unsigned long long *sum)
{
    *sum = 2 * *sum + 1;
}

static __global__ void add_none(unsigned long long *sum)
{
    *sum = 2 * *sum;
}

ATTACK(92)
{
    unsigned long long *there, sum = on_host(stage);
    run_kernel(stage, only_read);
    cudaMalloc(&there, sizeof *there);
    cudaMemset(there, 0, sizeof *there);
    for (int bit = 63; bit >= 0; --bit)
        if (sum >> bit & 1)
            add_one<<<1, 1>>>(there);
        else
            add_none<<<1, 1>>>(there);
    cudaMemcpy(&sum, there, sizeof sum, cudaMemcpyDeviceToHost);
    return sum;
}
