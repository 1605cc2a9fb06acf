/* The launches that the handouts replay step by step (handouts/replays/), small enough for a picture: two ways to
 * read numbers, three trees, tiles of a matrix product, and a block with and without its barrier. All kernels are
 * those of the ladders and of the examples. handouts/replays/rules.mk names the launches in this order. */
#include "../ladders/ladder.cuh"

#include <math.h>

namespace coalesce
{
#include "../ladders/coalesce.cu"
}
namespace reduce
{
#include "../ladders/reduce.cu"
}
namespace matmul
{
#include "../ladders/matmul.cu"
}
namespace race
{
#include "../../grader/report/examples/race-shared.cu"
}

static void read_numbers()
{
    const int threads = 32, n = 8 * threads;
    const int *data = ladder_upload(ladder_ints(n), n);
    coalesce::wide *sums = ladder_alloc<coalesce::wide>(threads);
    coalesce::chunks<<<1, threads>>>(data, n, sums);
    coalesce::interleaved<<<1, threads>>>(data, n, sums);
}

static void add_up()
{
    const int n = 64;
    const int *data = ladder_upload(ladder_ints(n), n);
    int *sum = ladder_alloc<int>(1);
    reduce::tree_modulo<<<1, n>>>(data, n, sum);
    reduce::tree_conflicts<<<1, n>>>(data, n, sum);
    reduce::tree_sequential<<<1, n>>>(data, n, sum);
}

static void multiply()
{
    const int n = 16, tile = 8;
    const float *a = ladder_upload(matmul::random_matrix(n, 1), n * n);
    const float *b = ladder_upload(matmul::random_matrix(n, 2), n * n);
    float *c = ladder_alloc<float>(n * n);
    matmul::by_full_tile<tile><<<dim3(n / tile, n / tile), dim3(tile, tile)>>>(a, b, c, n);
}

int main()
{
    read_numbers();
    add_up();
    multiply();
    race::main();
    CHECK_CUDA(cudaDeviceSynchronize());
    return 0;
}
