/* Races in shared memory around copies of boxes of tensors. */
#include "tests/support/kernel_rows.cuh"
#include "tests/support/tensor.cuh"

#define THREADS 128 /* a box has a word for each */

__constant__ CUtensorMap map;

// fine
__global__ void box_right(int *g)
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

// race-shared
__global__ void box_not_waited_for(int *g)
{
    __shared__ alignas(128) int s[THREADS];
    __shared__ unsigned long long full;
    int t = threadIdx.x;
    if (t == 0) {
        bulk_init(&full, 1);
        bulk_announce(&full, sizeof s);
        tensor_load<2>(&map, s, {16, 8}, &full); // A
    }
    __syncthreads();
    g[t] = s[THREADS - 1 - t]; // B
}

// race-shared
__global__ void box_over_what_is_read(int *g)
{
    __shared__ alignas(128) int s[THREADS];
    __shared__ unsigned long long full[2];
    int t = threadIdx.x;
    if (t == 0) {
        bulk_init(&full[0], 1);
        bulk_init(&full[1], 1);
        bulk_announce(&full[0], sizeof s);
        tensor_load<2>(&map, s, {16, 8}, &full[0]);
    }
    __syncthreads();
    bulk_wait(&full[0], 0);
    g[t] = s[THREADS - 1 - t]; // A
    if (t == 0) {
        bulk_announce(&full[1], sizeof s);
        tensor_load<2>(&map, s, {16, 16}, &full[1]); // B
    }
    bulk_wait(&full[1], 0);
    g[WORDS / 2 + t] = s[THREADS - 1 - t];
}

// fine
__global__ void box_stored(int *g)
{
    __shared__ alignas(128) int s[THREADS];
    int t = threadIdx.x;
    s[t] = g[t];
    tensor_fence();
    __syncthreads();
    if (t == 0) {
        tensor_store<2>(&map, s, {16, 8});
        tensor_stored();
    }
}

// race-shared
__global__ void box_stored_too_soon(int *g)
{
    __shared__ alignas(128) int s[THREADS];
    int t = threadIdx.x;
    s[t] = g[t]; // A
    tensor_fence();
    if (t == 0) {
        tensor_store<2>(&map, s, {16, 8}); // B
        tensor_stored();
    }
}

/* Makes a tensor of 64 rows of 64 words. */
static void prepare()
{
    int *tensor;
    cudaMalloc(&tensor, 64 * 64 * sizeof *tensor);
    cudaMemset(tensor, 0, 64 * 64 * sizeof *tensor);
    CUtensorMap made = map_words(tensor, 64, 64);
    cudaMemcpyToSymbol(map, &made, sizeof made);
}

static const kernel_row rows[] = {
    ROW(box_right, 1, THREADS),
    ROW(box_not_waited_for, 1, THREADS),
    ROW(box_over_what_is_read, 1, THREADS),
    ROW(box_stored, 1, THREADS),
    ROW(box_stored_too_soon, 1, THREADS),
};

int main(int argc, char **argv)
{
    return run_all(rows, sizeof rows / sizeof *rows, argc, argv, prepare);
}
