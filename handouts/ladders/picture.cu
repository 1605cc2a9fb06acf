/* A grey picture: the sum of its pixels as a float, and its histogram, in the steps of lab 09, and on one core of the
 * CPU in plain C. The histograms are of a drawn picture, and of one in which all pixels have the same grey.
 *
 * Look at: the atomics in global and in shared memory, and how many lanes meet in one word. */
#include "ladder.cuh"
#include "picture.h"

#define main lab_main // the lab's own main(), which is not called here
namespace solution
{
#include "../../solutions/09-picture-sum/picture_sum.cu"
}
#undef main

#define BLOCKS_TO_FILL 1056 // an H100 runs as many blocks of 256 threads at once

__global__ void sum_one_thread(const unsigned char *pixels, int n, float *sum)
{
    float mine = 0;
    for (int i = 0; i < n; ++i)
        mine += pixels[i];
    *sum = mine;
}

// One addition to the sum for each thread.
__global__ void sum_of_threads(const unsigned char *pixels, int n, float *sum)
{
    float mine = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        mine += pixels[i];
    atomicAdd(sum, mine);
}

__global__ void count_global(const unsigned char *pixels, int n, int *bins)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&bins[pixels[i]], 1);
}

// A copy of the bins for each warp: other warps do not come in between, but its own lanes still meet.
__global__ void count_warps(const unsigned char *pixels, int n, int *bins)
{
    __shared__ int mine[THREADS / 32][GREYS];
    int total = 0;
    for (int w = 0; w < THREADS / 32; ++w)
        mine[w][threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&mine[threadIdx.x / 32][pixels[i]], 1);
    __syncthreads();
    for (int w = 0; w < THREADS / 32; ++w)
        total += mine[w][threadIdx.x];
    atomicAdd(&bins[threadIdx.x], total);
}

// One lane adds for all lanes of its warp that have the same grey.
__global__ void count_matched(const unsigned char *pixels, int n, int *bins)
{
    __shared__ int mine[GREYS];
    mine[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        unsigned same = __match_any_sync(__activemask(), pixels[i]);
        if (threadIdx.x % 32 == __ffs(same) - 1)
            atomicAdd(&mine[pixels[i]], __popc(same));
    }
    __syncthreads();
    atomicAdd(&bins[threadIdx.x], mine[threadIdx.x]);
}

static float sum_on_cpu(struct picture picture)
{
    float sum = 0;
    for (int i = 0; i < picture.width * picture.height; ++i)
        sum += picture.pixels[i];
    return sum;
}

static void count_on_cpu(struct picture picture, int *bins)
{
    memset(bins, 0, GREYS * sizeof *bins);
    for (int i = 0; i < picture.width * picture.height; ++i)
        bins[picture.pixels[i]]++;
}

static double right_sum(struct picture picture)
{
    double sum = 0;
    for (int i = 0; i < picture.width * picture.height; ++i)
        sum += picture.pixels[i];
    return sum;
}

/* Computes the errors, in percent, of two sums of 4,096 x 4,096 pixels: *CPU in one float, *TREE by the tree. Must run
 * before the first rung, so that its launch does not count. */
static void sum_full_size(double *cpu, double *tree)
{
    struct picture picture = picture_draw(4096, 4096);
    int n = picture.width * picture.height;
    unsigned char *pixels = ladder_upload(picture.pixels, n);
    float zero = 0, *out = ladder_upload(&zero, 1);
    double right = right_sum(picture);
    solution::sum_tree<<<BLOCKS, THREADS>>>(pixels, n, out);
    *tree = 100 * fabs(ladder_sum(out, 1) - right) / right;
    *cpu = 100 * fabs(sum_on_cpu(picture) - right) / right;
    CHECK_CUDA(cudaFree(out));
    CHECK_CUDA(cudaFree(pixels));
    free(picture.pixels);
}

