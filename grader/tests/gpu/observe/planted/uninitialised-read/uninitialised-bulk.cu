/* Reads of uninitialised memory around bulk copies. */
#include "tests/support/bulk.cuh"
#include "tests/support/kernel_rows.cuh"

#define THREADS 64

// fine
__global__ void bulk_whole(int *g)
{
    __shared__ alignas(16) int s[THREADS];
    __shared__ unsigned long long full;
    int t = threadIdx.x;
    if (t == 0) {
        bulk_init(&full, 1);
        bulk_announce(&full, sizeof s);
        bulk_copy(s, g, sizeof s, &full);
    }
    __syncthreads();
    bulk_wait(&full, 0);
    g[WORDS / 2 + t] = s[THREADS - 1 - t];
}

// uninitialised-read
__global__ void bulk_too_short(int *g)
{
    __shared__ alignas(16) int s[THREADS];
    __shared__ unsigned long long full;
    int t = threadIdx.x;
    if (t == 0) {
        bulk_init(&full, 1);
        bulk_announce(&full, THREADS);
        bulk_copy(s, g, THREADS, &full); // A
    }
    __syncthreads();
    bulk_wait(&full, 0);
    g[WORDS / 2 + t] = s[THREADS - 1 - t]; // B
}

static const kernel_row rows[] = {
    ROW(bulk_whole, 1, THREADS),
    ROW(bulk_too_short, 1, THREADS),
};

int main(int argc, char **argv)
{
    return run_all(rows, sizeof rows / sizeof *rows, argc, argv);
}
