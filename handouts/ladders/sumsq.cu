/* The sum of the squares of n ints, from one thread to a grid: the kernels of labs 01 and 02. They make one
 * atomicAdd() for each thread; the last rung makes one for each block.
 *
 * Look at: the longest warp, from rung to rung, and the atomics of the last two. */
#include "ladder.cuh"

#define main lab_main // the labs' own main(), which is not called here
namespace solution
{
#include "../../solutions/01-parallelize/parallelize.cu"
}
namespace skeleton
{
#include "../../labs/02-coalesce/.skeleton.cu"
}
#undef main

typedef unsigned long long wide;

__device__ wide sum_of_warp(wide mine)
{
    for (int off = 16; off > 0; off /= 2)
        mine += __shfl_down_sync(0xffffffff, mine, off);
    return mine;
}

// sum_grid of lab 01, but each block adds up its threads' sums before it writes to global memory.
__global__ void sum_by_block(const int *data, int n, wide *sum)
{
    __shared__ wide sums[32];
    int t = threadIdx.x;
    wide mine = 0;
    for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x)
        mine += solution::square(data[i]);
    mine = sum_of_warp(mine);
    if (t % 32 == 0)
        sums[t / 32] = mine;
    __syncthreads();
    if (t >= 32)
        return;
    mine = sum_of_warp(t < blockDim.x / 32 ? sums[t] : 0);
    if (t == 0)
        atomicAdd(sum, mine);
}

static void climb(int n)
{
    int *numbers = ladder_ints(n);
    const int *data = ladder_upload(numbers, n);
    wide right = solution::sum_on_cpu(numbers, n), *sum = ladder_alloc<wide>(1);
    auto reset = [=] { CHECK_CUDA(cudaMemsetAsync(sum, 0, sizeof *sum)); };
    auto is_right = [=] { return ladder_same(sum, &right, 1); };
    auto rung = [=](const char *name, const char *title, auto kernel, int blocks, int threads) {
        ladder_rung(
            name, title, reset, [=] { kernel<<<blocks, threads>>>(data, n, sum); }, is_right);
        ladder_value("n", n);
        ladder_value("threads", (double)blocks * threads);
    };
    rung("one-thread", "one thread", solution::sum_one_thread, 1, 1);
    rung("chunks", "256 threads, a chunk each", skeleton::sum_of_squares, 1, 256);
    rung("coalesced", "256 threads, interleaved", solution::sum_one_block, 1, 256);
    rung("block-512", "512 threads", solution::sum_one_block, 1, 512);
    rung("block-1024", "1,024 threads", solution::sum_one_block, 1, 1024);
    rung("blocks-32", "32 blocks of 256", solution::sum_grid, 32, 256);
    rung("grid", "1,056 blocks of 256", solution::sum_grid, 1056, 256);
    rung("grid-reduced", "the same, a sum for each block", sum_by_block, 1056, 256);
    CHECK_CUDA(cudaFree((void *)data));
    CHECK_CUDA(cudaFree(sum));
    free(numbers);
}

int main(int argc, char **argv)
{
    ladder_open(argc, argv);
    ladder_size("", "1,048,576 ints");
    climb(1 << 20);
    if (ladder.times) {
        ladder_size("_64m", "67,108,864 ints");
        climb(1 << 26);
    }
    return 0;
}
