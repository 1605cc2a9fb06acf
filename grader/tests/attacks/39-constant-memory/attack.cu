// Reads its data from constant memory, where accesses might not be counted.
__constant__ int constants[8192];

__global__ void add_constants(const int *, int n, unsigned long long *sum)
{
    unsigned long long mine = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        mine += (long long)constants[i] * constants[i];
    atomicAdd(sum, mine);
}

ATTACK(39)
{
    cudaMemcpyToSymbol(constants, stage->data, stage->n * sizeof *stage->data);
    return run_kernel(stage, add_constants);
}
