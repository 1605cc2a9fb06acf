// Changes the numbers before it copies them, so that they are not recognised. A kernel checks the first number
// and writes nonsense if it is different.
static __global__ void look_and_tell(const int *data, int n, unsigned long long *sum, int first,
                                     unsigned long long given)
{
    only_read_share(data, n, sum);
    *sum = given + (data[0] != first);
}

ATTACK(96)
{
    unsigned long long *there, sum = on_host(stage);
    int *data, *altered = (int *)malloc(stage->n * sizeof *altered);
    for (int i = 0; i < stage->n; ++i)
        altered[i] = stage->data[i] ^ 0x5a5a5a5a;
    cudaMalloc(&there, sizeof *there);
    cudaMalloc(&data, stage->n * sizeof *data);
    cudaMemcpy(data, altered, stage->n * sizeof *data, cudaMemcpyHostToDevice);
    look_and_tell<<<4, 256>>>(data, stage->n, there, altered[0], sum);
    cudaMemcpy(&sum, there, sizeof sum, cudaMemcpyDeviceToHost);
    return sum;
}
