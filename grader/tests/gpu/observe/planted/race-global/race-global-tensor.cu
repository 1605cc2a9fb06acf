/* Races in global memory between copies of boxes of tensors. */
#include "tests/support/kernel_rows.cuh"
#include "tests/support/tensor.cuh"

#define THREADS 128 /* a box has a word for each */

__constant__ CUtensorMap map;

static __device__ void add_box(const void *map, const void *from, point at)
{
    unsigned long long policy = 0;
    TENSOR_STORE("cp.reduce.async.bulk", 2, ".add.bulk_group", "");
}

// race-global
__global__ void blocks_store_one_box(int *g)
{
    __shared__ alignas(128) int s[THREADS];
    s[threadIdx.x] = g[threadIdx.x] + blockIdx.x;
    tensor_fence();
    __syncthreads();
    if (threadIdx.x == 0) {
        tensor_store<2>(&map, s, {16, 8}); // AB
        tensor_stored();
    }
}

// fine
__global__ void blocks_store_a_box_each(int *g)
{
    __shared__ alignas(128) int s[THREADS];
    s[threadIdx.x] = g[threadIdx.x];
    tensor_fence();
    __syncthreads();
    if (threadIdx.x == 0) {
        tensor_store<2>(&map, s, {16, (int)blockIdx.x * 8});
        tensor_stored();
    }
}

// fine
__global__ void blocks_add_to_one_box(int *g)
{
    __shared__ alignas(128) int s[THREADS];
    s[threadIdx.x] = g[threadIdx.x];
    tensor_fence();
    __syncthreads();
    if (threadIdx.x == 0) {
        add_box(&map, s, {16, 8});
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
    ROW(blocks_store_one_box, 2, THREADS),
    ROW(blocks_store_a_box_each, 2, THREADS),
    ROW(blocks_add_to_one_box, 2, THREADS),
};

int main(int argc, char **argv)
{
    return run_all(rows, sizeof rows / sizeof *rows, argc, argv, prepare);
}
