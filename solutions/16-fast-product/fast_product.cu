/* Lab 16: a fast matrix product.
 *
 * The job: C = A B in floats. A has `height` rows and `depth` columns, B has `depth` rows and
 * `width` columns. shared/product.h has given functions. It makes all sizes multiples of tiles.
 *
 *     rung 0  tiles      given: the tiles of lab 06. A thread makes one number of C
 *     rung 1  registers  a thread makes 4 x 4 numbers, which it keeps in registers
 *     rung 2  vectors    8 x 8 numbers, and four floats per load
 *     rung 3  copies     the same; while a block multiplies two tiles, the next two arrive
 *     rung 4  tensor     tensor cores multiply halves, and add up in float
 *
 * This is the solution: make grade LAB=16-fast-product SUBMISSION=solutions/16-fast-product */
#include "product.h"

// Rung 1. Thread (tx, ty) makes rows ty, ty + 16, ... and columns tx, tx + 16, ... of the piece.
__global__ void registers(struct product p)
{
    int tx = threadIdx.x % 16, x = blockIdx.x * SMALL + tx;
    int ty = threadIdx.x / 16, y = blockIdx.y * SMALL + ty;
    __shared__ float a_tile[SMALL][16], b_tile[16][SMALL];
    float sum[4][4] = {};
    for (int first = 0; first < p.depth; first += 16) {
        for (int i = 0; i < SMALL; i += 16) {
            a_tile[ty + i][tx] = p.a[(y + i) * p.depth + first + tx];
            b_tile[ty][tx + i] = p.b[(first + ty) * p.width + x + i];
        }
        __syncthreads();
        for (int k = 0; k < 16; ++k)
            for (int i = 0; i < 16; ++i) // the compiler loads each of the 4 + 4 numbers once
                sum[i / 4][i % 4] += a_tile[ty + i / 4 * 16][k] * b_tile[k][tx + i % 4 * 16];
        __syncthreads();
    }
    for (int i = 0; i < 16; ++i)
        p.c[(y + i / 4 * 16) * p.width + x + i % 4 * 16] = sum[i / 4][i % 4];
}

// Rungs 2 and 3. Multiplies a tile of A by one of B: the thread's 8 x 8 numbers.
__device__ void multiply_tiles(float sum[8][8], const struct float_tiles *tiles)
{
    struct place at = my_place();
#pragma unroll
    for (int k = 0; k < STEP; ++k) {
        alignas(16) float a[8], b[8];
        copy_4(a, &tiles->a[k][at.y]);
        copy_4(a + 4, &tiles->a[k][at.y + 16]);
        copy_4(b, &tiles->b[k][at.x]);
        copy_4(b + 4, &tiles->b[k][at.x + 32]);
        for (int i = 0; i < 64; ++i)
            sum[i / 8][i % 8] += a[i / 8] * b[i % 8];
    }
}

// Rung 2. For a tile, each thread loads four numbers of a row of A and four of a row of B.
__global__ void __launch_bounds__(THREADS, 2) vectors(struct product p)
{
    __shared__ struct float_tiles tiles;
    alignas(16) float sum[8][8] = {}, four[4];
    int t = threadIdx.x;
    const float *a = p.a + (blockIdx.y * SIDE + t / 2) * p.depth + t % 2 * 4;
    const float *b = p.b + t / 32 * p.width + blockIdx.x * SIDE + t % 32 * 4;
    for (int first = 0; first < p.depth; first += STEP) {
        copy_4(four, a + first);
        store_transposed(&tiles, four);
        copy_4(&tiles.b[t / 32][t % 32 * 4], b + first * p.width);
        __syncthreads();
        multiply_tiles(sum, &tiles);
        __syncthreads();
    }
    store_sums(p, sum);
}

// Rung 3: while a pair of tiles is multiplied, the next one arrives. A must be transposed, so its
// numbers wait in registers.
__global__ void __launch_bounds__(THREADS, 2) copies(struct product p)
{
    __shared__ struct float_tiles pair[2];
    alignas(16) float sum[8][8] = {}, four[4];
    int t = threadIdx.x;
    const float *a = p.a + (blockIdx.y * SIDE + t / 2) * p.depth + t % 2 * 4;
    const float *b = p.b + t / 32 * p.width + blockIdx.x * SIDE + t % 32 * 4;
    __pipeline_memcpy_async(&pair[0].b[t / 32][t % 32 * 4], b, 16);
    __pipeline_commit();
    copy_4(four, a);
    store_transposed(&pair[0], four);
    for (int next = STEP, now = 0; next <= p.depth; next += STEP, now = 1 - now) {
        __pipeline_wait_prior(0);
        __syncthreads(); // this pair has arrived, and no thread reads the other one
        if (next < p.depth) {
            __pipeline_memcpy_async(&pair[1 - now].b[t / 32][t % 32 * 4], b + next * p.width, 16);
            __pipeline_commit();
            copy_4(four, a + next);
        }
        multiply_tiles(sum, &pair[now]);
        if (next < p.depth)
            store_transposed(&pair[1 - now], four);
    }
    store_sums(p, sum);
}

// Rung 4. A warp makes 64 x 32 numbers: 4 x 2 products of 16 x 16 numbers.
__global__ void __launch_bounds__(THREADS, 2) tensor(struct product p)
{
    using namespace nvcuda::wmma;
    __shared__ struct half_tiles pair[2];
    int warp = threadIdx.x / 32, y = warp / 4 * 64, x = warp % 4 * 32;
    fragment<accumulator, 16, 16, 16, float> sum[8];
    for (int i = 0; i < 8; ++i)
        fill_fragment(sum[i], 0);
    start_halves(p, &pair[0], 0);
    for (int first = 0, now = 0; first < p.depth; first += DEEP, now = 1 - now) {
        __pipeline_wait_prior(0);
        __syncthreads();
        start_halves(p, &pair[1 - now], first + DEEP);
        for (int k = 0; k < DEEP; k += 16) {
            fragment<matrix_a, 16, 16, 16, __half, row_major> a[4];
            fragment<matrix_b, 16, 16, 16, __half, row_major> b[2];
            for (int i = 0; i < 4; ++i)
                load_matrix_sync(a[i], &pair[now].a[y + 16 * i][k], DEEP + 8);
            for (int j = 0; j < 2; ++j)
                load_matrix_sync(b[j], &pair[now].b[k][x + 16 * j], SIDE + 8);
            for (int i = 0; i < 8; ++i)
                mma_sync(sum[i], a[i / 2], b[i % 2], sum[i]);
        }
    }
    float *c = p.c + (blockIdx.y * SIDE + y) * p.width + blockIdx.x * SIDE + x;
    for (int i = 0; i < 8; ++i)
        store_matrix_sync(c + i / 2 * 16 * p.width + i % 2 * 16, sum[i], p.width, mem_row_major);
}

static void multiply(int rung, struct product p)
{
    void (*const kernels[])(struct product) = {tiles, registers, vectors, copies, tensor};
    int side = rung == 0 ? 16 : rung == 1 ? SMALL : SIDE; // side of a block's piece of C
    if (rung == 4)
        round_to_halves(p);
    kernels[rung]<<<dim3(p.width / side, p.height / side), THREADS>>>(p);
}

int main(int argc, char **argv)
{
    struct lab lab = lab_open(argc, argv);
    int rung = lab_int(&lab, "rung", 4);
    struct product p = lab_product(&lab);
    while (lab_again(&lab)) {
        multiply(rung, p);
        CHECK_CUDA(cudaGetLastError()); // did the kernels start?
    }
    hand_in(&lab, p);
    return lab_close(&lab);
}
