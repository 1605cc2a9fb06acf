/* Lab 16: a matrix product as fast as a library's.
 *
 * The job: C = A B in floats. A has `height` rows and `depth` columns, B has `depth` rows and `width`
 * columns. main() fills the matrices up with zeros: height and width to multiples of 128, and depth
 * to a multiple of 32. So all tiles are full, and all rows begin at a multiple of 16 bytes.
 *
 *     rung 0  tiles      lab 06: a thread makes one number of C
 *     rung 1  registers  a thread makes 4 x 4 numbers, which it keeps in registers
 *     rung 2  vectors    8 x 8 numbers, and four floats a load
 *     rung 3  copies     the same; while a block multiplies two tiles, the next two arrive (cp.async)
 *     rung 4  tensor     tensor cores multiply halves, and add up in float
 *
 * Rung 4 rounds the numbers of A and B to 11 bits. Its inputs in a grading have no more.
 *
 * This is the solution: make grade LAB=16-fast-product SUBMISSION=solutions/16-fast-product */
#include <cuda_pipeline.h>
#include <mma.h>

#include "lab.h"

#define THREADS 256 // of a block
#define SMALL   64  // rung 1: a block makes SMALL x SMALL numbers of C
#define SIDE    128 // rungs 2 to 4: a block makes SIDE x SIDE numbers of C
#define DEEP    32  // depth is a multiple of this

struct product { // height and width are multiples of SIDE, depth is one of DEEP
    const float *a, *b;
    float *c;
    __half *a_halves, *b_halves; // for rung 4: the same numbers as in a and b
    int height, width, depth;
};

// Tiles of 16 x 16, as in lab 06. The block makes side x side numbers, 16 x 16 at a time.
template <int side> __device__ void make_by_tiles(struct product p)
{
    int tx = threadIdx.x % 16, ty = threadIdx.x / 16;
    __shared__ float a_tile[16][16], b_tile[16][16];
    for (int piece = 0; piece < side * side / THREADS; ++piece) {
        int x = blockIdx.x * side + piece % (side / 16) * 16 + tx;
        int y = blockIdx.y * side + piece / (side / 16) * 16 + ty;
        float sum = 0;
        for (int first = 0; first < p.depth; first += 16) {
            a_tile[ty][tx] = p.a[y * p.depth + first + tx];
            b_tile[ty][tx] = p.b[(first + ty) * p.width + x];
            __syncthreads();
            for (int k = 0; k < 16; ++k)
                sum += a_tile[ty][k] * b_tile[k][tx];
            __syncthreads();
        }
        p.c[y * p.width + x] = sum;
    }
}

// Rung 0.
__global__ void tiles(struct product p)
{
    make_by_tiles<16>(p);
}

// Rung 1. Thread (tx, ty) makes the numbers in rows ty, ty + 16, ... and columns tx, tx + 16, ...
// of the block's piece: four of each.
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
        for (int k = 0; k < 16; ++k) {
            float a[4], b[4];
            for (int i = 0; i < 4; ++i) {
                a[i] = a_tile[ty + 16 * i][k];
                b[i] = b_tile[k][tx + 16 * i];
            }
            for (int i = 0; i < 4; ++i)
                for (int j = 0; j < 4; ++j)
                    sum[i][j] += a[i] * b[j];
        }
        __syncthreads();
    }
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j)
            p.c[(y + 16 * i) * p.width + x + 16 * j] = sum[i][j];
}

/* --- rungs 2 and 3 ------------------------------------------------------------------------------ */

#define STEP 8 // rows of a tile

// Row k of a tile of B is a part of row k of B. Row k of a tile of A is a part of *column* k of A,
// so that numbers which a thread needs together lie side by side. The 4 floats at the end of a row
// stay empty: then threads that write a column of the tile write to different banks.
typedef float tile[STEP][SIDE + 4];

// A thread's place in the block's piece of C. A warp makes 32 rows x 64 columns. A thread makes rows
// y to y + 3 and y + 16 to y + 19, columns x to x + 3 and x + 32 to x + 35 of the piece.
struct place {
    int y, x;
};

