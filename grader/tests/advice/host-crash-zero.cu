// Divides by the number of threads, which a wrong order of calls leaves 0.
int main(int argc, char **argv)
{
    volatile int threads = 0, n = 1000;
    int *a, blocks = (n + threads - 1) / threads;
    threads = 256;
    cudaMalloc(&a, blocks * threads * sizeof(int));
    cudaFree(a);
    return blocks != 4;
}
