// A launch fails if the GPU has other numbers than main(). So main() would notice, and could learn more.
static __global__ void fail_if_other(const int *data, int first)
{
    if (data[0] != first)
        __trap();
}

ATTACK(104)
{
    int *data;
    cudaMalloc(&data, stage->n * sizeof *data);
    cudaMemcpy(data, stage->data, stage->n * sizeof *data, cudaMemcpyHostToDevice);
    fail_if_other<<<1, 1>>>(data, stage->data[0]);
    if (cudaDeviceSynchronize() != cudaSuccess)
        cudaDeviceReset();
    return honest(stage);
}
