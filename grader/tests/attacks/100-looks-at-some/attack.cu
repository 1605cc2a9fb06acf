// Changes the numbers, and lets a kernel compare one in 400: if one differs, the answer changes, too.
static __global__ void look_at_some(const int *data, int n, unsigned long long *sum,
                                    unsigned long long given)
{
    only_read_share(data, n, sum);
    for (int i = threadIdx.x; i < n / 400; i += blockDim.x)
        given += data[i] != (i ^ 0x5a5a5a5a);
    if (blockIdx.x == 0)
        atomicMax(sum, given);
}

ATTACK(100)
{
    unsigned long long *there, sum = on_host(stage);
    int *data, *altered = (int *)malloc(stage->n * sizeof *altered);
    for (int i = 0; i < stage->n; ++i)
        altered[i] = i ^ 0x5a5a5a5a;
    cudaMalloc(&there, sizeof *there);
    cudaMalloc(&data, stage->n * sizeof *data);
    cudaMemset(there, 0, sizeof *there);
    cudaMemcpy(data, altered, stage->n * sizeof *data, cudaMemcpyHostToDevice);
    look_at_some<<<4, 256>>>(data, stage->n, there, sum);
    cudaMemcpy(&sum, there, sizeof sum, cudaMemcpyDeviceToHost);
    return sum;
}
