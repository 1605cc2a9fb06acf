/* Who reads what: each thread a chunk of its own, or all of them in turn. The kernels of lab 02, with few
 * blocks and with many. */
#include "ladder.cuh"

#define main lab_main // the labs' own, which nobody calls here
namespace skeleton
{
#include "../../labs/02-coalesce/.skeleton.cu"
}
namespace solution
{
#include "../../solutions/02-coalesce/coalesce.cu"
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
    auto rung = [=](const char *name, const char *title, auto kernel, int blocks) {
        ladder_rung(
            name, title, reset, [=] { kernel<<<blocks, THREADS>>>(data, n, sum); }, is_right);
        ladder_rate("gb_per_s", (double)n * sizeof(int));
    };
    rung("chunks-132", "chunks, 132 blocks", skeleton::sum_of_squares, 132);
    rung("interleaved-132", "interleaved, 132 blocks", solution::sum_of_squares, 132);
    rung("chunks-1056", "chunks, 1,056 blocks", skeleton::sum_of_squares, 1056);
    rung("interleaved-1056", "interleaved, 1,056 blocks", solution::sum_of_squares, 1056);
    rung("chunks-4224", "chunks, 4,224 blocks", skeleton::sum_of_squares, 4224);
    rung("interleaved-4224", "interleaved, 4,224 blocks", solution::sum_of_squares, 4224);
    CHECK_CUDA(cudaFree((void *)data));
    CHECK_CUDA(cudaFree(sum));
    free(numbers);
}

int main(int argc, char **argv)
{
    ladder_open(argc, argv);
    if (ladder.times) {
        ladder_size("", "67,108,864 ints");
        climb(1 << 26);
        ladder_size("_256m", "268,435,456 ints");
        climb(1 << 28);
    } else {
        ladder_size("", "16,777,216 ints");
        climb(1 << 24);
    }
    return 0;
}
