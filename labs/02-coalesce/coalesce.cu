/* Lab 02: neighbouring threads read neighbouring words.
 *
 * The job is the same as in lab 01: add up the squares of n integers, exactly, in 64 bits.
 * The kernel below is right, and all its threads work. But look at the words that one warp, 32
 * threads that run together, reads in its first step:
 *
 *     thread 0 reads data[0], thread 1 reads data[chunk], thread 2 reads data[2 * chunk], ...
 *
 * Memory comes in sectors of 32 bytes, which is 8 ints. These 32 reads are far apart, so they touch
 * 32 sectors and use 1 int of 8 in each. 32 ints that are side by side fill 4 sectors.
 *
 * Try it:    make run LAB=02-coalesce
 * Grade it:  make grade LAB=02-coalesce */
#include "lab.h"

#define BLOCKS  32
#define THREADS 256

// The square as a 64-bit number: an int holds no more than about 2,000,000,000.
__device__ unsigned long long square(int value)
{
    return (unsigned long long)((long long)value * value);
}

__global__ void sum_of_squares(const int *data, int n, unsigned long long *sum)
{
    int me = blockIdx.x * blockDim.x + threadIdx.x; // this thread's number among all threads
    int all = gridDim.x * blockDim.x;               // how many threads there are
    unsigned long long mine = 0;

    // TODO: each thread walks through its own chunk, from `begin` to `end`, so neighbouring threads
    //       read words that are `chunk` ints apart.
    //       Deal the numbers out instead: in every step thread `me + 1` should read the word right
    //       after the one that thread `me` reads. Where does the loop begin? How far does it step?
    int chunk = (n + all - 1) / all; // rounded up, so that nothing is left over
    int begin = me * chunk;
    int end = min(begin + chunk, n);
    for (int i = begin; i < end; ++i)
        mine += square(data[i]);

    atomicAdd(sum, mine);
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
    int n = lab_int(&lab, "n", 100000);
    const int *data = lab_ints(&lab, "data", n);

    int *data_on_gpu;
    unsigned long long *sum_on_gpu, sum;
    CHECK_CUDA(cudaMalloc(&data_on_gpu, n * sizeof *data));
    CHECK_CUDA(cudaMalloc(&sum_on_gpu, sizeof sum));
    CHECK_CUDA(cudaMemcpy(data_on_gpu, data, n * sizeof *data, cudaMemcpyHostToDevice));

    while (lab_again(&lab)) {
        CHECK_CUDA(cudaMemset(sum_on_gpu, 0, sizeof sum)); // fresh memory may hold anything
        sum_of_squares<<<BLOCKS, THREADS>>>(data_on_gpu, n, sum_on_gpu);
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
