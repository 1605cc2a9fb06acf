/* Lab 06: a matrix product from tiles in shared memory.
 *
 * The job: C = A B in floats. A has `height` rows and `depth` columns, B has `depth` rows and
 * `width` columns. For 32 multiply-adds, a warp's loads touch this many sectors of 32 bytes:
 *
 *     rung 0  naive           5: 1 of A and 4 of B. Done: leave it as it is.
 *     rung 1  by_row          TODO 1: 4, all of B. A's row is in shared memory.
 *     rung 2  by_tile<false>  TODO 2: about 0.5. Tiles of A and B are in shared memory.
 *     rung 3  by_tile<true>   TODO 3: as rung 2, and the sums are right to their last bits.
 *
 * Any height and width are allowed, and any depth up to 12,288, not only multiples of 16.
 *
 * Try it:    make run LAB=06-tiled-matmul ARGS='rung=2 height=20'
 * Grade it:  make grade LAB=06-tiled-matmul */
#include "lab.h"

#define TILE 16

struct product {
    const float *a, *b;
    float *c;
    int height, width, depth;
};

// Returns row y, column x of a matrix, for TODO 2a.
__device__ float at(const float *matrix, int height, int width, int y, int x)
{
    // TODO 2c: a tile may stick out of its matrix. Return 0 where y or x is outside.
    return matrix[y * width + x];
}

// Rung 0. Every thread fetches all its numbers, though its neighbours fetch nearly the same ones.
__global__ void naive(struct product p)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= p.width || y >= p.height)
        return;
    float sum = 0;
    for (int i = 0; i < p.depth; ++i)
        sum += p.a[y * p.depth + i] * p.b[i * p.width + x];
    p.c[y * p.width + x] = sum;
}

// Rung 1. A block computes one row of C. Thread t computes columns t, t + blockDim.x, ...
__global__ void by_row(struct product p)
{
    int y = blockIdx.x;
    // TODO 1a: the block fetches row y of A again for every column. Let its threads copy the row
    //          into `extern __shared__ float row[];` (thread t the numbers t, t + blockDim.x, ...)
    //          and wait for each other. Below, take row[i]. TODO 1b is in multiply().
    for (int x = threadIdx.x; x < p.width; x += blockDim.x) {
        float sum = 0;
        for (int i = 0; i < p.depth; ++i)
            sum += p.a[y * p.depth + i] * p.b[i * p.width + x];
        p.c[y * p.width + x] = sum;
    }
}

// Rung 3. Adds `number` to *sum. *excess is 0 at first and keeps its value from call to call.
__device__ void add_exactly(float *sum, float *excess, float number)
{
    // TODO 3: a float has 24 bits, so the new sum is rounded: it has grown by a little more or less
    //         than `number`, and each call forgets that error. Keep it in *excess:
    //         (new sum - old sum) - what you added. Subtract it from the next number before adding.
    *sum += number;
}

// Rungs 2 and 3. A block computes 16 x 16 elements of C, each thread one of them.
template <bool exact> __global__ void by_tile(struct product p)
{
    int tx = threadIdx.x, x = blockIdx.x * TILE + tx;
    int ty = threadIdx.y, y = blockIdx.y * TILE + ty;
    float sum = 0, excess = 0;
    for (int first = 0; first < p.depth; first += TILE) {
        // TODO 2a: 16 threads of the block fetch every number of A and B. With at(), let each fetch
        //          one of A, row y, column first + tx, and one of B, row first + ty, column x, into
        //          [ty][tx] of `__shared__ float a_tile[TILE][TILE], b_tile[TILE][TILE];`.
        // TODO 2b: add up a_tile[ty][i] * b_tile[i][tx] for i < TILE. The block waits twice: before
        //          it reads what others write, and before it overwrites what others read. Threads
        //          outside of C fetch and wait like all others: put no `if` around this.
        if (x < p.width && y < p.height)
            for (int i = first; i < min(first + TILE, p.depth); ++i) {
                float number = p.a[y * p.depth + i] * p.b[i * p.width + x];
                if (exact)
                    add_exactly(&sum, &excess, number);
                else
                    sum += number;
            }
    }
    if (x < p.width && y < p.height)
        p.c[y * p.width + x] = sum;
}

// Starts the kernel of one rung.
static void multiply(int rung, struct product p)
{
    dim3 tiles((p.width + TILE - 1) / TILE, (p.height + TILE - 1) / TILE);
    size_t bytes = 0; // TODO 1b: shared memory for p.depth floats, for a block of by_row.
    if (rung == 0)
        naive<<<dim3((p.width + 31) / 32, (p.height + 7) / 8), dim3(32, 8)>>>(p);
    else if (rung == 1)
        by_row<<<p.height, 256, bytes>>>(p);
    else if (rung == 2)
        by_tile<false><<<tiles, dim3(TILE, TILE)>>>(p);
    else
        by_tile<true><<<tiles, dim3(TILE, TILE)>>>(p);
}

// Does the same job on the CPU, in double, and returns the largest error of C.
static double largest_error(struct product p, const float *a, const float *b, const float *c)
{
    double largest = 0;
    for (int k = 0; k < p.height * p.width; ++k) {
        double error = c[k];
        for (int i = 0; i < p.depth; ++i)
            error -= (double)a[k / p.width * p.depth + i] * b[i * p.width + k % p.width];
        largest = fabs(error) > largest || isnan(error) ? fabs(error) : largest;
    }
    return largest;
}

int main(int argc, char **argv)
{
    struct lab lab = lab_open(argc, argv);
    int rung = lab_int(&lab, "rung", 2), depth = lab_int(&lab, "depth", 90);
    int height = lab_int(&lab, "height", 100), width = lab_int(&lab, "width", 70);
    const float *a = lab_matrix(&lab, "a", height, depth);
    const float *b = lab_matrix(&lab, "b", depth, width);
    float *c = (float *)malloc((size_t)height * width * sizeof *c);
    float *a_on_gpu, *b_on_gpu, *c_on_gpu;
    CHECK_CUDA(cudaMalloc(&a_on_gpu, height * depth * sizeof *a));
    CHECK_CUDA(cudaMalloc(&b_on_gpu, depth * width * sizeof *b));
    CHECK_CUDA(cudaMalloc(&c_on_gpu, height * width * sizeof *c));
    CHECK_CUDA(cudaMemcpy(a_on_gpu, a, height * depth * sizeof *a, cudaMemcpyHostToDevice));
    CHECK_CUDA(cudaMemcpy(b_on_gpu, b, depth * width * sizeof *b, cudaMemcpyHostToDevice));
    struct product p = {a_on_gpu, b_on_gpu, c_on_gpu, height, width, depth};
    while (lab_again(&lab)) {
        multiply(rung, p);
        CHECK_CUDA(cudaGetLastError()); // did the kernel start?
    }
    CHECK_CUDA(cudaMemcpy(c, p.c, height * width * sizeof *c, cudaMemcpyDeviceToHost));
    lab_result(&lab, "c", LAB_FLOAT, c, height * width);
    if (lab_by_hand(&lab))
        printf("CPU: the largest error is %g\n", largest_error(p, a, b, c));
    CHECK_CUDA(cudaFree(a_on_gpu));
    CHECK_CUDA(cudaFree(b_on_gpu));
    CHECK_CUDA(cudaFree(c_on_gpu));
    return lab_close(&lab);
}
