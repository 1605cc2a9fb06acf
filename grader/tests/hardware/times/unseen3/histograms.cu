/* Histograms of bytes: even data, and data of which most fall into one bin. */
#include "expect.cuh"

#define BINS 256

typedef unsigned char byte;

/* As textbooks begin: all threads of the grid meet in one array. */
static __global__ void count_global(int *bins, const byte *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(&bins[in[i]], 1);
}

/* An array per block, as CUDA samples' older histograms and Parboil's histo. */
static __global__ void count_shared(int *bins, const byte *in, int n)
{
    __shared__ int mine[BINS];
    for (int b = threadIdx.x; b < BINS; b += blockDim.x)
        mine[b] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&mine[in[i]], 1);
    __syncthreads();
    for (int b = threadIdx.x; b < BINS; b += blockDim.x)
        atomicAdd(&bins[b], mine[b]);
}

/* An array per warp, and four bytes a read: as CUDA samples' histogram256. */
static __global__ void count_warps(int *bins, const uchar4 *in, int n)
{
    __shared__ int mine[8][BINS];
    int *here = mine[threadIdx.x / 32];
    for (int b = threadIdx.x; b < 8 * BINS; b += blockDim.x)
        mine[0][b] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        uchar4 four = in[i];
        atomicAdd(&here[four.x], 1);
        atomicAdd(&here[four.y], 1);
        atomicAdd(&here[four.z], 1);
        atomicAdd(&here[four.w], 1);
    }
    __syncthreads();
    int sum = 0;
    for (int w = 0; w < 8; w++)
        sum += mine[w][threadIdx.x];
    atomicAdd(&bins[threadIdx.x], sum);
}

int main()
{
    const int n = 1 << 20;
    int *bins = zeros<int>(BINS);
    for (bool even : {true, false}) {
        byte *in = filled<byte>(n, [=](size_t i) {
            unsigned x = scrambled(i) >> 8;
            return (byte)(even || x % 8 == 0 ? x >> 8 : 99);
        });
        std::vector<int> right(BINS);
        for (byte value : fetched(in, n))
            right[value]++;
        auto expect_multiple = [&](int launches) {
            std::vector<int> found = fetched(bins, BINS);
            int times = found[99] / right[99];
            EXPECT(times >= launches);
            for (int b = 0; b < BINS; b++)
                EXPECT(found[b] == times * right[b]);
            clear(bins, BINS);
        };
        TWICE(count_global<<<n / 256, 256>>>(bins, in, n));
        expect_multiple(2);
        TWICE(count_shared<<<n / 256, 256>>>(bins, in, n));
        expect_multiple(2);
        TWICE(count_shared<<<264, 256>>>(bins, in, n));
        expect_multiple(2);
        TWICE(count_warps<<<264, 256>>>(bins, (uchar4 *)in, n / 4));
        expect_multiple(2);
    }
    return 0;
}
