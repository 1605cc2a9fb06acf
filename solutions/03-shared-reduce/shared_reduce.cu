/* Lab 03: a block adds up its sums in shared memory.
 *
 * The job: add up n ints. All sums fit into an int. The threads of a block put their sums side by
 * side into shared memory and wait for each other. Then thread 0 adds them up: one store per block,
 * where rung 0 has one atomicAdd() per thread.
 *
 *     rung 0  sum_atomic    one atomicAdd() for each thread
 *     rung 1  sum_static    one result for each block, through shared memory
 *     rung 2  sum_dynamic   the same, with no more shared memory than the block needs
 *
 * Rungs 1 and 2 take two steps, with the same kernel:
 *
 *     data      n ints              read by `blocks` blocks, each leaves one result
 *     results   `blocks` ints       read by one block, which leaves one result
 *     sum       1 int
 *
 * This is the solution: make grade LAB=03-shared-reduce SUBMISSION=solutions/03-shared-reduce */
#include "lab.h"

#define MAX_THREADS 1024 // no block can have more

// Returns the sum of this thread's share of the numbers. Shares are dealt out as in lab 02.
__device__ int sum_of_thread(const int *data, int n)
{
    int mine = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        mine += data[i];
    return mine;
}

// Rung 0. As in labs 01 and 02: all threads queue for one word.
__global__ void sum_atomic(const int *data, int n, int *sum)
{
    atomicAdd(sum, sum_of_thread(data, n));
}

// Rung 1. Leaves the sum of this block's numbers in result[blockIdx.x].
__global__ void sum_static(const int *data, int n, int *result)
{
    __shared__ int sums[MAX_THREADS]; // one array for each block; its other words stay unused
    sums[threadIdx.x] = sum_of_thread(data, n);
    __syncthreads(); // all have written: now thread 0 may read
    if (threadIdx.x == 0) {
        int total = 0;
        for (int t = 0; t < blockDim.x; ++t)
            total += sums[t];
        result[blockIdx.x] = total;
    }
}

// Rung 2. The launch decides how long the array is.
__global__ void sum_dynamic(const int *data, int n, int *result)
{
    extern __shared__ int sums[];
    sums[threadIdx.x] = sum_of_thread(data, n);
    __syncthreads();
    if (threadIdx.x == 0) {
        int total = 0;
        for (int t = 0; t < blockDim.x; ++t)
            total += sums[t];
        result[blockIdx.x] = total;
    }
}

// Starts the kernels of one rung: kernel<<<blocks, threads in each block>>>(arguments).
static void add_up(int rung, int blocks, int threads, const int *data, int n, int *results,
                   int *sum)
{
    if (rung == 0) {
        sum_atomic<<<blocks, threads>>>(data, n, sum);
    } else if (rung == 1) {
        sum_static<<<blocks, threads>>>(data, n, results);
        sum_static<<<1, threads>>>(results, blocks, sum);
    } else {
        size_t bytes = threads * sizeof(int); // the array in shared memory
        sum_dynamic<<<blocks, threads, bytes>>>(data, n, results);
        sum_dynamic<<<1, threads, bytes>>>(results, blocks, sum);
    }
}

// The same job on the CPU, for comparison when you run the program by hand.
static int sum_on_cpu(const int *data, int n)
{
    int sum = 0;
    for (int i = 0; i < n; ++i)
        sum += data[i];
    return sum;
}

int main(int argc, char **argv)
{
    struct lab lab = lab_open(argc, argv);
    int rung = lab_int(&lab, "rung", 2);
    int blocks = lab_int(&lab, "blocks", 64);
    int threads = lab_int(&lab, "threads", 256);
    int n = lab_int(&lab, "n", 100000);
    const int *data = lab_ints(&lab, "data", n);

    int *data_on_gpu, *results_on_gpu, *sum_on_gpu, sum;
    CHECK_CUDA(cudaMalloc(&data_on_gpu, n * sizeof *data));
    CHECK_CUDA(cudaMalloc(&results_on_gpu, blocks * sizeof *results_on_gpu));
    CHECK_CUDA(cudaMalloc(&sum_on_gpu, sizeof sum));
    CHECK_CUDA(cudaMemcpy(data_on_gpu, data, n * sizeof *data, cudaMemcpyHostToDevice));

    while (lab_again(&lab)) {
        // New memory can contain anything, but atomicAdd() must start from 0.
        CHECK_CUDA(cudaMemset(results_on_gpu, 0, blocks * sizeof *results_on_gpu));
        CHECK_CUDA(cudaMemset(sum_on_gpu, 0, sizeof sum));
        add_up(rung, blocks, threads, data_on_gpu, n, results_on_gpu, sum_on_gpu);
        CHECK_CUDA(cudaGetLastError()); // did the kernels start?
    }

    // Waits for the kernels, and returns an error if one failed.
    CHECK_CUDA(cudaMemcpy(&sum, sum_on_gpu, sizeof sum, cudaMemcpyDeviceToHost));
    lab_result(&lab, "sum", LAB_INT, &sum, 1);
    if (lab_by_hand(&lab))
        printf("CPU %d\n", sum_on_cpu(data, n));

    CHECK_CUDA(cudaFree(sum_on_gpu));
    CHECK_CUDA(cudaFree(results_on_gpu));
    CHECK_CUDA(cudaFree(data_on_gpu));
    return lab_close(&lab);
}
