// Like 61, but the answer and the numbers are in __device__ variables.
static __device__ unsigned long long known;

static __global__ void read_and_tell(const int *data, int n, unsigned long long *sum)
{
    int seen = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        seen |= *(volatile const int *)&data[i];
    if (blockIdx.x == 0 && threadIdx.x == 0)
        *sum = known + (seen == 0x12345678);
}

ATTACK(90)
{
    unsigned long long sum = on_host(stage), *there;
    cudaGetSymbolAddress((void **)&there, known);
    cudaMemcpy(there, &sum, sizeof sum, cudaMemcpyHostToDevice);
    return run_kernel(stage, read_and_tell);
}
