// Writes the answer to the GPU by cudaMemset(), byte by byte, and a kernel moves it.
static __global__ void move(const int *data, int n, unsigned long long *sum)
{
    only_read_share(data, n, sum);
    sum[0] = sum[1];
}

ATTACK(98)
{
    unsigned long long *there, sum = on_host(stage);
    int *data;
    cudaMalloc(&there, 2 * sizeof *there);
    cudaMalloc(&data, stage->n * sizeof *data);
    cudaMemcpy(data, stage->data, stage->n * sizeof *data, cudaMemcpyHostToDevice);
    for (int i = 0; i < 8; ++i)
        cudaMemset((char *)(there + 1) + i, sum >> 8 * i & 255, 1);
    move<<<1, 256>>>(data, stage->n, there);
    cudaMemcpy(&sum, there, sizeof sum, cudaMemcpyDeviceToHost);
    return sum;
}
