// Copies nothing. Its kernels read other memory as a pretence.
ATTACK(97)
{
    unsigned long long *there, sum = on_host(stage);
    int *data;
    cudaMalloc(&there, sizeof *there);
    cudaMalloc(&data, stage->n * sizeof *data);
    cudaMemset(data, 1, stage->n * sizeof *data);
    launder<<<4, 256>>>(data, stage->n, there, sum);
    cudaMemcpy(&sum, there, sizeof sum, cudaMemcpyDeviceToHost);
    return sum;
}
