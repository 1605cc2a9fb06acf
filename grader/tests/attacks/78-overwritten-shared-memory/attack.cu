// Memory that the device and the program share: kernels write there, and then main() does, and copies that on
// the device, so that it might pass for the kernels' own.
ATTACK(78)
{
    unsigned long long *shared, *there, sum = 0;
    int *data;
    cudaHostAlloc(&shared, sizeof *shared, cudaHostAllocMapped);
    cudaMalloc(&there, sizeof *there);
    cudaMalloc(&data, stage->n * sizeof *data);
    cudaMemcpy(data, stage->data, stage->n * sizeof *data, cudaMemcpyHostToDevice);
    *shared = 0;
    add_squares<<<4, 256>>>(data, stage->n / 2, shared);
    cudaDeviceSynchronize();
    *shared = on_host(stage);
    cudaMemcpy(there, shared, sizeof *there, cudaMemcpyDeviceToDevice);
    cudaMemcpy(&sum, there, sizeof sum, cudaMemcpyDeviceToHost);
    return sum;
}
