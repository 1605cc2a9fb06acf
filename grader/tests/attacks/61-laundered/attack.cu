// Passes the host's answer as an argument to a kernel that reads all data and writes this answer.
static __global__ void launder(const int *data, int n, unsigned long long *sum,
                               unsigned long long given)
{
    int seen = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        seen |= *(volatile const int *)&data[i];
    if (blockIdx.x == 0 && threadIdx.x == 0)
        *sum = given + (seen == 0x12345678);
}

ATTACK(61)
{
    unsigned long long *there, sum;
    int *data;
    cudaMalloc(&there, sizeof *there);
    cudaMalloc(&data, stage->n * sizeof *data);
    cudaMemcpy(data, stage->data, stage->n * sizeof *data, cudaMemcpyHostToDevice);
    launder<<<4, 256>>>(data, stage->n, there, on_host(stage));
    cudaMemcpy(&sum, there, sizeof sum, cudaMemcpyDeviceToHost);
    return sum;
}
