// Its kernels run in another thread and in another stream, but must still be counted.
static void *work_apart(void *stage)
{
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    static unsigned long long sum;
    sum = run_kernel((struct stage *)stage, add_squares, stream);
    return &sum;
}

ATTACK(29)
{
    pthread_t thread;
    void *sum;
    pthread_create(&thread, NULL, work_apart, stage);
    pthread_join(thread, &sum);
    return *(unsigned long long *)sum;
}
