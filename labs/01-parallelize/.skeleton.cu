/* Lab 01: from one thread to a grid.
 *
 * The job: add up the squares of n integers. The answer is exact, in 64 bits.
 * The file is a ladder of kernels that all do this job:
 *
 *     rung 0  sum_one_thread   done: one thread does everything. Leave it as it is.
 *     rung 1  sum_one_block    TODO 1: the threads of one block share the work
 *     rung 2  sum_grid         TODO 2: many blocks share the work
 *
 * Try it:    make run LAB=01-parallelize ARGS='rung=1 n=5000'
 * Grade it:  make grade LAB=01-parallelize */
#include "lab.h"

// The square as a 64-bit number: an int holds no more than about 2,000,000,000.
__device__ unsigned long long square(int value)
{
    return (unsigned long long)((long long)value * value);
}

// Rung 0. A GPU runs this too, but only 1 of its many thousand threads has work.
__global__ void sum_one_thread(const int *data, int n, unsigned long long *sum)
{
    unsigned long long mine = 0;
    for (int i = 0; i < n; ++i)
        mine += square(data[i]);
    *sum = mine;
}

// Rung 1. One block of threads, with the numbers dealt out like cards:
//
//     thread 0 takes data[0], data[0 + blockDim.x], data[0 + 2 * blockDim.x], ...
//     thread 1 takes data[1], data[1 + blockDim.x], data[1 + 2 * blockDim.x], ...
//
// threadIdx.x is this thread's number in its block, and blockDim.x is the number of threads in a block.
// Every thread has its own `mine`. atomicAdd() adds them up: `*sum = mine` would not work, since
// the threads would overwrite each other's numbers.
__global__ void sum_one_block(const int *data, int n, unsigned long long *sum)
{
    unsigned long long mine = 0;
    // TODO 1a: thread 0 still does everything; the other threads do nothing.
    //          Remove the `if`, and let the loop begin and step as described above.
    if (threadIdx.x == 0)
        for (int i = 0; i < n; ++i)
            mine += square(data[i]);
    atomicAdd(sum, mine);
}

// Rung 2. Many blocks, numbered by blockIdx.x from 0 to gridDim.x - 1.
__global__ void sum_grid(const int *data, int n, unsigned long long *sum)
{
    unsigned long long mine = 0;
    // TODO 2a: only thread 0 of block 0 works. Count the threads of all blocks:
    //          which number does this thread have among all, and how many are there in all?
    //          The loop begins at the first of these and steps by the second.
    if (blockIdx.x == 0 && threadIdx.x == 0)
        for (int i = 0; i < n; ++i)
            mine += square(data[i]);
    atomicAdd(sum, mine);
}

// Starts the kernel of one rung: kernel<<<blocks, threads in each block>>>(arguments).
static void launch(int rung, const int *data, int n, unsigned long long *sum)
{
    if (rung == 0)
        sum_one_thread<<<1, 1>>>(data, n, sum);
    else if (rung == 1) // TODO 1b: 32 threads are one warp. A block may have 1024.
        sum_one_block<<<1, 32>>>(data, n, sum);
    else // TODO 2b: one block is not much of a grid. Try 256 blocks.
        sum_grid<<<1, 256>>>(data, n, sum);
}

// The same job on the CPU, for comparison when you run the program by hand.
static unsigned long long sum_on_cpu(const int *data, int n)
{
    unsigned long long sum = 0;
    for (int i = 0; i < n; ++i)
        sum += (unsigned long long)((long long)data[i] * data[i]);
    return sum;
}

int main(int argc, char **argv)
{
    struct lab lab = lab_open(argc, argv);
    int rung = lab_int(&lab, "rung", 2);
    int n = lab_int(&lab, "n", 100000);
    const int *data = lab_ints(&lab, "data", n);

    int *data_on_gpu;
    unsigned long long *sum_on_gpu, sum;
    CHECK_CUDA(cudaMalloc(&data_on_gpu, n * sizeof *data));
    CHECK_CUDA(cudaMalloc(&sum_on_gpu, sizeof sum));
    CHECK_CUDA(cudaMemcpy(data_on_gpu, data, n * sizeof *data, cudaMemcpyHostToDevice));

    while (lab_again(&lab)) {
        CHECK_CUDA(cudaMemset(sum_on_gpu, 0, sizeof sum)); // fresh memory may hold anything
        launch(rung, data_on_gpu, n, sum_on_gpu);
        CHECK_CUDA(cudaGetLastError()); // did the kernel start?
    }

    // Waits for the kernel, and returns its error if it failed.
    CHECK_CUDA(cudaMemcpy(&sum, sum_on_gpu, sizeof sum, cudaMemcpyDeviceToHost));
    lab_result(&lab, "sum", LAB_U64, &sum, 1);
    if (lab_by_hand(&lab))
        printf("CPU %llu\n", sum_on_cpu(data, n));

    CHECK_CUDA(cudaFree(sum_on_gpu));
    CHECK_CUDA(cudaFree(data_on_gpu));
    return lab_close(&lab);
}
