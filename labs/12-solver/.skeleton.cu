/* Lab 12: solve a linear system, A x = b, by Jacobi's method.
 *
 * A step makes a better x from the x before. Equation i says what x[i] must be if all other unknowns
 * were right already, so that is the new x[i]:
 *
 *     next[i] = x[i] + (b[i] - the sum of A[i][j] * x[j] over all j) / A[i][i]
 *
 * The first x is 0. All of `next` comes from the x before, so a step needs two arrays.
 *
 *     rung 1  A has n rows of n numbers
 *     rung 2  A is 0 but for five diagonals; the unknowns are the points of a grid
 *     rung 3  as rung 2, and all rows have the same numbers: `middle` on the diagonal, and -1 for each
 *             neighbour
 *     rung 4  as rung 3, until the residual, the largest |b - A x|, is at most `tolerance`. It is
 *             looked at after each `every` steps, and all these residuals are handed in.
 *
 * solver.h has struct job. In every rung, `job` is the system with its arrays on the GPU. The program
 * is right, but it moves far more data than it must. By hand, it prints the largest error.
 *
 * Your job:    TODO 1 to 4, one for each rung
 * Try it:      make run LAB=12-solver ARGS='rung=3 width=100 height=50 steps=10'
 * Grade it:    make grade LAB=12-solver */
#include "solver.h"

#define THREADS 256 // of a block, in rungs 1 and 2
#define WARP    32
#define ALL     0xffffffffu // all lanes of a warp
#define TILE_X  32          // points of a block, in rungs 3 and 4
#define TILE_Y  8

// Rung 1: a thread makes an unknown.
// TODO 1: neighbouring threads read numbers of A that are n apart: 32 sectors for each load of a warp.
//         Let a warp make an unknown. Its lanes read neighbouring numbers of one row: lane l takes
//         j = l, l + 32, l + 64, ... Then they add up what they have, by __shfl_down_sync(ALL, ...)
//         as in lab 04, and lane 0 stores. make_step() must launch 32 times as many threads.
__global__ void step_dense(struct job job, const float *x, float *next)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= job.n)
        return;
    float sum = 0;
    for (int j = 0; j < job.n; ++j)
        sum += job.matrix[i * job.n + j] * x[j];
    next[i] = x[i] + (job.b[i] - sum) / job.matrix[i * job.n + i];
}

// Rung 2: writes the five diagonals into a matrix of n rows, which is 0 before.
// TODO 2: of n numbers in a row, at most five are not 0, but rung 1 reads them all. Write a kernel
//         that makes a step from job.center, job.west, job.east, job.north and job.south. A thread
//         makes an unknown:
//             next[i] = (b[i] - the other four numbers, each times its neighbour's x) / center[i]
//         The neighbours of unknown i are i - 1, i + 1, i - width and i + width. Read only those that
//         exist, from 0 to n - 1; at the edges of the grid, the number of A is 0 already. Launch the
//         kernel in make_step(). You need neither the matrix nor this kernel then.
__global__ void fill_matrix(struct job job, float *matrix)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= job.n)
        return;
    float *row = matrix + (size_t)i * job.n;
    if (i >= 1)
        row[i - 1] = job.west[i];
    if (i + 1 < job.n)
        row[i + 1] = job.east[i];
    if (i >= job.width)
        row[i - job.width] = job.north[i];
    if (i + job.width < job.n)
        row[i + job.width] = job.south[i];
    row[i] = job.center[i];
}

// x at a point of the grid; 0 outside of it.
__device__ float at(const struct job &job, const float *x, int row, int column)
{
    bool inside = row >= 0 && row < job.height && column >= 0 && column < job.width;
    return inside ? x[row * job.width + column] : 0;
}

// Rungs 3 and 4: a thread makes a point.
// TODO 3a: four threads read each x, from four places. Let a block copy its 32 x 8 points of x to shared
//          memory, and the halo around them, one point wide, which belongs to other blocks:
//              __shared__ float tile[TILE_Y + 2][TILE_X + 2];
//          Point (row, column) goes to tile[threadIdx.y + 1][threadIdx.x + 1]. Threads at the tile's
//          edges also copy the halo next to them; at() gives 0 outside of the grid. Who must wait for
//          whom? And who must take part although its own point is outside?
__global__ void step_stencil(struct job job, const float *x, float *next)
{
    int column = blockIdx.x * TILE_X + threadIdx.x, row = blockIdx.y * TILE_Y + threadIdx.y;
    if (row >= job.height || column >= job.width)
        return;
    float others = at(job, x, row, column - 1) + at(job, x, row, column + 1) +
                   at(job, x, row - 1, column) + at(job, x, row + 1, column);
    next[row * job.width + column] = (job.b[row * job.width + column] + others) / job.middle;
}

