/* The sum of the squares of n ints, from one thread to a grid: the kernels of labs 01 and 02. */
#include "ladder.cuh"

#define main lab_main // the labs' own, which nobody calls here
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
