// Uses the host's answer if the GPU has the host's numbers, and otherwise really adds up. The judged run
// really adds up, so this gets the same answer and counters as honest().
static __global__ void if_watched(const int *data, int n, unsigned long long *sum, int first,
                                  unsigned long long given)
{
    if (data[0] != first)
        add_share(data, n, sum);
    else if (blockIdx.x == 0 && threadIdx.x == 0)
        *sum = given;
}

ATTACK(99)
{
    unsigned long long *there, sum = on_host(stage);
    int *data;
    cudaMalloc(&there, sizeof *there);
    cudaMalloc(&data, stage->n * sizeof *data);
    cudaMemcpy(data, stage->data, stage->n * sizeof *data, cudaMemcpyHostToDevice);
    cudaMemset(there, 0, sizeof *there);
    if_watched<<<4, 256>>>(data, stage->n, there, stage->data[0], sum);
    cudaMemcpy(&sum, there, sizeof sum, cudaMemcpyDeviceToHost);
    return sum;
}
