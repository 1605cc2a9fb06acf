// Passes all numbers as arguments, and kernels really add them up. The copy in memory is a decoy.
struct many {
    int values[1000];
};

static __global__ void add_arguments(const int *data, int n, unsigned long long *sum,
                                     struct many many, int count)
{
    if (n > 0)
        only_read_share(data, n, sum);
    for (int i = threadIdx.x; i < count && blockIdx.x == 0; i += blockDim.x)
        atomicAdd(sum, (unsigned long long)((long long)many.values[i] * many.values[i]));
}

ATTACK(103)
{
    unsigned long long *there, sum;
    int *data;
    cudaMalloc(&there, sizeof *there);
    cudaMalloc(&data, stage->n * sizeof *data);
    cudaMemset(there, 0, sizeof *there);
    cudaMemcpy(data, stage->data, stage->n * sizeof *data, cudaMemcpyHostToDevice);
    for (int done = 0; done < stage->n; done += 1000) {
        struct many many;
        int count = stage->n - done < 1000 ? stage->n - done : 1000;
        memcpy(many.values, stage->data + done, count * sizeof(int));
        add_arguments<<<4, 256>>>(data, done ? 0 : stage->n, there, many, count);
    }
    cudaMemcpy(&sum, there, sizeof sum, cudaMemcpyDeviceToHost);
    return sum;
}
