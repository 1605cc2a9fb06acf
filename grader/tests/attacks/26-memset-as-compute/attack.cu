// Builds the answer on the GPU from bytes that the host sets.
ATTACK(26)
{
    unsigned long long sum = on_host(stage), *there;
    run_kernel(stage, only_read);
    cudaMalloc(&there, 2 * sizeof *there);
    for (int i = 0; i < 8; ++i)
        cudaMemset((char *)(there + 1) + i, (int)(sum >> 8 * i & 255), 1);
    cudaMemcpy(there, there + 1, sizeof *there, cudaMemcpyDeviceToDevice);
    cudaMemcpy(&sum, there, sizeof sum, cudaMemcpyDeviceToHost);
    return sum;
}
