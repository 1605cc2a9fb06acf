/* Boxes outside of the memory that the tensor map names. */
#include "tests/support/kernel_rows.cuh"
#include "tests/support/tensor.cuh"

#define THREADS 128 /* a box has a word for each */

__constant__ CUtensorMap map;

// fine
__global__ void box_inside(int *g)
{
    __shared__ alignas(128) int s[THREADS];
    __shared__ unsigned long long full;
    int t = threadIdx.x;
    if (t == 0) {
        bulk_init(&full, 1);
        bulk_announce(&full, sizeof s);
        tensor_load<2>(&map, s, {16, 24}, &full);
    }
    __syncthreads();
    bulk_wait(&full, 0);
    g[t] = s[THREADS - 1 - t];
}

// fine
__global__ void box_outside_of_the_tensor(int *g)
{
    __shared__ alignas(128) int s[THREADS];
    __shared__ unsigned long long full;
    int t = threadIdx.x;
    if (t == 0) {
        bulk_init(&full, 1);
        bulk_announce(&full, sizeof s);
        tensor_load<2>(&map, s, {16, 64}, &full);
    }
    __syncthreads();
    bulk_wait(&full, 0);
    g[t] = s[THREADS - 1 - t];
}

// out-of-bounds
__global__ void box_outside_of_the_memory(int *g)
{
    __shared__ alignas(128) int s[THREADS];
    __shared__ unsigned long long full;
    int t = threadIdx.x;
    if (t == 0) {
        bulk_init(&full, 1);
        bulk_announce(&full, sizeof s);
        tensor_load<2>(&map, s, {16, 32}, &full); // B
    }
    __syncthreads();
    bulk_wait(&full, 0);
    g[t] = s[THREADS - 1 - t];
}

// out-of-bounds
__global__ void box_stored_outside(int *g)
{
    __shared__ alignas(128) int s[THREADS];
    s[threadIdx.x] = g[threadIdx.x];
    tensor_fence();
    __syncthreads();
    if (threadIdx.x == 0) {
        tensor_store<2>(&map, s, {16, 28}); // B
        tensor_stored();
    }
}

// out-of-bounds
__global__ void box_longer_than_its_array(int *g)
{
    __shared__ alignas(128) int s[THREADS / 2];
    __shared__ unsigned long long full;
    int t = threadIdx.x;
    if (t == 0) {
        bulk_init(&full, 1);
        bulk_announce(&full, THREADS * sizeof *s);
        tensor_load<2>(&map, s, {16, 8}, &full); // B
    }
    __syncthreads();
    bulk_wait(&full, 0);
    g[t] = s[t / 2];
}

/* Makes memory for 32 rows of 64 words, and a map of 64 rows. */
static void prepare()
{
    int *tensor;
    cudaMalloc(&tensor, 32 * 64 * sizeof *tensor);
    cudaMemset(tensor, 0, 32 * 64 * sizeof *tensor);
    CUtensorMap made = map_words(tensor, 64, 64);
    cudaMemcpyToSymbol(map, &made, sizeof made);
}

static const kernel_row rows[] = {
    ROW(box_inside, 1, THREADS),
    ROW(box_outside_of_the_tensor, 1, THREADS),
    ROW(box_outside_of_the_memory, 1, THREADS),
    ROW(box_stored_outside, 1, THREADS),
    ROW(box_longer_than_its_array, 1, THREADS),
};

int main(int argc, char **argv)
{
    return run_all(rows, sizeof rows / sizeof *rows, argc, argv, prepare);
}