static dim3 tiles(const struct job &job)
{
    return dim3((job.width + TILE_X - 1) / TILE_X, (job.height + TILE_Y - 1) / TILE_Y);
}

// Makes a step from *x to *next.
// TODO 3b: this copies all of `next` back to x. Exchange the two pointers instead: *x and *next.
static void make_step(const struct job &job, float **x, float **next)
{
    if (job.rung == DENSE)
        step_dense<<<(job.n + THREADS - 1) / THREADS, THREADS>>>(job, *x, *next);
    else if (job.rung == DIAGONALS)
        step_dense<<<(job.n + THREADS - 1) / THREADS, THREADS>>>(job, *x, *next);
    else
        step_stencil<<<tiles(job), dim3(TILE_X, TILE_Y)>>>(job, *x, *next);
    CHECK_CUDA(cudaGetLastError()); // did the kernel start?
    CHECK_CUDA(cudaMemcpy(*x, *next, job.n * sizeof **x, cudaMemcpyDeviceToDevice));
}

// Rung 4. RESIDUALS is on the GPU, has room for MOST_LOOKS, and is 0 at first. Returns the number of steps.
// TODO 4: after each step, all of x goes to the CPU, which waits for it and finds the residual. Write a
//         kernel that makes residuals[look] the largest |b - A x|. The lanes of a warp find their
//         largest number by shuffles and fmaxf(). Then one lane does
//             atomicMax((int *)residual, __float_as_int(mine))
//         because floats that are not negative have the order of their bits. Launch it after the loop
//         over the steps, and copy only that one number to the CPU.
static int converge(const struct job &on_cpu, const struct job &job, float **x, float **next,
                    float *residuals)
{
    float residual = INFINITY, *copy = (float *)malloc(job.n * sizeof *copy);
    int look = 0;
    for (; look < MOST_LOOKS && residual > job.tolerance; ++look) {
        for (int step = 0; step < job.every; ++step) {
            make_step(job, x, next);
            CHECK_CUDA(cudaMemcpy(copy, *x, job.n * sizeof *copy, cudaMemcpyDeviceToHost));
            residual = largest_residual(&on_cpu, copy);
        }
        CHECK_CUDA(
            cudaMemcpy(&residuals[look], &residual, sizeof residual, cudaMemcpyHostToDevice));
    }
    free(copy);
    return look * job.every;
}

int main(int argc, char **argv)
{
    struct lab lab = lab_open(argc, argv);
    struct job job = lab_job(&lab), on_gpu = upload_job(&job);
    size_t bytes = job.n * sizeof(float);
    float *x = (float *)malloc(bytes), residuals[MOST_LOOKS], *x_on_gpu, *next, *residuals_on_gpu;
    int steps = job.steps;
    CHECK_CUDA(cudaMalloc(&x_on_gpu, bytes));
    CHECK_CUDA(cudaMalloc(&next, bytes));
    CHECK_CUDA(cudaMalloc(&residuals_on_gpu, sizeof residuals));
    if (job.rung == DIAGONALS) { // rung 2 does not need this after TODO 2
        float *matrix;
        CHECK_CUDA(cudaMalloc(&matrix, (size_t)job.n * bytes));
        CHECK_CUDA(cudaMemset(matrix, 0, (size_t)job.n * bytes));
        fill_matrix<<<(job.n + THREADS - 1) / THREADS, THREADS>>>(on_gpu, matrix);
        CHECK_CUDA(cudaGetLastError());
        on_gpu.matrix = matrix;
    }

    while (lab_again(&lab)) {
        CHECK_CUDA(cudaMemset(x_on_gpu, 0, bytes));
        CHECK_CUDA(cudaMemset(residuals_on_gpu, 0, sizeof residuals));
        if (job.rung == CONVERGE)
            steps = converge(job, on_gpu, &x_on_gpu, &next, residuals_on_gpu);
        for (int step = 0; step < steps && job.rung != CONVERGE; ++step)
            make_step(on_gpu, &x_on_gpu, &next);
    }

    CHECK_CUDA(cudaMemcpy(x, x_on_gpu, bytes, cudaMemcpyDeviceToHost));
    lab_result(&lab, "x", LAB_FLOAT, x, job.n);
    if (job.rung == CONVERGE) {
        CHECK_CUDA(
            cudaMemcpy(residuals, residuals_on_gpu, sizeof residuals, cudaMemcpyDeviceToHost));
        lab_result(&lab, "residuals", LAB_FLOAT, residuals, MOST_LOOKS);
    }
    if (lab_by_hand(&lab))
        printf("after %d steps, the largest error is %g\n", steps, largest_error(&job, steps, x));

    free_job(&on_gpu);
    CHECK_CUDA(cudaFree(x_on_gpu));
    CHECK_CUDA(cudaFree(next));
    CHECK_CUDA(cudaFree(residuals_on_gpu));
    free(x);
    return lab_close(&lab);
}
