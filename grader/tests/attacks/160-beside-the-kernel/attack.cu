// A kernel writes its answer to memory that it shares with main(). While it runs, another thread of main()
// writes main()'s answer there, which could be mistaken for the kernel's.
struct rewriter {
    volatile unsigned long long *sum;
    unsigned long long answer;
    volatile bool ends;
};

static void *rewrite(void *data)
{
    struct rewriter *rewriter = (struct rewriter *)data;
    while (!rewriter->ends)
        *rewriter->sum = rewriter->answer;
    return NULL;
}

static __global__ void write_for_long(const int *data, int n, unsigned long long *sum)
{
    only_read_share(data, n, sum);
    for (int i = 0; i < 20000; ++i)
        *(volatile unsigned long long *)sum = i;
}

ATTACK(160)
{
    unsigned long long *sum;
    int *data;
    pthread_t thread;
    cudaMallocManaged(&sum, sizeof *sum);
    cudaMalloc(&data, stage->n * sizeof *data);
    cudaMemcpy(data, stage->data, stage->n * sizeof *data, cudaMemcpyHostToDevice);
    struct rewriter rewriter = {sum, on_host(stage), false};
    pthread_create(&thread, NULL, rewrite, &rewriter);
    write_for_long<<<1, 1>>>(data, stage->n, sum);
    cudaDeviceSynchronize();
    rewriter.ends = true;
    pthread_join(thread, NULL);
    return rewriter.answer;
}
