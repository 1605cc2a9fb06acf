// A kernel writes an answer that it was given, and reads nothing, so it costs nothing.
__global__ void write_given(unsigned long long *sum, unsigned long long given)
{
    *sum = given;
}

ATTACK(47)
{
    unsigned long long *there, sum;
    cudaMalloc(&there, sizeof *there);
    write_given<<<1, 1>>>(there, on_host(stage));
    cudaMemcpy(&sum, there, sizeof sum, cudaMemcpyDeviceToHost);
    return sum;
}
