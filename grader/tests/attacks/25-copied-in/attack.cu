// Computes on the CPU. Kernels read the data as a pretence, and the answer is copied to the GPU and back.
ATTACK(25)
{
    unsigned long long sum = on_host(stage), *there;
    run_kernel(stage, only_read);
    cudaMalloc(&there, sizeof *there);
    cudaMemcpy(there, &sum, sizeof sum, cudaMemcpyHostToDevice);
    cudaMemcpy(&sum, there, sizeof sum, cudaMemcpyDeviceToHost);
    return sum;
}
