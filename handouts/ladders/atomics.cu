/* The sum of an image's 4,096 x 4,096 pixels in one word of 64 bits: how many threads queue for it? And its
 * histogram: one array for all, or one for each block.
 *
 * Look at: the atomics and reductions in global memory, which become fewer from rung to rung, and the atomics in
 * shared memory of the last one. */
#include "ladder.cuh"

#define BLOCKS  1056
#define THREADS 256
#define BINS    256

typedef unsigned long long wide;

template <typename Sum> __global__ void of_pixel(const int *data, int n, Sum *sum)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(sum, (Sum)data[i]);
}

__device__ wide sum_of_thread(const int *data, int n)
{
    wide mine = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        mine += data[i];
    return mine;
}

__device__ wide sum_of_warp(wide mine)
{
    for (int off = 16; off > 0; off /= 2)
        mine += __shfl_down_sync(0xffffffff, mine, off);
    return mine;
}

__global__ void of_thread(const int *data, int n, wide *sum)
{
    atomicAdd(sum, sum_of_thread(data, n));
}

__global__ void of_warp(const int *data, int n, wide *sum)
{
    wide mine = sum_of_warp(sum_of_thread(data, n));
    if (threadIdx.x % 32 == 0)
        atomicAdd(sum, mine);
}

__global__ void of_block(const int *data, int n, wide *sum)
{
    __shared__ wide sums[THREADS / 32];
    int t = threadIdx.x;
    wide mine = sum_of_warp(sum_of_thread(data, n));
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

/* Runs one rung. The kernel adds to COUNT numbers, which are 0 at first. */
template <typename T>
static void rung(const char *name, const char *title, void (*kernel)(const int *, int, T *),
                 const int *data, int n, const T *right, int count, int adds)
{
    T *out = ladder_alloc<T>(count);
    ladder_rung(
        name, title, [=] { CHECK_CUDA(cudaMemsetAsync(out, 0, count * sizeof *out)); },
        [=] { kernel<<<BLOCKS, THREADS>>>(data, n, out); },
        [=] { return ladder_same(out, right, count); });
    ladder_value("adds", adds); // additions to global memory; those to the same word queue
    CHECK_CUDA(cudaFree(out));
}

int main(int argc, char **argv)
{
    ladder_open(argc, argv);
    int n = 4096 * 4096, threads = BLOCKS * THREADS, *pixels = ladder_ints(n), bins[BINS] = {0};
    wide right = 0;
    for (int i = 0; i < n; ++i) { // most values are near the middle, as in real pictures
        pixels[i] = 60 + 10 * pixels[i] + (int)((unsigned)i * 40503u >> 16) % 64;
        bins[pixels[i]]++;
        right += pixels[i];
    }
    unsigned low = (unsigned)right; // a sum in 32 bits may overflow and keeps the low bits
    const int *data = ladder_upload(pixels, n);

    ladder_size("", "4,096 x 4,096 pixels");
    rung("pixel", "an atomic for each pixel", of_pixel<wide>, data, n, &right, 1, n);
    rung("pixel-32", "the same in 32 bits", of_pixel<unsigned>, data, n, &low, 1, n);
    rung("thread", "for each thread", of_thread, data, n, &right, 1, threads);
    rung("warp", "for each warp", of_warp, data, n, &right, 1, threads / 32);
    rung("block", "for each block", of_block, data, n, &right, 1, BLOCKS);
    rung("histogram", "histogram in global memory", histogram, data, n, bins, BINS, n);
    rung("histogram-shared", "histogram of each block", histogram_of_block, data, n, bins, BINS,
         BLOCKS * BINS);
    return 0;
}