/* Runs the rungs of the sum. Additions of floats round, so the results may be off by up to 5 %. */
static void climb_sums(struct picture picture, const unsigned char *pixels)
{
    int n = picture.width * picture.height;
    float *out = ladder_alloc<float>(1), on_cpu = 0;
    double right = right_sum(picture), full_cpu, full_tree;
    sum_full_size(&full_cpu, &full_tree);
    auto reset = [=] { CHECK_CUDA(cudaMemsetAsync(out, 0, sizeof *out)); };
    auto note = [=](double got) { ladder_value("off", 100 * fabs(got - right) / right); };
    auto rung = [=](const char *name, const char *title, auto kernel, int blocks, int threads) {
        ladder_rung(
            name, title, reset, [=] { kernel<<<blocks, threads>>>(pixels, n, out); },
            [=] { return fabs(ladder_sum(out, 1) - right) < 0.05 * right; });
        note(ladder_sum(out, 1));
    };
    ladder_rung(
        "cpu", "one core of the CPU", [] {}, [&] { on_cpu = sum_on_cpu(picture); },
        [&] { return fabs(on_cpu - right) < 0.05 * right; });
    note(on_cpu);
    ladder_value("off_full", full_cpu);
    rung("one-thread", "one thread", sum_one_thread, 1, 1);
    rung("pixel", "16 blocks, an addition a pixel", solution::sum_atomic, BLOCKS, THREADS);
    rung("one-block", "one block, an addition a thread", sum_of_threads, 1, THREADS);
    rung("blocks-16", "16 blocks, an addition a thread", sum_of_threads, BLOCKS, THREADS);
    rung("tree", "16 blocks, a tree in each", solution::sum_tree, BLOCKS, THREADS);
    ladder_value("off_full", full_tree);
    rung("tree-grid", "1,056 blocks, a tree in each", solution::sum_tree, BLOCKS_TO_FILL, THREADS);
    CHECK_CUDA(cudaFree(out));
}

static void climb_histograms(struct picture picture, const unsigned char *pixels)
{
    int n = picture.width * picture.height, right[GREYS], on_cpu[GREYS];
    int *out = ladder_alloc<int>(GREYS), blocks = ladder.times ? BLOCKS_TO_FILL : BLOCKS;
    count_on_cpu(picture, right);
    const int *wanted = right;
    auto reset = [=] { CHECK_CUDA(cudaMemsetAsync(out, 0, GREYS * sizeof *out)); };
    auto rung = [=](const char *name, const char *title, auto kernel) {
        ladder_rung(
            name, title, reset, [=] { kernel<<<blocks, THREADS>>>(pixels, n, out); },
            [=] { return ladder_same(out, wanted, GREYS); });
    };
    ladder_rung(
        "cpu-bins", "histogram on the CPU", [] {}, [&] { count_on_cpu(picture, on_cpu); },
        [&] { return memcmp(on_cpu, right, sizeof right) == 0; });
    rung("global", "bins in global memory", count_global);
    rung("block", "bins for each block", solution::count_shared);
    rung("warps", "bins for each warp", count_warps);
    rung("copies", "bins for each lane", solution::count_copies);
    rung("matched", "one lane adds for its equals", count_matched);
    CHECK_CUDA(cudaFree(out));
}

int main(int argc, char **argv)
{
    ladder_open(argc, argv);
    int side = ladder.times ? 4096 : 512;
    struct picture drawn = picture_draw(side, side);
    const unsigned char *pixels = ladder_upload(drawn.pixels, (size_t)side * side);
    ladder_size("", "a drawn picture");
    climb_sums(drawn, pixels);
    climb_histograms(drawn, pixels);
    memset(drawn.pixels, 200, (size_t)side * side);
    pixels = ladder_upload(drawn.pixels, (size_t)side * side);
    ladder_size("_flat", "a picture of one grey");
    climb_histograms(drawn, pixels);
    free(drawn.pixels);
    return 0;
}
