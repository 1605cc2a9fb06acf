/* product.h: functions that lab 16 gives for its matrix products.
 *
 *     struct product p = lab_product(&lab);   // numbers from the grader, or made up; on the GPU
 *     hand_in(&lab, p);                       // copies C back. By hand, compares it with the CPU, which uses double
 *
 * lab_product() fills the matrices up with zeros: height and width to multiples of SIDE, depth to a
 * multiple of DEEP. So all tiles are full, and all rows begin at a multiple of 16 bytes. */
#ifndef PRODUCT_H
#define PRODUCT_H

#include <cuda_pipeline.h>
#include <mma.h>

#include "lab.h"

#define THREADS 256 /* threads of a block */
#define SMALL   64  /* rung 1: a block computes SMALL x SMALL elements of C */
#define SIDE    128 /* rungs 2 to 4: a block computes SIDE x SIDE elements of C */
#define STEP    8   /* rungs 2 and 3: depth of a tile */
#define DEEP    32  /* rung 4: depth of a tile */

struct product {
    const float *a, *b; /* height x depth and depth x width numbers, row after row */
    float *c;
    __half *a_halves, *b_halves; /* a and b as half-precision floats: see round_to_halves() */
    int height, width, depth;
    /* the sizes without the added zeros, and the matrices in main()'s memory */
    int own_height, own_width, own_depth;
    const float *own_a, *own_b;
};

/* --- rung 0 ------------------------------------------------------------------------------------- */

/* Tiles of 16 x 16 elements, as in lab 06. A block computes side x side elements of C, 16 x 16 at a
 * time. */
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

__global__ void tiles(struct product p)
{
    make_by_tiles<16>(p);
}

/* --- rungs 2 and 3 ------------------------------------------------------------------------------ */

/* A pair of tiles. b[k] is a part of row k of B. a[k] is a part of *column* k of A, because a
 * thread needs the elements of a column together. The 4 floats at the end of each row are unused:
 * they make threads that write a column of `a` write to different banks. */
struct alignas(16) float_tiles {
    float a[STEP][SIDE + 4], b[STEP][SIDE + 4];
};

/* The position of a thread in the block's tile of C. A warp computes 32 rows x 64 columns. A thread
 * computes rows y to y + 3 and y + 16 to y + 19, in columns x to x + 3 and x + 32 to x + 35 of the
 * tile. */
struct place {
    int y, x;
};

__device__ inline struct place my_place(void)
{
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    return {warp / 2 * 32 + lane / 8 * 4, warp % 2 * 64 + lane % 8 * 4};
}

/* Copies four floats in one instruction. Both addresses must be multiples of 16 bytes. */
__device__ inline void copy_4(float *to, const float *from)
{
    *(float4 *)to = *(const float4 *)from;
}

/* Stores four neighbours in a row of a tile of A: row threadIdx.x / 2, columns threadIdx.x % 2 * 4
 * to threadIdx.x % 2 * 4 + 3. */
__device__ inline void store_transposed(struct float_tiles *to, const float four[4])
{
    int row = threadIdx.x / 2, column = threadIdx.x % 2 * 4;
    for (int i = 0; i < 4; ++i)
        to->a[column + i][row] = four[i];
}

/* Stores the elements that the thread has computed in C. */
__device__ inline void store_sums(struct product p, const float sum[8][8])
{
    struct place at = my_place();
    float *c = p.c + (blockIdx.y * SIDE + at.y) * p.width + blockIdx.x * SIDE + at.x;
    for (int i = 0; i < 8; ++i) {
        float *row = c + (i / 4 * 16 + i % 4) * p.width;
        copy_4(row, sum[i]);
        copy_4(row + 32, sum[i] + 4);
    }
}

/* --- rung 4 ------------------------------------------------------------------------------------- */

/* Rounds `count` floats to half precision. Each thread rounds 4 of them. */
__global__ void to_halves(const float *from, __half *to, int count)
{
    int i = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= count)
        return;
    float4 four = *(const float4 *)(from + i);
    alignas(8)
        __half2 halves[2] = {__floats2half2_rn(four.x, four.y), __floats2half2_rn(four.z, four.w)};
    *(uint2 *)(to + i) = *(uint2 *)halves;
}

/* Makes p.a_halves and p.b_halves. Half precision keeps 11 bits, which is exact for the grader's
 * inputs. */
static inline void round_to_halves(struct product p)
{
    int a_count = p.height * p.depth, b_count = p.depth * p.width, each = 4 * THREADS;
    to_halves<<<(a_count + each - 1) / each, THREADS>>>(p.a, p.a_halves, a_count);
    to_halves<<<(b_count + each - 1) / each, THREADS>>>(p.b, p.b_halves, b_count);
}

