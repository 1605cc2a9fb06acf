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
 * The program is right, and slow: rungs 1 to 4 do what rung 0 does. Do the TODOs in order; it stays
 * right after each of them.
 *
 * Try it:    make run LAB=16-fast-product ARGS='rung=1 height=200 width=300 depth=50'
 * Grade it:  make grade LAB=16-fast-product */
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

// Rung 1. The block makes SMALL x SMALL numbers of C.
__global__ void registers(struct product p)
{
    // TODO 1: a thread that makes one number loads two numbers for each multiply-add. Let it make
    //         4 x 4: with tx and ty as above, those in rows ty, ty + 16, ty + 32, ty + 48 and columns
    //         tx, tx + 16, ... of the block's piece.
    //         a) The tiles are a_tile[SMALL][16] and b_tile[16][SMALL]. Each thread copies four
    //            numbers of each.
    //         b) float sum[4][4] = {} holds the thread's numbers of C.
    //         c) For each k, load four numbers of A into a[4] and four of B into b[4]. Then
    //            sum[i][j] += a[i] * b[j].
    //         All loops over i and j have fixed bounds, so that the arrays stay in registers.
    make_by_tiles<SMALL>(p);
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

// Rung 2. The block makes SIDE x SIDE numbers of C.
__global__ void __launch_bounds__(THREADS, 2) vectors(struct product p)
{
    // TODO 2: 8 x 8 numbers a thread, and four floats a load.
    //         a) There is a tile a_tile and a tile b_tile: see the type `tile` above. Write
    //            `__shared__ alignas(16) tile a_tile, b_tile;`, because a float4 must lie at a
    //            multiple of 16 bytes.
    //         b) For a tile, each thread copies four neighbours in a row of A and four in a row of B,
    //            by one float4 each: 128 rows of 8 numbers, and 8 rows of 128. The four of A go to
    //            four rows of a_tile, since it has A's columns for rows.
    //         c) my_place() says which numbers the thread makes. For each k, it loads 8 numbers of
    //            a_tile[k] and 8 of b_tile[k], each 8 by two float4: copy_4().
    //         d) The sums go to C by float4, too.
    //         Rung 3 does c) and d) as well: make functions of them.
    make_by_tiles<SIDE>(p);
}

// Rung 3. The block makes SIDE x SIDE numbers of C.
__global__ void __launch_bounds__(THREADS, 2) copies(struct product p)
{
    // TODO 3: in rung 2 all warps wait until a tile has arrived. Let two tiles of A and two of B take
    //         turns: tile a_tile[2], b_tile[2].
    //         a) __pipeline_memcpy_async(to, from, bytes) only starts a copy, of 4, 8 or 16 bytes.
    //            Copies of 4 bytes can transpose A: eight neighbouring threads copy the 8 numbers of
    //            a row. B needs one copy of 16 bytes in each thread. Then __pipeline_commit().
    //         b) Start the copies of the first pair of tiles before the loop.
    //         c) In the loop, wait for your own copies: __pipeline_wait_prior(0). Then
    //            __syncthreads(): everybody's copies have arrived. Nobody still reads the other pair,
    //            so start the copies of the next pair there, if there is one. Multiply this pair.
    //         How many barriers does a step need?
    make_by_tiles<SIDE>(p);
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

// Rung 4. The block makes SIDE x SIDE numbers of C.
__global__ void __launch_bounds__(THREADS, 2) tensor(struct product p)
{
    // TODO 4: the tensor cores of a multiprocessor multiply 16 x 16 halves by 16 x 16 halves, in one
    //         instruction of a warp. p.a_halves and p.b_halves have the same numbers as p.a and p.b.
    //         a) Copy tiles of DEEP columns of A and DEEP rows of B as in rung 3, 8 halves at a time.
    //            Nothing is transposed. Write `__shared__ alignas(32) a_halves a_tile[2];`.
    //         b) A warp makes 64 x 32 numbers of the piece: 4 x 2 fragments of sums,
    //            `fragment<accumulator, 16, 16, 16, float> sum[4][2]` of the namespace nvcuda::wmma.
    //            Clear them with fill_fragment().
    //         c) For k = 0 and 16, load 4 fragments of A and 2 of B with load_matrix_sync(), whose
    //            last argument is the length of a tile's row. Then 8 times mma_sync().
    //         d) store_matrix_sync() stores a fragment of sums in C.
    make_by_tiles<SIDE>(p);
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
