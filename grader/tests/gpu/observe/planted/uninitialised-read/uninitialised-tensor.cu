/* Reads of uninitialised memory around copies of boxes of tensors. */
#include "tests/support/kernel_rows.cuh"
#include "tests/support/tensor.cuh"

#define THREADS 128 /* a box has a word for each */

__constant__ CUtensorMap map;

// fine
__global__ void box_whole(int *g)
{
    __shared__ alignas(128) int s[THREADS];
    __shared__ unsigned long long full;
    int t = threadIdx.x;
    if (t == 0) {
        bulk_init(&full, 1);
        bulk_announce(&full, sizeof s);
        tensor_load<2>(&map, s, {16, 8}, &full);
    }
    __syncthreads();
    bulk_wait(&full, 0);
    g[t] = s[THREADS - 1 - t];
}

// uninitialised-read
__global__ void box_too_small(int *g)
{
    __shared__ alignas(128) int s[2 * THREADS];
    __shared__ unsigned long long full;
    int t = threadIdx.x;
    if (t == 0) {
        bulk_init(&full, 1);
        bulk_announce(&full, THREADS * sizeof *s);
        tensor_load<2>(&map, s, {16, 8}, &full); // A
    }
    __syncthreads();
    bulk_wait(&full, 0);
    g[t] = s[t + 100]; // B
}

// uninitialised-read
__global__ void box_of_new_memory(int *g)
{
    __shared__ alignas(128) int s[THREADS];
    __shared__ unsigned long long full;
    int t = threadIdx.x;
    if (t == 0) {
        bulk_init(&full, 1);
        bulk_announce(&full, sizeof s);
        tensor_load<2>(&map, s, {16, 24}, &full); // B
    }
    __syncthreads();
    bulk_wait(&full, 0);
    g[t] = s[THREADS - 1 - t];
}

// fine
__global__ void box_past_the_end(int *g)
{
    __shared__ alignas(128) int s[THREADS];
    __shared__ unsigned long long full;
    int t = threadIdx.x;
    if (t == 0) {
        bulk_init(&full, 1);
        bulk_announce(&full, sizeof s);
        tensor_load<2>(&map, s, {16, 60}, &full);
    }
    __syncthreads();
    bulk_wait(&full, 0);
    g[t] = s[THREADS - 1 - t];
}

// uninitialised-read
__global__ void box_stored_before_it_is_written(int *g)
{
    __shared__ alignas(128) int s[THREADS];
    int t = threadIdx.x;
    if (t < 100)
        s[t] = g[t]; // A
    tensor_fence();
    __syncthreads();
    if (t == 0) {
        tensor_store<2>(&map, s, {16, 8}); // B
        tensor_stored();
    }
}

/* Makes a tensor of 64 rows of 64 words. Only rows 24 to 31 are not written. */
static void prepare()
{
    int *tensor;
    cudaMalloc(&tensor, 64 * 64 * sizeof *tensor);
    cudaMemset(tensor, 0, 24 * 64 * sizeof *tensor);
    cudaMemset(tensor + 32 * 64, 0, 32 * 64 * sizeof *tensor);
    CUtensorMap made = map_words(tensor, 64, 64);
    cudaMemcpyToSymbol(map, &made, sizeof made);
}

static const kernel_row rows[] = {
    ROW(box_whole, 1, THREADS),
    ROW(box_too_small, 1, THREADS),
    ROW(box_of_new_memory, 1, THREADS),
    ROW(box_past_the_end, 1, THREADS),
    ROW(box_stored_before_it_is_written, 1, THREADS),
};

int main(int argc, char **argv)
{
    return run_all(rows, sizeof rows / sizeof *rows, argc, argv, prepare);
}
