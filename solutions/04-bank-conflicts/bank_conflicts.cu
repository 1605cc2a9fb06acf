/* Lab 04: a tree in shared memory, without divergence and without bank conflicts.
 *
 * The job is the same as in lab 03: add up n ints, in two steps with the same kernel. The sums of a
 * block's threads are in shared memory, and a tree adds them up:
 *
 *     rung 0  sum_by_thread_0   lab 03's kernel, thread 0 does it alone
 *     rung 1  sum_by_tree       neighbouring threads add neighbouring words; the last warp works
 *                               alone
 *
 * A block has 64, 128, 256, 512 or 1,024 threads: a power of two.
 *
 * This is the solution: make grade LAB=04-bank-conflicts SUBMISSION=solutions/04-bank-conflicts */
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

// Rung 0. Thread 0 adds up the block's sums; all other threads wait.
__global__ void sum_by_thread_0(const int *data, int n, int *result)
{
    __shared__ int sums[MAX_THREADS];
    int t = threadIdx.x;
    sums[t] = sum_of_thread(data, n);
    __syncthreads();
    if (t == 0) {
        int total = 0;
        for (int i = 0; i < blockDim.x; ++i)
            total += sums[i];
        result[blockIdx.x] = total;
    }
}

// Rung 1. The tree for 8 threads, if a warp had 2 of them:
//
//     sums      0   1   2   3   4   5   6   7
//     off = 4   0<--------------4                 1<-5, 2<-6, 3<-7 in the same step
//     off = 2   0<------2                         1<-3
//     shuffle   0<--1
//
// Threads 0 to off - 1 work: whole warps, while off is at least 32, so no branch diverges. In
// one step a warp touches 32 words side by side, each in another bank, so there are no conflicts.
__global__ void sum_by_tree(const int *data, int n, int *result)
{
    __shared__ int sums[MAX_THREADS];
    int t = threadIdx.x;
    sums[t] = sum_of_thread(data, n);
    __syncthreads();
    for (int off = blockDim.x / 2; off >= 32; off /= 2) {
        if (t < off)
            sums[t] += sums[t + off];
        __syncthreads(); // outside of the `if`: all threads of the block must reach it
    }

    // Warp 0 alone. A shuffle passes a register from lane to lane and makes the lanes wait for each
    // other: it needs no shared memory and no barrier of the block.
    if (t < 32) {
        int total = sums[t];
        for (int off = 16; off > 0; off /= 2)
            total += __shfl_down_sync(0xffffffff, total, off);
        if (t == 0)
            result[blockIdx.x] = total;
    }
}

// Starts the kernels of one rung: one result for each block, then their sum.
static void add_up(int rung, int blocks, int threads, const int *data, int n, int *results,
                   int *sum)
{
    if (rung == 0) {
        sum_by_thread_0<<<blocks, threads>>>(data, n, results);
        sum_by_thread_0<<<1, threads>>>(results, blocks, sum);
    } else {
        sum_by_tree<<<blocks, threads>>>(data, n, results);
        sum_by_tree<<<1, threads>>>(results, blocks, sum);
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
    int rung = lab_int(&lab, "rung", 1);
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
