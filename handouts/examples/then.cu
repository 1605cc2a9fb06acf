// The classic tutorial of 2007, to predict what it took on a GeForce 8800 GT: sums, in which each thread stores its
// sum, or each block; and matrix products. Prints for each launch the ladder and the rung that it stands for.
#include "lab.h"

#define N       (1 << 20)
#define BLOCKS  32
#define THREADS 256
#define WIDTH   250 // of the matrices; like 1,000, no multiple of 16
#define TILE    16

// Compilers of that time did not unroll the loops of this file: hence `unroll 1`.
__device__ int sum_of(const int *data, int begin, int end, int step)
{
    int sum = 0;
#pragma unroll 1
    for (int i = begin; i < end; i += step)
        sum += data[i] * data[i];
    return sum;
}

__global__ void chunks(const int *data, int *sums)
{
    int chunk = N / blockDim.x;
    sums[threadIdx.x] = sum_of(data, threadIdx.x * chunk, (threadIdx.x + 1) * chunk, 1);
}

__global__ void interleaved(const int *data, int *sums)
{
    int me = blockIdx.x * blockDim.x + threadIdx.x;
    sums[me] = sum_of(data, me, N, gridDim.x * blockDim.x);
}

__device__ void share(int *shared, const int *data)
{
    shared[threadIdx.x] =
        sum_of(data, blockIdx.x * blockDim.x + threadIdx.x, N, gridDim.x * blockDim.x);
    __syncthreads();
}

__global__ void by_thread_0(const int *data, int *sums)
{
    __shared__ int shared[THREADS];
    share(shared, data);
    if (threadIdx.x)
        return;
#pragma unroll 1
    for (int i = 1; i < THREADS; ++i)
        shared[0] += shared[i];
    sums[blockIdx.x] = shared[0];
}

__global__ void by_mask(const int *data, int *sums)
{
    __shared__ int shared[THREADS];
    int t = threadIdx.x;
    share(shared, data);
#pragma unroll 1
    for (int off = 1, mask = 1; off < THREADS; off *= 2, mask = 2 * mask + 1) {
        if ((t & mask) == 0)
            shared[t] += shared[t + off];
        __syncthreads();
    }
    if (t == 0)
        sums[blockIdx.x] = shared[0];
}

__global__ void by_halves(const int *data, int *sums)
{
    __shared__ int shared[THREADS];
    int t = threadIdx.x;
    share(shared, data);
#pragma unroll 1
    for (int off = THREADS / 2; off > 0; off /= 2) {
        if (t < off)
            shared[t] += shared[t + off];
        __syncthreads();
    }
    if (t == 0)
        sums[blockIdx.x] = shared[0];
}

__global__ void by_unrolled_halves(const int *data, int *sums)
{
    __shared__ int shared[THREADS];
    int t = threadIdx.x;
    share(shared, data);
#pragma unroll
    for (int off = THREADS / 2; off > 0; off /= 2) {
        if (t < off)
            shared[t] += shared[t + off];
        __syncthreads();
    }
    if (t == 0)
        sums[blockIdx.x] = shared[0];
}

__global__ void multiply(const float *a, const float *b, float *c, int pitch)
{
    int row = blockIdx.y * TILE + threadIdx.y, column = blockIdx.x * TILE + threadIdx.x;
    float sum = 0;
    if (row >= WIDTH || column >= WIDTH)
        return;
#pragma unroll 1
    for (int k = 0; k < WIDTH; ++k)
        sum += a[row * pitch + k] * b[k * pitch + column];
    c[row * pitch + column] = sum;
}

__global__ void multiply_row(const float *a, const float *b, float *c, int pitch)
{
    __shared__ float shared[WIDTH];
    int row = blockIdx.x;
    for (int k = threadIdx.x; k < WIDTH; k += blockDim.x)
        shared[k] = a[row * pitch + k];
    __syncthreads();
#pragma unroll 1
    for (int column = threadIdx.x; column < WIDTH; column += blockDim.x) {
        float sum = 0;
#pragma unroll 1
        for (int k = 0; k < WIDTH; ++k)
            sum += shared[k] * b[k * pitch + column];
        c[row * pitch + column] = sum;
    }
}

