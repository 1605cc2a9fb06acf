/* A box of a tensor that was freed. */
#include "tests/support/kernel_rows.cuh"
#include "tests/support/tensor.cuh"

#define THREADS 128 /* a box has a word for each */

__constant__ CUtensorMap map;

// use-after-free
__global__ void box_of_freed_memory(int *g)
{
    __shared__ alignas(128) int s[THREADS];
    __shared__ unsigned long long full;
    int t = threadIdx.x;
    if (t == 0) {
        bulk_init(&full, 1);
        bulk_announce(&full, sizeof s);
        tensor_load<2>(&map, s, {16, 8}, &full); // B
    }
    __syncthreads();
    bulk_wait(&full, 0);
    g[t] = s[THREADS - 1 - t];
}

/* Makes a tensor of 64 rows of 64 words, and frees it. */
static void prepare()
{
    int *tensor;
    cudaMalloc(&tensor, 64 * 64 * sizeof *tensor);
    cudaMemset(tensor, 0, 64 * 64 * sizeof *tensor);
    CUtensorMap made = map_words(tensor, 64, 64);
    cudaFree(tensor);
    cudaMemcpyToSymbol(map, &made, sizeof made);
}

static const kernel_row rows[] = {
    ROW(box_of_freed_memory, 1, THREADS),
};

int main(int argc, char **argv)
{
    return run_all(rows, sizeof rows / sizeof *rows, argc, argv, prepare);
}
