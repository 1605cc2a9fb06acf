/* Lab 16: a fast matrix product.
 *
 * The job: C = A B in floats. A has `height` rows and `depth` columns, B has `depth` rows and `width`
 * columns. All sizes are multiples of the tiles. shared/product.h has the functions that are given.
 *
 * The program is right, and slow: all rungs do what rung 0 does. Do the TODOs in order; it stays right
 * after each of them.
 *
 *     rung 0  tiles      given: the tiles of lab 06. A thread makes one number of C
 *     rung 1  registers  TODO 1: a thread makes 4 x 4 numbers, which it keeps in registers
 *     rung 2  vectors    TODO 2: 8 x 8 numbers, and four floats per load
 *     rung 3  copies     TODO 3: the same; while a block multiplies two tiles, the next two arrive
 *     rung 4  tensor     TODO 4: tensor cores multiply halves, and add up in float
 *
 * Try it:    make run LAB=16-fast-product ARGS='rung=1 height=200 width=300 depth=50'
 * Grade it:  make grade LAB=16-fast-product */
#include "product.h"

// Rung 1. A block computes a piece of C with SMALL x SMALL elements.
__global__ void registers(struct product p)
{
    // TODO 1: a thread that makes one number loads two numbers for each multiply-add. Let it make
    //         4 x 4 numbers, from 8 loads for each k:
    //         a) As in make_by_tiles(), tx is threadIdx.x % 16, and ty is threadIdx.x / 16. The thread
    //            makes rows ty, ty + 16, ty + 32, ty + 48 and columns tx, tx + 16, ... of the piece.
    //
    //                     column tx       tx + 16       tx + 32       tx + 48
    //            row ty          x             x             x             x        x: numbers of
    //            row ty + 16     x             x             x             x           thread (tx, ty)
    //            row ty + 32     x             x             x             x
    //            row ty + 48     x             x             x             x
    //
    //         b) The tiles are a_tile[SMALL][16] and b_tile[16][SMALL]. Each thread copies four
    //            numbers of each: the tiles are four times as large as in lab 06.
    //         c) float sum[4][4] = {} holds the thread's numbers of C. For each k, add to each of
    //            them a product of a number of a_tile and one of b_tile.
    //         All loops over the 4 x 4 numbers need fixed bounds. Then the compiler unrolls them, keeps
    //         `sum` in registers, and loads each of the 4 + 4 numbers once.
    make_by_tiles<SMALL>(p);
}

// Rungs 2 and 3. Multiplies a tile of A by one of B: the thread's 8 x 8 numbers.
__device__ void multiply_tiles(float sum[8][8], const struct float_tiles *tiles)
{
    // TODO 2, first part: a thread makes four squares of 4 x 4 numbers. my_place() says where:
    //
    //                      columns x to x + 3      x + 32 to x + 35      of a block's piece
    //            rows y      xxxx                    xxxx
    //            to y + 3    xxxx                    xxxx                x: numbers of this
    //                                                                       thread
    //            rows y + 16 xxxx                    xxxx
    //            to y + 19   xxxx                    xxxx
    //
    //         For each k below STEP,
    //         a) load 8 numbers of tiles->a[k] into `alignas(16) float a[8]`: four begin at y, and
    //            four at y + 16. copy_4() loads four at once.
    //         b) Load 8 numbers of tiles->b[k] in the same way. They begin at x and at x + 32.
    //         c) Make 64 multiply-adds. `#pragma unroll` before the loop over k helps, too.
    //         Why at x + 32, and not at x + 4? Lane 1 has its x four columns beside that of lane 0, so
    //         8 lanes load 32 floats side by side, in one pass through shared memory.
}

