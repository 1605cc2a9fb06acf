/* The sum of an image's 4,096 x 4,096 pixels in one word: how many threads queue for it? And its histogram: one
 * array for all, or one for each block. */
#include "ladder.cuh"

#define main lab_main // the lab's own, which nobody calls here
namespace solution
{
#include "../../solutions/03-shared-reduce/shared_reduce.cu"
}
#undef main

#define BLOCKS  1056
#define THREADS 256
#define BINS    256

__global__ void of_pixel(const int *data, int n, int *sum)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(sum, data[i]);
}

__device__ int sum_of_warp(int mine)
{
    for (int off = 16; off > 0; off /= 2)
        mine += __shfl_down_sync(0xffffffff, mine, off);
    return mine;
}

__global__ void of_warp(const int *data, int n, int *sum)
{
    int mine = sum_of_warp(solution::sum_of_thread(data, n));
    if (threadIdx.x % 32 == 0)
        atomicAdd(sum, mine);
}

__global__ void of_block(const int *data, int n, int *sum)
{
    __shared__ int sums[THREADS / 32];
    int t = threadIdx.x, mine = sum_of_warp(solution::sum_of_thread(data, n));
    if (t % 32 == 0)
        sums[t / 32] = mine;
    __syncthreads();
    if (t >= 32)
        return;
    mine = sum_of_warp(t < THREADS / 32 ? sums[t] : 0);
    if (t == 0)
        atomicAdd(sum, mine);
}

__global__ void histogram(const int *data, int n, int *bins)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&bins[data[i]], 1);
}

__global__ void histogram_of_block(const int *data, int n, int *bins)
{
    __shared__ int mine[BINS];
    for (int i = threadIdx.x; i < BINS; i += blockDim.x)
        mine[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&mine[data[i]], 1);
    __syncthreads();
    for (int i = threadIdx.x; i < BINS; i += blockDim.x)
        atomicAdd(&bins[i], mine[i]);
}

int main(int argc, char **argv)
{
    ladder_open(argc, argv);
    int n = 4096 * 4096, *pixels = ladder_ints(n), bins[BINS] = {0};
    for (int i = 0; i < n; ++i) { // a picture whose values crowd in the middle, as pictures' do
        pixels[i] = 60 + 10 * pixels[i] + (int)((unsigned)i * 40503u >> 16) % 64;
        bins[pixels[i]]++;
    }
    int right = solution::sum_on_cpu(pixels, n), *out = ladder_alloc<int>(BINS);
    const int *data = ladder_upload(pixels, n), *right_bins = bins;

    ladder_size("", "4,096 x 4,096 pixels");
    auto rung = [=](const char *name, const char *title, auto kernel, const int *expected,
                    int count) {
        ladder_rung(
            name, title, [=] { CHECK_CUDA(cudaMemsetAsync(out, 0, BINS * sizeof *out)); },
            [=] { kernel<<<BLOCKS, THREADS>>>(data, n, out); },
            [=] { return ladder_same(out, expected, count); });
    };
    rung("pixel", "an atomic for each pixel", of_pixel, &right, 1);
    rung("thread", "for each thread", solution::sum_atomic, &right, 1);
    rung("warp", "for each warp", of_warp, &right, 1);
    rung("block", "for each block", of_block, &right, 1);
    rung("histogram", "histogram in global memory", histogram, right_bins, BINS);
    rung("histogram-shared", "histogram of each block", histogram_of_block, right_bins, BINS);
    return 0;
}
