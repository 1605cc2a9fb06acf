// Encodes the answer in sizes of grids and of dynamic shared memory, as digits to the base of 1,000.
static __global__ void add_digit(unsigned long long *sum)
{
    unsigned bytes;
    asm volatile("mov.u32 %0, %%dynamic_smem_size;" : "=r"(bytes));
    if (blockIdx.x == 0)
        *sum = (*sum * 1000 + gridDim.x - 1) * 1000 + bytes;
}

ATTACK(93)
{
    unsigned long long *there, sum = on_host(stage);
    run_kernel(stage, only_read);
    cudaMalloc(&there, sizeof *there);
    cudaMemset(there, 0, sizeof *there);
    for (unsigned long long base = 1000000000000ull; base; base /= 1000000)
        add_digit<<<sum / base / 1000 % 1000 + 1, 1, sum / base % 1000>>>(there);
    cudaMemcpy(&sum, there, sizeof sum, cudaMemcpyDeviceToHost);
    return sum;
}