// Rung 2. A block computes a piece of C with SIDE x SIDE elements.
__global__ void __launch_bounds__(THREADS, 2) vectors(struct product p)
{
    // TODO 2, second part: the block needs a pair of tiles, `__shared__ struct float_tiles tiles`.
    //         a) tiles.a has A's *columns* for rows, so that four numbers of a column lie side by side.
    //            A tile has 128 rows of 8 numbers, so two threads for each row: thread t loads four
    //            neighbours, columns t % 2 * 4 to t % 2 * 4 + 3 of row t / 2, by copy_4() into
    //            `alignas(16) float four[4]`. store_transposed() stores them in four rows of tiles.a.
    //         b) tiles.b has rows of B: 8 rows of 128 numbers, so 32 threads for each row. Here four
    //            neighbours stay neighbours.
    //         c) As in rung 1: wait, multiply_tiles(), wait. `alignas(16) float sum[8][8] = {}` holds
    //            the thread's numbers of C. After the loop, store_sums() stores them.
    make_by_tiles<SIDE>(p);
}

// Rung 3. A block computes a piece of C with SIDE x SIDE elements.
__global__ void __launch_bounds__(THREADS, 2) copies(struct product p)
{
    // TODO 3: in rung 2 all warps wait until their tiles have arrived. Let two pairs of tiles take turns:
    //         `__shared__ struct float_tiles pair[2]`. While the block multiplies one pair, the numbers
    //         of the next one are on their way:
    //
    //            first step    pair 0 is multiplied       pair 1 arrives
    //            second step   pair 0 arrives             pair 1 is multiplied
    //            third step    pair 0 is multiplied       pair 1 arrives
    //
    //         For B, __pipeline_memcpy_async(to, from, bytes) starts a copy of 4, 8 or 16 bytes from
    //         global to shared memory, and does not wait for it. __pipeline_commit() must follow.
    //         A must be transposed, so its numbers wait in registers. A warp does not wait at a load, but
    //         at the first instruction that uses the loaded number: load early, store late.
    //         a) Before the loop, fill the first pair: start the copy of B, load the thread's four
    //            numbers of A as in rung 2, and store them.
    //         b) In the loop, wait for your own copy: __pipeline_wait_prior(0). Then __syncthreads():
    //            now the numbers of all threads have arrived, and nobody reads the other pair any more.
    //         c) If there are more tiles, start the next copy of B into the other pair, and load the
    //            next four numbers of A.
    //         d) Multiply this pair. Then store the four numbers of A in the other pair.
    //         e) After the loop, store_sums().
    //         How many barriers does a step need? The grader counts the loads and copies that warps wait
    //         for: those that a warp needs before it has executed 200 other instructions. Some 800
    //         cycles pass until a number comes from global memory, and four warps take turns in them.
    make_by_tiles<SIDE>(p);
}

// Rung 4. A block computes a piece of C with SIDE x SIDE elements.
__global__ void __launch_bounds__(THREADS, 2) tensor(struct product p)
{
    // TODO 4: tensor cores multiply 16 x 16 halves by 16 x 16 halves, in one instruction of a warp. Begin
    //         with `using namespace nvcuda::wmma;`. A `fragment` is such a matrix, in registers.
    //         a) The loop is that of rung 3, with `__shared__ struct half_tiles pair[2]` and steps of
    //            DEEP. start_halves() is given. Nothing is transposed.
    //         b) A warp makes 64 x 32 numbers of the piece. Warp w, which has threads 32 w to
    //            32 w + 31, begins at row w / 4 * 64, column w % 4 * 32. It has 4 x 2 fragments of sums,
    //            fragment<accumulator, 16, 16, 16, float> sum[8]. fill_fragment() clears them.
    //         c) For k = 0 and 16, load 4 fragments of A and 2 of B:
    //            fragment<matrix_a, 16, 16, 16, __half, row_major> and the same with matrix_b.
    //            load_matrix_sync(fragment, first number, length of a row in shared memory). The
    //            fragments of A begin at rows y, y + 16, ... of the tile, those of B at columns x and
    //            x + 16, where y and x are the warp's place in the piece.
    //            Then mma_sync(sum, a, b, sum), 8 times.
    //         d) store_matrix_sync(first number of C, sum, p.width, mem_row_major) stores a fragment,
    //            because the rows of C are p.width numbers apart.
    make_by_tiles<SIDE>(p);
}

// Starts the kernel of one rung, with a block for each piece of C. Rung 4 first makes halves of the
// numbers. Each block has 256 threads.
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
