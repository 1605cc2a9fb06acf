/* Lab 12: solve a linear system, A x = b, by Jacobi's method.
 *
 * A step makes a better x from the x before. Equation i says what x[i] must be if all other unknowns
 * were right already. A step makes this value the new x[i]:
 *
 *     next[i] = x[i] + (b[i] - the sum of A[i][j] * x[j] over all j) / A[i][i]
 *
 * The first x is 0. All of `next` comes from the x before, so a step needs two arrays.
 *
 *     rung 1  A has n rows of n numbers
 *     rung 2  A is 0 except on five diagonals; the unknowns are the points of a grid
 *     rung 3  as rung 2, and all rows have the same numbers: `middle` on the diagonal, and -1 for
 *             each neighbour
 *     rung 4  as rung 3, until the residual, the largest |b - A x|, is at most `tolerance`. The
 *             program finds the residual after each `every` steps, and hands in all residuals.
 *
 * solver.h has struct job. In every rung, `job` is the system with its arrays on the GPU. The program
 * is right, but it moves far more data than it must. By hand, it prints the largest error.
 *
 * Your job:    TODO 1 to 4, one for each rung
 * Try it:      make run LAB=12-solver ARGS='rung=3 width=100 height=50 steps=10'
 * Grade it:    make grade LAB=12-solver */
#include "solver.h"

#define THREADS 256 // threads of a block, in rungs 1 and 2
#define WARP    32
#define ALL     0xffffffffu // all lanes of a warp
#define TILE_X  32          // points of a block, in rungs 3 and 4
#define TILE_Y  8

// Rung 1: a thread makes an unknown.
// TODO 1: neighbouring threads read numbers of A that are n apart: 32 sectors for a load of a warp.
//         Let a warp make an unknown. Its lanes read neighbouring numbers of one row: lane l takes
//         j = l, l + 32, l + 64, ... Then they add up what they have, by __shfl_down_sync(ALL, ...)
//         as in lab 04, and lane 0 stores. make_step() must launch 32 times as many threads, also
//         in rung 2, which uses this kernel until TODO 2 is done.
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

// Rung 2 has no kernel yet: main() makes a matrix of n rows from the five diagonals.
// TODO 2: of n numbers in a row, at most five are not 0, but rung 1 reads them all. Write a kernel
//         that makes a step from job.center, job.west, job.east, job.north and job.south, and launch
//         it in make_step(). A thread makes an unknown:
//             next[i] = (b[i] - the other four numbers, each times its neighbour's x) / center[i]
//         The neighbours of unknown i are i - 1, i + 1, i - width and i + width. Read only those that
//         exist, from 0 to n - 1; at the edges of the grid, the number of A is 0 already. In the
//         end, nobody needs the matrix: delete the two lines of main() that make it.

// Rungs 3 and 4: a thread makes a point.
// TODO 3a: four threads read each x, from four places. Let a block copy its 32 x 8 points of x to
//          shared memory, and the halo around them, one point wide, which belongs to other blocks:
//              __shared__ float tile[TILE_Y + 2][TILE_X + 2];
//          Point (row, column) goes to tile[threadIdx.y + 1][threadIdx.x + 1]. Threads at the tile's
//          edges also copy the halo next to them; at() gives 0 outside of the grid. Which threads must
//          wait for which? Which threads must take part although their own point is outside?
__global__ void step_stencil(struct job job, const float *x, float *next)
{
    int column = blockIdx.x * TILE_X + threadIdx.x, row = blockIdx.y * TILE_Y + threadIdx.y;
    if (row >= job.height || column >= job.width)
        return;
    float others = at(job, x, row, column - 1) + at(job, x, row, column + 1) +
                   at(job, x, row - 1, column) + at(job, x, row + 1, column);
    next[row * job.width + column] = (job.b[row * job.width + column] + others) / job.middle;
}

// Rung 4: stores the largest |b - A x| in *residual, which is 0 before. No code launches it yet.
// TODO 4a: lack_at() is b - A x at a point, and 0 outside of the grid. Find the largest `mine` of the
//          warp by shuffles and fmaxf(). Then one lane does
//              atomicMax((int *)residual, __float_as_int(mine))
//          because floats that are not negative have the order of their bits.
__global__ void find_residual(struct job job, const float *x, float *residual)
{
    int column = blockIdx.x * TILE_X + threadIdx.x, row = blockIdx.y * TILE_Y + threadIdx.y;
    float mine = fabsf(lack_at(job, x, row, column));
    *residual = mine;
}

static dim3 tiles(const struct job &job)
{
    return dim3((job.width + TILE_X - 1) / TILE_X, (job.height + TILE_Y - 1) / TILE_Y);
}

// Makes a step from *x to *next.
// TODO 3b: this copies all of `next` back to x. Exchange the pointers instead: std::swap(*x, *next).
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

// Rung 4. RESIDUALS, on the GPU, is 0 and has room for MOST_LOOKS. Returns the number of steps.
// TODO 4b: after each step, all of x goes to the CPU, which waits for it and finds the residual.
//          Launch find_residual() for residuals[look], after the loop over the steps, and copy only
//          that number to the CPU, into `residual`.
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
        CHECK_CUDA(cudaMemcpy(&residuals[look], &residual, sizeof(float), cudaMemcpyHostToDevice));
    }
    free(copy);
    return look * job.every;
}

int main(int argc, char **argv)
{
    struct lab lab = lab_open(argc, argv);
    struct job job = lab_job(&lab), on_gpu = upload_job(&job);
    float *x = new_vector(job.n), *next = new_vector(job.n), *residuals = new_vector(MOST_LOOKS);
    int steps = job.steps;
    if (job.rung == DIAGONALS)
        on_gpu.matrix = matrix_of(&on_gpu); // TODO 2

    while (lab_again(&lab)) {
        CHECK_CUDA(cudaMemset(x, 0, job.n * sizeof *x));
        CHECK_CUDA(cudaMemset(residuals, 0, MOST_LOOKS * sizeof *residuals));
        if (job.rung == CONVERGE)
            steps = converge(job, on_gpu, &x, &next, residuals);
        else
            for (int step = 0; step < steps; ++step)
                make_step(on_gpu, &x, &next);
    }

    hand_in(&lab, &job, steps, x, residuals);
    free_job(&on_gpu);
    for (float *vector : {x, next, residuals})
        CHECK_CUDA(cudaFree(vector));
    return lab_close(&lab);
}
