// Kernels write to memory that the device and the program share, and then main() overwrites it. A copy on
// the device could make main()'s bytes look as if kernels had made them.
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
