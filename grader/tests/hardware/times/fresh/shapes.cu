/* Shapes of launches: few blocks, very many, one too many, occupancy limited by shared memory, and copies. */
#include "../launch.cuh"
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

__global__ void nothing()
{
}

__global__ void store(int *out)
{
    out[blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.x;
}

template <typename T> __global__ void copy(T *out, const T *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i];
}

__global__ void copy_strided(float *out, const float *in, int n, int stride)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n / stride)
        out[i] = in[(size_t)i * stride];
}

__global__ void copy_shifted(float *out, const float *in, int n, int by)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i + by < n)
        out[i] = in[i + by];
}

__global__ void reverse(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[n - 1 - i] = in[i];
}

__global__ void transpose_plain(float *out, const float *in, int n)
{
    int x = blockIdx.x * 32 + threadIdx.x;
    for (int y = blockIdx.y * 32 + threadIdx.y; y < blockIdx.y * 32 + 32; y += blockDim.y)
        out[x * n + y] = in[y * n + x];
}

template <int PITCH> __global__ void transpose_shared(float *out, const float *in, int n)
{
    __shared__ float tile[32][PITCH];
    int left = blockIdx.x * 32, top = blockIdx.y * 32, x = threadIdx.x;
    for (int y = threadIdx.y; y < 32; y += blockDim.y)
        tile[y][x] = in[(top + y) * n + left + x];
    __syncthreads();
    for (int y = threadIdx.y; y < 32; y += blockDim.y)
        out[(left + y) * n + top + x] = tile[x][y];
}

/* SHARED bytes a block limit how many blocks run together. */
__global__ void limited(float *out, const float *in, int rounds)
{
    extern __shared__ float own[];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    own[t] = in[i];
    __syncthreads();
    float sum = 0;
    for (int r = 0; r < rounds; r++)
        sum = sum * 0.5f + own[(t + r * 3) % blockDim.x] + __ldg(&in[(i + r * 1024) & 0x7ffff]);
    out[i] = sum;
}

/* Blocks of very different lengths. */
__global__ void uneven(float *out, int unit, int kind)
{
    int count = kind == 0   ? unit
                : kind == 1 ? (blockIdx.x % 33 ? unit / 2 : unit * 16)
                            : (int)blockIdx.x * unit / 128;
    float x = threadIdx.x;
    for (int k = 0; k < count; k++)
        x = fmaf(x, 0.99f, 1.0f);
    out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}

__global__ void barriers(int *out, int count)
{
    __shared__ int turn[2];
    int sum = 0;
    for (int k = 0; k < count; k++) {
        if (threadIdx.x == k % blockDim.x)
            turn[k % 2] = k;
        __syncthreads();
        sum += turn[k % 2];
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

__global__ void conflicts(float *out, int stride, int count)
{
    __shared__ float own[4096];
    for (int k = threadIdx.x; k < 4096; k += blockDim.x)
        own[k] = k;
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < count; k++)
        sum += own[(threadIdx.x * stride + k) % 4096];
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

/* Tiles of SIZE lanes add their numbers. */
template <int SIZE> __global__ void tiles(int *out, const int *in)
{
    auto tile = cg::tiled_partition<SIZE>(cg::this_thread_block());
    int i = blockIdx.x * blockDim.x + threadIdx.x, sum = in[i];
    for (int step = SIZE / 2; step; step /= 2)
        sum += tile.shfl_xor(sum, step);
    if (tile.any(sum > 100000) && tile.thread_rank() == 0)
        out[i / SIZE] = sum;
}

/* The last block to finish adds the blocks' sums. */
__global__ void last_block(float *out, unsigned *done, const float *in, int n)
{
    __shared__ float parts[256];
    __shared__ bool last;
    float sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        sum += in[i];
    for (int turn = 0; turn < 2; turn++) {
        parts[threadIdx.x] = sum;
        for (int half = blockDim.x / 2; half; half /= 2) {
            __syncthreads();
            if (threadIdx.x < half)
                parts[threadIdx.x] += parts[threadIdx.x + half];
        }
        if (threadIdx.x == 0) {
            out[turn ? gridDim.x : blockIdx.x] = parts[0];
            __threadfence();
            last = !turn && atomicInc(done, gridDim.x - 1) == gridDim.x - 1;
        }
        __syncthreads();
        if (!last)
            return;
        sum = 0;
        for (int i = threadIdx.x; i < gridDim.x; i += blockDim.x)
            sum += ((volatile float *)out)[i];
    }
}

int main()
{
    const int n = 1 << 20;
    float *in = fractions<float>(2 * n), *out = zeros<float>(2 * n);
    int *keys = integers(n, 1 << 16);
    unsigned *done = zeros<unsigned>(1);
    TWICE(nothing<<<1, 32>>>());
    TWICE(nothing<<<20000, 64>>>());
    TWICE(store<<<16384, 32>>>((int *)out));
    TWICE(store<<<512, 1024>>>((int *)out));
    TWICE(copy<<<n / 256, 256>>>(out, in, n));
    TWICE(copy<<<n / 1024, 256>>>((float4 *)out, (float4 *)in, n / 4));
    TWICE(copy<<<n / 128, 64>>>((double *)out, (double *)in, n / 2));
    TWICE(copy<<<n / 512, 512>>>((char *)out, (char *)in, n));
    TWICE(copy_strided<<<512, 128>>>(out, in, n, 16));
    TWICE(copy_strided<<<2048, 128>>>(out, in, n, 4));
    TWICE(copy_shifted<<<n / 256, 256>>>(out, in, n, 3));
    TWICE(reverse<<<n / 512, 512>>>(out, in, n));
    TWICE(transpose_plain<<<dim3(32, 32), dim3(32, 8)>>>(out, in, 1024));
    TWICE(transpose_shared<32><<<dim3(32, 32), dim3(32, 8)>>>(out, in, 1024));
    TWICE(transpose_shared<33><<<dim3(32, 32), dim3(32, 8)>>>(out, in, 1024));
    TWICE(limited<<<528, 128, 1024>>>(out, in, 24));
    TWICE(limited<<<528, 128, 24 << 10>>>(out, in, 24));
    TWICE(limited<<<528, 128, 48 << 10>>>(out, in, 24));
    TWICE(uneven<<<132, 128>>>(out, 400, 0));
    TWICE(uneven<<<133, 1024>>>(out, 100, 0));
    TWICE(uneven<<<264, 128>>>(out, 200, 1));
    TWICE(uneven<<<512, 128>>>(out, 100, 2));
    TWICE(uneven<<<1, 64>>>(out, 4000, 0));
    TWICE(barriers<<<132, 512>>>((int *)out, 64));
    TWICE(barriers<<<132, 64>>>((int *)out, 300));
    TWICE(conflicts<<<132, 128>>>(out, 1, 64));
    TWICE(conflicts<<<132, 128>>>(out, 32, 64));
    TWICE(conflicts<<<132, 128>>>(out, 6, 64));
    TWICE(tiles<4><<<n / 512, 256>>>((int *)out, keys));
    TWICE(tiles<16><<<n / 512, 256>>>((int *)out, keys));
    TWICE(last_block<<<132, 256>>>(out, done, in, n));
    TWICE(last_block<<<8, 256>>>(out, done, in, n / 16));
    return 0;
}