// IS_PADDED: the matrices are as wide and high as whole tiles.
template <bool is_padded>
__global__ void multiply_tiles(const float *a, const float *b, float *c, int pitch)
{
    __shared__ float tile_a[TILE][TILE], tile_b[TILE][TILE];
    int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * TILE + y,
        column = blockIdx.x * TILE + x;
    float sum = 0;
#pragma unroll 1
    for (int k = 0; k < WIDTH; k += TILE) {
        tile_a[y][x] = is_padded || (row < WIDTH && k + x < WIDTH) ? a[row * pitch + k + x] : 0;
        tile_b[y][x] =
            is_padded || (k + y < WIDTH && column < WIDTH) ? b[(k + y) * pitch + column] : 0;
        __syncthreads();
#pragma unroll 1
        for (int i = 0; i < TILE; ++i)
            sum += tile_a[y][i] * tile_b[i][x];
        __syncthreads();
    }
    if (is_padded || (row < WIDTH && column < WIDTH))
        c[row * pitch + column] = sum;
}

// Runs KERNEL and checks the total of its sums: N ones.
static void climb(const char *rung, void (*kernel)(const int *, int *), int blocks, int threads,
                  int count, const int *data, int *sums)
{
    static int values[BLOCKS * THREADS];
    int total = 0;
    kernel<<<blocks, threads>>>(data, sums);
    CHECK_CUDA(cudaGetLastError());
    CHECK_CUDA(cudaMemcpy(values, sums, count * sizeof *values, cudaMemcpyDeviceToHost));
    for (int i = 0; i < count; ++i)
        total += values[i];
    if (total != N) {
        fprintf(stderr, "%s: the sum is wrong\n", rung);
        exit(1);
    }
    printf("%s\n", rung);
}

// Multiplies matrices of ones, whose rows are PITCH floats apart, and checks an element of the result.
static void product(const char *rung, void (*kernel)(const float *, const float *, float *, int),
                    dim3 blocks, dim3 threads, int pitch)
{
    static float values[TILE * TILE * TILE * TILE];
    float *a, *c, last = 0;
    for (int i = 0; i < pitch * pitch; ++i)
        values[i] = i / pitch < WIDTH && i % pitch < WIDTH;
    CHECK_CUDA(cudaMalloc(&a, sizeof values));
    CHECK_CUDA(cudaMalloc(&c, sizeof values));
    CHECK_CUDA(cudaMemcpy(a, values, sizeof values, cudaMemcpyHostToDevice));
    kernel<<<blocks, threads>>>(a, a, c, pitch);
    CHECK_CUDA(cudaGetLastError());
    CHECK_CUDA(
        cudaMemcpy(&last, c + (WIDTH - 1) * (pitch + 1), sizeof last, cudaMemcpyDeviceToHost));
    if (last != WIDTH) {
        fprintf(stderr, "%s: the product is wrong\n", rung);
        exit(1);
    }
    printf("%s\t%d\n", rung, 2 * WIDTH * WIDTH * WIDTH);
    CHECK_CUDA(cudaFree(a));
    CHECK_CUDA(cudaFree(c));
}

int main()
{
    int *data, *sums, *ones = (int *)malloc(N * sizeof *ones);
    for (int i = 0; i < N; ++i)
        ones[i] = 1;
    CHECK_CUDA(cudaMalloc(&data, N * sizeof *data));
    CHECK_CUDA(cudaMalloc(&sums, BLOCKS * THREADS * sizeof *sums));
    CHECK_CUDA(cudaMemcpy(data, ones, N * sizeof *data, cudaMemcpyHostToDevice));
    climb("sumsq.one-thread", interleaved, 1, 1, 1, data, sums);
    climb("sumsq.chunks", chunks, 1, THREADS, THREADS, data, sums);
    climb("sumsq.coalesced", interleaved, 1, THREADS, THREADS, data, sums);
    climb("sumsq.block-512", interleaved, 1, 512, 512, data, sums);
    climb("sumsq.blocks-32", interleaved, BLOCKS, THREADS, BLOCKS * THREADS, data, sums);
    climb("reduce.thread-0", by_thread_0, BLOCKS, THREADS, BLOCKS, data, sums);
    climb("reduce.mask", by_mask, BLOCKS, THREADS, BLOCKS, data, sums);
    climb("reduce.sequential", by_halves, BLOCKS, THREADS, BLOCKS, data, sums);
    climb("reduce.halves-unrolled", by_unrolled_halves, BLOCKS, THREADS, BLOCKS, data, sums);
    CHECK_CUDA(cudaFree(data));
    CHECK_CUDA(cudaFree(sums));
    free(ones);
    dim3 tiles(TILE, TILE), threads(TILE, TILE);
    product("matmul.naive", multiply, tiles, threads, WIDTH);
    product("matmul.row", multiply_row, WIDTH, THREADS, WIDTH);
    product("matmul.row-pitched", multiply_row, WIDTH, THREADS, TILE * TILE);
    product("matmul.tiles-16", multiply_tiles<false>, tiles, threads, WIDTH);
    product("matmul.tiles-16-padded", multiply_tiles<true>, tiles, threads, TILE * TILE);
    return 0;
}