/* A pair of tiles in half precision. The 8 elements at the end of each row are unused, so that rows
 * begin in different banks. */
struct alignas(32) half_tiles {
    __half a[SIDE][DEEP + 8], b[DEEP][SIDE + 8];
};

/* Starts the asynchronous copies of the tiles that begin at depth `first`, 8 elements at a time, up
 * to p.depth. */
__device__ inline void start_halves(struct product p, struct half_tiles *to, int first)
{
    if (first >= p.depth)
        return;
    const __half *a = p.a_halves + blockIdx.y * SIDE * p.depth + first;
    const __half *b = p.b_halves + first * p.width + blockIdx.x * SIDE;
    for (int i = 8 * threadIdx.x; i < SIDE * DEEP; i += 8 * THREADS) {
        int a_row = i / DEEP, a_column = i % DEEP, b_row = i / SIDE, b_column = i % SIDE;
        __pipeline_memcpy_async(&to->a[a_row][a_column], a + a_row * p.depth + a_column, 16);
        __pipeline_memcpy_async(&to->b[b_row][b_column], b + b_row * p.width + b_column, 16);
    }
    __pipeline_commit();
}

/* --- what main() calls -------------------------------------------------------------------------- */

static inline int round_up(int n, int step)
{
    return (n + step - 1) / step * step;
}

/* Copies a matrix to the GPU, and adds zeros until it has full_height rows of full_width
 * numbers. */
static inline float *upload(const float *matrix, int height, int width, int full_height,
                            int full_width)
{
    float *on_gpu;
    size_t row = full_width * sizeof *on_gpu;
    CHECK_CUDA(cudaMalloc(&on_gpu, full_height * row));
    CHECK_CUDA(cudaMemset(on_gpu, 0, full_height * row));
    CHECK_CUDA(cudaMemcpy2D(on_gpu, row, matrix, width * sizeof *on_gpu, width * sizeof *on_gpu,
                            height, cudaMemcpyHostToDevice));
    return on_gpu;
}

static inline struct product lab_product(struct lab *lab)
{
    struct product p = {};
    p.own_height = lab_int(lab, "height", 100);
    p.own_width = lab_int(lab, "width", 70);
    p.own_depth = lab_int(lab, "depth", 90);
    p.own_a = lab_matrix(lab, "a", p.own_height, p.own_depth);
    p.own_b = lab_matrix(lab, "b", p.own_depth, p.own_width);
    p.height = round_up(p.own_height, SIDE);
    p.width = round_up(p.own_width, SIDE);
    p.depth = round_up(p.own_depth, DEEP);
    p.a = upload(p.own_a, p.own_height, p.own_depth, p.height, p.depth);
    p.b = upload(p.own_b, p.own_depth, p.own_width, p.depth, p.width);
    CHECK_CUDA(cudaMalloc(&p.c, (size_t)p.height * p.width * sizeof *p.c));
    CHECK_CUDA(cudaMemset(p.c, 0, (size_t)p.height * p.width * sizeof *p.c));
    CHECK_CUDA(cudaMalloc(&p.a_halves, (size_t)p.height * p.depth * sizeof *p.a_halves));
    CHECK_CUDA(cudaMalloc(&p.b_halves, (size_t)p.depth * p.width * sizeof *p.b_halves));
    return p;
}

/* Returns the largest error of an element of C. */
static inline double error_of(struct product p, const float *c)
{
    double largest = 0;
    for (int k = 0; k < p.own_height * p.own_width; ++k) {
        double error = c[k];
        for (int i = 0; i < p.own_depth; ++i)
            error -= (double)p.own_a[k / p.own_width * p.own_depth + i] *
                     p.own_b[i * p.own_width + k % p.own_width];
        largest = fabs(error) > largest || isnan(error) ? fabs(error) : largest;
    }
    return largest;
}

/* Hands in C, and frees the matrices. */
static inline void hand_in(struct lab *lab, struct product p)
{
    size_t row = p.own_width * sizeof *p.c;
    float *c = (float *)malloc(p.own_height * row);
    CHECK_CUDA(
        cudaMemcpy2D(c, row, p.c, p.width * sizeof *c, row, p.own_height, cudaMemcpyDeviceToHost));
    lab_result(lab, "c", LAB_FLOAT, c, p.own_height * p.own_width);
    if (lab_by_hand(lab))
        printf("CPU: the largest error is %g\n", error_of(p, c));
    CHECK_CUDA(cudaFree((void *)p.a));
    CHECK_CUDA(cudaFree((void *)p.b));
    CHECK_CUDA(cudaFree(p.c));
    CHECK_CUDA(cudaFree(p.a_halves));
    CHECK_CUDA(cudaFree(p.b_halves));
    free(c);
}

#endif