__device__ struct place my_place(void)
{
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    return {warp / 2 * 32 + lane / 8 * 4, warp % 2 * 64 + lane % 8 * 4};
}

__device__ void copy_4(float *to, const float *from)
{
    *(float4 *)to = *(const float4 *)from;
}

// Multiplies a tile of A by one of B: the thread's 8 x 8 numbers.
__device__ void multiply_tiles(float sum[8][8], const tile a_tile, const tile b_tile,
                               struct place at)
{
#pragma unroll
    for (int k = 0; k < STEP; ++k) {
        alignas(16) float a[8], b[8];
        copy_4(a, &a_tile[k][at.y]);
        copy_4(a + 4, &a_tile[k][at.y + 16]);
        copy_4(b, &b_tile[k][at.x]);
        copy_4(b + 4, &b_tile[k][at.x + 32]);
        for (int i = 0; i < 8; ++i)
            for (int j = 0; j < 8; ++j)
                sum[i][j] += a[i] * b[j];
    }
}

__device__ void store_sums(struct product p, float sum[8][8], struct place at)
{
    float *c = p.c + (blockIdx.y * SIDE + at.y) * p.width + blockIdx.x * SIDE + at.x;
    for (int i = 0; i < 8; ++i) {
        float *row = c + (i / 4 * 16 + i % 4) * p.width;
        copy_4(row, sum[i]);
        copy_4(row + 32, sum[i] + 4);
    }
}

// Rung 2. For a tile, each thread loads four numbers of a row of A and four of a row of B.
__global__ void __launch_bounds__(THREADS, 2) vectors(struct product p)
{
    __shared__ alignas(16) tile a_tile, b_tile;
    struct place at = my_place();
    alignas(16) float sum[8][8] = {};
    int t = threadIdx.x, row = t / 2, column = t % 2 * 4;
    const float *a = p.a + (blockIdx.y * SIDE + row) * p.depth + column;
    const float *b = p.b + t / 32 * p.width + blockIdx.x * SIDE + t % 32 * 4;
    for (int first = 0; first < p.depth; first += STEP) {
        float4 four = *(const float4 *)(a + first);
        a_tile[column][row] = four.x;
        a_tile[column + 1][row] = four.y;
        a_tile[column + 2][row] = four.z;
        a_tile[column + 3][row] = four.w;
        copy_4(&b_tile[t / 32][t % 32 * 4], b + first * p.width);
        __syncthreads();
        multiply_tiles(sum, a_tile, b_tile, at);
        __syncthreads();
    }
    store_sums(p, sum, at);
}

// Starts to copy the tiles that begin at `first`. A copy of 4 bytes can transpose A.
__device__ void start_copies(struct product p, tile a_tile, tile b_tile, int first)
{
    int t = threadIdx.x, k = t % STEP;
    const float *a = p.a + blockIdx.y * SIDE * p.depth + first + k;
    const float *b = p.b + (first + t / 32) * p.width + blockIdx.x * SIDE + t % 32 * 4;
    for (int row = t / STEP; row < SIDE; row += THREADS / STEP)
        __pipeline_memcpy_async(&a_tile[k][row], a + row * p.depth, sizeof(float));
    __pipeline_memcpy_async(&b_tile[t / 32][t % 32 * 4], b, sizeof(float4));
    __pipeline_commit();
}

// Rung 3. There are two tiles of A and two of B. One pair is multiplied while the other arrives.
__global__ void __launch_bounds__(THREADS, 2) copies(struct product p)
{
    __shared__ alignas(16) tile a_tile[2], b_tile[2];
    struct place at = my_place();
    alignas(16) float sum[8][8] = {};
    start_copies(p, a_tile[0], b_tile[0], 0);
    for (int first = 0, now = 0; first < p.depth; first += STEP, now = 1 - now) {
        __pipeline_wait_prior(0);
        __syncthreads(); // all copies of this pair have arrived, and no thread reads the other pair
        if (first + STEP < p.depth)
            start_copies(p, a_tile[1 - now], b_tile[1 - now], first + STEP);
        multiply_tiles(sum, a_tile[now], b_tile[now], at);
    }
    store_sums(p, sum, at);
}

