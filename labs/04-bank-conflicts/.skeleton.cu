/* Lab 04: a tree in shared memory, without divergence and without bank conflicts.
 *
 * The job is the same as in lab 03: add up n ints, in two steps with the same kernel. The sums of a
 * block's threads are in shared memory. How are they added up there?
 *
 *     rung 0  sum_by_thread_0   done: lab 03's kernel, thread 0 does it alone. Leave it as it is.
 *     rung 1  sum_by_tree       TODO 1 to 3, one after the other in the same kernel. Grade it after
 *                               each: the counters show what the next TODO improves.
 *
 * A block has 64, 128, 256, 512 or 1,024 threads: a power of two.
 *
 * Try it:    make run LAB=04-bank-conflicts ARGS='threads=1024'
 * Grade it:  make grade LAB=04-bank-conflicts */
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

// Rung 1.
__global__ void sum_by_tree(const int *data, int n, int *result)
{
    __shared__ int sums[MAX_THREADS];
    int t = threadIdx.x;
    sums[t] = sum_of_thread(data, n);
    __syncthreads();

    // TODO 1: for 1,024 threads, thread 0 makes 1,023 additions one after the other. A tree needs
    //         ten steps, for off = 1, 2, 4, ... while off < blockDim.x. In each, all threads with
    //         t % (2 * off) == 0 do sums[t] += sums[t + off]:
    //
    //             sums      0   1   2   3   4   5   6   7
    //             off = 1   0<--1   2<--3   4<--5   6<--7
    //             off = 2   0<------2       4<------6
    //             off = 4   0<--------------4                 and sums[0] is the total
    //
    //         A step reads what other threads wrote in the last one: where must all threads wait?
    //
    // TODO 2a: in such a tree each warp has threads that add and threads that do not: its branch
    //          diverges. Let the first threads of the block do the work, so that whole warps work
    //          and whole warps rest: thread t adds for place i = 2 * off * t, if i < blockDim.x.
    // TODO 2b: now neighbouring threads touch words that are 2 * off apart. Shared memory has 32
    //          banks, word w is in bank w % 32, and a bank serves one word at a time: conflicts.
    //          Keep thread t at sums[t]. Let off begin at blockDim.x / 2 and halve it. While
    //          t < off, sums[t] += sums[t + off]. Draw it for 8 threads.
    //
    // TODO 3: in the last five steps all threads of the block wait for one warp, five times.
    //         End the loop when 32 sums are left. Warp 0 alone adds these up: with
    //         __shfl_down_sync(), or in shared memory with a __syncwarp() wherever one thread reads
    //         what another has written. Threads of one warp do not run in step by themselves.
    if (t == 0) {
        int total = 0;
        for (int i = 0; i < blockDim.x; ++i)
            total += sums[i];
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
