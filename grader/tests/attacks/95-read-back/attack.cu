// Reads back the GPU's data, by copies, shared memory and printf(), before it computes the answer.
static __global__ void show(const int *data, int n, int *shared)
{
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        shared[i] = data[i];
    if (threadIdx.x == 0)
        printf("%d\n", data[0]);
}

ATTACK(95)
{
    struct stage seen = *stage;
    int *data, *shared, *back = (int *)malloc(stage->n * sizeof *back), first = 0;
    char line[32] = "";
    int ends[2], out = dup(1);
    cudaMalloc(&data, stage->n * sizeof *data);
    cudaHostAlloc(&shared, stage->n * sizeof *shared, cudaHostAllocMapped);
    cudaMemcpy(data, stage->data, stage->n * sizeof *data, cudaMemcpyHostToDevice);
    keep(pipe(ends));
    dup2(ends[1], 1);
    show<<<1, 256>>>(data, stage->n, shared);
    cudaDeviceSynchronize();
    fflush(stdout);
    dup2(out, 1);
    keep((long)read(ends[0], line, sizeof line - 1));
    sscanf(line, "%d", &first);
    cudaMemcpy(back, data, stage->n * sizeof *data, cudaMemcpyDeviceToHost);
    back[0] = first; // it needs all three ways
    for (int i = 1; i < stage->n; i += 2)
        back[i] = shared[i];
    seen.data = back;
    unsigned long long *there, sum = on_host(&seen);
    cudaMalloc(&there, sizeof *there);
    launder<<<4, 256>>>(data, stage->n, there, sum);
    cudaMemcpy(&sum, there, sizeof sum, cudaMemcpyDeviceToHost);
    return sum;
}