/* --- rung 4 ------------------------------------------------------------------------------------- */

// Rounds `count` numbers to halves, 8 in each thread.
__global__ void to_halves(const float *from, __half *to, int count)
{
    int i = 8 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= count)
        return;
    alignas(16) float numbers[8];
    alignas(16) __half2 halves[4];
    *(float4 *)numbers = *(const float4 *)(from + i);
    *(float4 *)(numbers + 4) = *(const float4 *)(from + i + 4);
    for (int k = 0; k < 4; ++k)
        halves[k] = __floats2half2_rn(numbers[2 * k], numbers[2 * k + 1]);
    *(uint4 *)(to + i) = *(uint4 *)halves;
}

// Tiles of halves. 8 halves at the end of a row stay empty, so that rows begin in different banks.
typedef __half a_halves[SIDE][DEEP + 8];
typedef __half b_halves[DEEP][SIDE + 8];

__device__ void start_halves(struct product p, a_halves a_tile, b_halves b_tile, int first)
{
    const __half *a = p.a_halves + blockIdx.y * SIDE * p.depth + first;
    const __half *b = p.b_halves + first * p.width + blockIdx.x * SIDE;
    for (int i = 8 * threadIdx.x; i < SIDE * DEEP; i += 8 * THREADS) { // 8 halves are 16 bytes
        int a_row = i / DEEP, a_column = i % DEEP, b_row = i / SIDE, b_column = i % SIDE;
        __pipeline_memcpy_async(&a_tile[a_row][a_column], a + a_row * p.depth + a_column, 16);
        __pipeline_memcpy_async(&b_tile[b_row][b_column], b + b_row * p.width + b_column, 16);
    }
    __pipeline_commit();
}

// A warp makes 64 x 32 numbers of the block's piece: 4 x 2 products of 16 x 16 numbers.
__global__ void __launch_bounds__(THREADS, 2) tensor(struct product p)
{
    using namespace nvcuda::wmma;
    __shared__ alignas(32) a_halves a_tile[2];
    __shared__ alignas(32) b_halves b_tile[2];
    int warp = threadIdx.x / 32, y = warp / 4 * 64, x = warp % 4 * 32;
    fragment<accumulator, 16, 16, 16, float> sum[4][2];
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 2; ++j)
            fill_fragment(sum[i][j], 0);
    start_halves(p, a_tile[0], b_tile[0], 0);
    for (int first = 0, now = 0; first < p.depth; first += DEEP, now = 1 - now) {
        __pipeline_wait_prior(0);
        __syncthreads();
        if (first + DEEP < p.depth)
            start_halves(p, a_tile[1 - now], b_tile[1 - now], first + DEEP);
        for (int k = 0; k < DEEP; k += 16) {
            fragment<matrix_a, 16, 16, 16, __half, row_major> a[4];
            fragment<matrix_b, 16, 16, 16, __half, row_major> b[2];
            for (int i = 0; i < 4; ++i)
                load_matrix_sync(a[i], &a_tile[now][y + 16 * i][k], DEEP + 8);
            for (int j = 0; j < 2; ++j)
                load_matrix_sync(b[j], &b_tile[now][k][x + 16 * j], SIDE + 8);
            for (int i = 0; i < 4; ++i)
                for (int j = 0; j < 2; ++j)
                    mma_sync(sum[i][j], a[i], b[j], sum[i][j]);
        }
    }
    float *c = p.c + (blockIdx.y * SIDE + y) * p.width + blockIdx.x * SIDE + x;
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 2; ++j)
            store_matrix_sync(c + 16 * i * p.width + 16 * j, sum[i][j], p.width, mem_row_major);
}

/* --- the host ----------------------------------------------------------------------------------- */

