/* A block adds up its numbers, one per thread: thread 0 alone, trees in shared memory that choose
 * threads and words in three ways, one of them also unrolled, and shuffles. The first rung and the
 * last but one are lab 04's.
 *
 * Look at: active lanes, bank conflicts and barriers. Which rung has few of all three? */
#include "ladder.cuh"

#define main lab_main // the lab's own main(), which is not called here
namespace solution
{
#include "../../solutions/04-bank-conflicts/bank_conflicts.cu"
}
#undef main

// The threads stay together, but their words are 2 * off apart and share banks.
__global__ void tree_conflicts(const int *data, int n, int *result)
{
    __shared__ int sums[MAX_THREADS];
    int t = threadIdx.x;
    sums[t] = solution::sum_of_thread(data, n);
    __syncthreads();
    for (int off = 1; off < blockDim.x; off *= 2) {
        int i = 2 * off * t;
        if (i < blockDim.x)
            sums[i] += sums[i + off];
        __syncthreads();
    }
    if (t == 0)
        result[blockIdx.x] = sums[0];
}

// Every second thread works, then every fourth: all warps stay busy, with fewer and fewer lanes.
__global__ void tree_mask(const int *data, int n, int *result)
{
    __shared__ int sums[MAX_THREADS];
    int t = threadIdx.x;
    sums[t] = solution::sum_of_thread(data, n);
    __syncthreads();
    for (int off = 1, mask = 1; off < blockDim.x; off *= 2, mask = 2 * mask + 1) {
        if ((t & mask) == 0)
            sums[t] += sums[t + off];
        __syncthreads();
    }
    if (t == 0)
        result[blockIdx.x] = sums[0];
}

// The same threads as in tree_mask(), found by a division.
__global__ void tree_modulo(const int *data, int n, int *result)
{
    __shared__ int sums[MAX_THREADS];
    int t = threadIdx.x;
    sums[t] = solution::sum_of_thread(data, n);
    __syncthreads();
    for (unsigned off = 1; off < blockDim.x; off *= 2) {
        if (t % (2 * off) == 0)
            sums[t] += sums[t + off];
        __syncthreads();
    }
    if (t == 0)
        result[blockIdx.x] = sums[0];
}

// Adds the upper half to the lower: neighbouring threads, neighbouring words.
__global__ void tree_sequential(const int *data, int n, int *result)
{
    __shared__ int sums[MAX_THREADS];
    int t = threadIdx.x;
    sums[t] = solution::sum_of_thread(data, n);
    __syncthreads();
    for (int off = blockDim.x / 2; off > 0; off /= 2) {
        if (t < off)
            sums[t] += sums[t + off];
        __syncthreads();
    }
    if (t == 0)
        result[blockIdx.x] = sums[0];
}

// The same with the number of threads known to the compiler, which unrolls all steps. The barriers stay.
template <int threads> __global__ void tree_unrolled(const int *data, int n, int *result)
{
    __shared__ int sums[threads];
    int t = threadIdx.x;
    sums[t] = solution::sum_of_thread(data, n);
    __syncthreads();
#pragma unroll
    for (int off = threads / 2; off > 0; off /= 2) {
        if (t < off)
            sums[t] += sums[t + off];
        __syncthreads();
    }
    if (t == 0)
        result[blockIdx.x] = sums[0];
}

__device__ int sum_of_warp(int mine)
{
    for (int off = 16; off > 0; off /= 2)
        mine += __shfl_down_sync(0xffffffff, mine, off);
    return mine;
}

// Each warp adds up its lanes' registers; then the first warp adds up the warps' sums: one barrier, 32 words.
__global__ void shuffle(const int *data, int n, int *result)
{
    __shared__ int sums[MAX_THREADS / 32];
    int t = threadIdx.x, mine = sum_of_warp(solution::sum_of_thread(data, n));
    if (t % 32 == 0)
        sums[t / 32] = mine;
    __syncthreads();
    if (t >= 32)
        return;
    mine = sum_of_warp(t < blockDim.x / 32 ? sums[t] : 0);
    if (t == 0)
        result[blockIdx.x] = mine;
}

static void climb(const int *numbers, int n, int threads)
{
    const int *data = ladder_upload(numbers, n);
    int right = solution::sum_on_cpu(numbers, n), blocks = n / threads;
    int *result = ladder_alloc<int>(blocks);
    auto reset = [=] { CHECK_CUDA(cudaMemsetAsync(result, 0xff, blocks * sizeof *result)); };
    auto rung = [=](const char *name, const char *title, auto kernel) {
        ladder_rung(
            name, title, reset, [=] { kernel<<<blocks, threads>>>(data, n, result); },
            [=] { return ladder_sum(result, blocks) == right; });
        ladder_rate("gb_per_s", (double)n * sizeof(int));
    };
    rung("thread-0", "thread 0 alone", solution::sum_by_thread_0);
    rung("conflicts", "tree, words 2 off t", tree_conflicts);
    rung("mask", "tree, threads by a mask", tree_mask);
    rung("modulo", "tree, threads by modulo", tree_modulo);
    rung("sequential", "tree, halves", tree_sequential);
    rung("halves-unrolled", "tree, halves, unrolled",
         threads == 256 ? tree_unrolled<256> : tree_unrolled<MAX_THREADS>);
    rung("unrolled", "tree, last warp alone", solution::sum_by_tree);
    rung("shuffle", "shuffles", shuffle);
    CHECK_CUDA(cudaFree((void *)data));
    CHECK_CUDA(cudaFree(result));
}

int main(int argc, char **argv)
{
    ladder_open(argc, argv);
    int n = ladder.large ? 1 << 26 : 8192; // 32 blocks of 256 threads, as in the classic tutorial
    int *numbers = ladder_ints(n);
    ladder_size("", "blocks of 256");
    climb(numbers, n, 256);
    if (ladder.predicts)
        return 0;
    ladder_size("_1024", "blocks of 1,024");
    climb(numbers, n, 1024);
    return 0;
}
