/* Tensor maps and boxes that no copy can use. */
#include "tests/support/kernel_rows.cuh"
#include "tests/support/tensor.cuh"

#define THREADS 128 /* a box has a word for each */

__constant__ CUtensorMap map;

// fine
__global__ void map_right(int *g)
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

// bad-tensor-map: is not a tensor map
__global__ void map_that_was_not_encoded(int *g)
{
    __shared__ alignas(128) int s[THREADS];
    __shared__ unsigned long long full;
    int t = threadIdx.x;
    if (t == 0) {
        bulk_init(&full, 1);
        bulk_announce(&full, sizeof s);
        tensor_load<2>(g, s, {16, 8}, &full); // B
    }
    __syncthreads();
    bulk_wait(&full, 0);
    g[t] = s[THREADS - 1 - t];
}

// bad-tensor-map: is in local or shared memory
__global__ void map_in_local_memory(int *g)
{
    CUtensorMap own = map;
    __shared__ alignas(128) int s[THREADS];
    __shared__ unsigned long long full;
    int t = threadIdx.x;
    if (t == 0) {
        bulk_init(&full, 1);
        bulk_announce(&full, sizeof s);
        tensor_load<2>(&own, s, {16, 8}, &full); // B
    }
    __syncthreads();
    bulk_wait(&full, 0);
    g[t] = s[THREADS - 1 - t];
}

// bad-tensor-map: different numbers of dimensions
__global__ void map_of_2_dimensions(int *g)
{
    __shared__ alignas(128) int s[THREADS];
    __shared__ unsigned long long full;
    int t = threadIdx.x;
    if (t == 0) {
        bulk_init(&full, 1);
        bulk_announce(&full, sizeof s);
        tensor_load<3>(&map, s, {16, 8}, &full); // B
    }
    __syncthreads();
    bulk_wait(&full, 0);
    g[t] = s[THREADS - 1 - t];
}

// bad-tensor-map: multiple of 16 bytes
__global__ void box_at_a_wrong_column(int *g)
{
    __shared__ alignas(128) int s[THREADS];
    __shared__ unsigned long long full;
    int t = threadIdx.x;
    if (t == 0) {
        bulk_init(&full, 1);
        bulk_announce(&full, sizeof s);
        tensor_load<2>(&map, s, {17, 8}, &full); // B
    }
    __syncthreads();
    bulk_wait(&full, 0);
    g[t] = s[THREADS - 1 - t];
}

// bad-tensor-map: multiple of 128
__global__ void box_at_a_wrong_address(int *g)
{
    __shared__ alignas(128) int s[THREADS + 16];
    __shared__ unsigned long long full;
    int t = threadIdx.x;
    if (t == 0) {
        bulk_init(&full, 1);
        bulk_announce(&full, THREADS * sizeof *s);
        tensor_load<2>(&map, s + 16, {16, 8}, &full); // B
    }
    __syncthreads();
    bulk_wait(&full, 0);
    g[t] = s[THREADS - 1 - t + 16];
}

// bad-tensor-map: negative coordinate
__global__ void box_stored_before_the_tensor(int *g)
{
    __shared__ alignas(128) int s[THREADS];
    s[threadIdx.x] = g[threadIdx.x];
    tensor_fence();
    __syncthreads();
    if (threadIdx.x == 0) {
        tensor_store<2>(&map, s, {16, -1}); // B
        tensor_stored();
    }
}

// fine
__global__ void box_loaded_before_the_tensor(int *g)
{
    __shared__ alignas(128) int s[THREADS];
    __shared__ unsigned long long full;
    int t = threadIdx.x;
    if (t == 0) {
        bulk_init(&full, 1);
        bulk_announce(&full, sizeof s);
        tensor_load<2>(&map, s, {-16, -1}, &full);
    }
    __syncthreads();
    bulk_wait(&full, 0);
    g[t] = s[THREADS - 1 - t];
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
    ROW(map_right, 1, THREADS),
    ROW(map_that_was_not_encoded, 1, THREADS),
    ROW(map_in_local_memory, 1, THREADS),
    ROW(map_of_2_dimensions, 1, THREADS),
    ROW(box_at_a_wrong_column, 1, THREADS),
    ROW(box_at_a_wrong_address, 1, THREADS),
    ROW(box_stored_before_the_tensor, 1, THREADS),
    ROW(box_loaded_before_the_tensor, 1, THREADS),
};

int main(int argc, char **argv)
{
    return run_all(rows, sizeof rows / sizeof *rows, argc, argv, prepare);
}