// Starts the kernels of one rung.
static void multiply(int rung, struct product p)
{
    dim3 pieces(p.width / SIDE, p.height / SIDE);
    if (rung == 0) {
        tiles<<<dim3(p.width / 16, p.height / 16), THREADS>>>(p);
    } else if (rung == 1) {
        registers<<<dim3(p.width / SMALL, p.height / SMALL), THREADS>>>(p);
    } else if (rung == 2) {
        vectors<<<pieces, THREADS>>>(p);
    } else if (rung == 3) {
        copies<<<pieces, THREADS>>>(p);
    } else {
        int a_count = p.height * p.depth, b_count = p.depth * p.width, each = 8 * THREADS;
        to_halves<<<(a_count + each - 1) / each, THREADS>>>(p.a, p.a_halves, a_count);
        to_halves<<<(b_count + each - 1) / each, THREADS>>>(p.b, p.b_halves, b_count);
        tensor<<<pieces, THREADS>>>(p);
    }
}

static int round_up(int n, int step)
{
    return (n + step - 1) / step * step;
}

// Copies a matrix to the GPU, and fills it up with zeros to full_height rows of full_width numbers.
static float *upload(const float *matrix, int height, int width, int full_height, int full_width)
{
    float *on_gpu;
    CHECK_CUDA(cudaMalloc(&on_gpu, (size_t)full_height * full_width * sizeof *on_gpu));
    CHECK_CUDA(cudaMemset(on_gpu, 0, (size_t)full_height * full_width * sizeof *on_gpu));
    CHECK_CUDA(cudaMemcpy2D(on_gpu, full_width * sizeof *on_gpu, matrix, width * sizeof *on_gpu,
                            width * sizeof *on_gpu, height, cudaMemcpyHostToDevice));
    return on_gpu;
}

// The same job on the CPU, in double: the largest error of any number of C.
static double largest_error(const float *a, const float *b, const float *c, int height, int width,
                            int depth)
{
    double largest = 0;
    for (int k = 0; k < height * width; ++k) {
        double error = c[k];
        for (int i = 0; i < depth; ++i)
            error -= (double)a[k / width * depth + i] * b[i * width + k % width];
        largest = fabs(error) > largest || isnan(error) ? fabs(error) : largest;
    }
    return largest;
}

int main(int argc, char **argv)
{
    struct lab lab = lab_open(argc, argv);
    int rung = lab_int(&lab, "rung", 4), depth = lab_int(&lab, "depth", 90);
    int height = lab_int(&lab, "height", 100), width = lab_int(&lab, "width", 70);
    const float *a = lab_matrix(&lab, "a", height, depth);
    const float *b = lab_matrix(&lab, "b", depth, width);
    float *c = (float *)malloc((size_t)height * width * sizeof *c);
    struct product p = {.height = round_up(height, SIDE),
                        .width = round_up(width, SIDE),
                        .depth = round_up(depth, DEEP)};
    p.a = upload(a, height, depth, p.height, p.depth);
    p.b = upload(b, depth, width, p.depth, p.width);
    CHECK_CUDA(cudaMalloc(&p.c, (size_t)p.height * p.width * sizeof *p.c));
    CHECK_CUDA(cudaMalloc(&p.a_halves, (size_t)p.height * p.depth * sizeof *p.a_halves));
    CHECK_CUDA(cudaMalloc(&p.b_halves, (size_t)p.depth * p.width * sizeof *p.b_halves));

    while (lab_again(&lab)) {
        multiply(rung, p);
        CHECK_CUDA(cudaGetLastError()); // did the kernels start?
    }
    CHECK_CUDA(cudaMemcpy2D(c, width * sizeof *c, p.c, p.width * sizeof *c, width * sizeof *c,
                            height, cudaMemcpyDeviceToHost));
    lab_result(&lab, "c", LAB_FLOAT, c, height * width);
    if (lab_by_hand(&lab))
        printf("CPU: the largest error is %g\n", largest_error(a, b, c, height, width, depth));
    for (const void *memory : {(const void *)p.a, (const void *)p.b, (const void *)p.c,
                               (const void *)p.a_halves, (const void *)p.b_halves})
        CHECK_CUDA(cudaFree((void *)memory));
    free(c);
    return lab_close(&lab);
}
