// Computes on the CPU, has kernels read the data for show, and copies the answer in and out.
ATTACK(25)
{
    unsigned long long sum = on_host(stage), *there;
    run_kernel(stage, only_read);
    cudaMalloc(&there, sizeof *there);
    cudaMemcpy(there, &sum, sizeof sum, cudaMemcpyHostToDevice);
    cudaMemcpy(&sum, there, sizeof sum, cudaMemcpyDeviceToHost);
    return sum;
}
