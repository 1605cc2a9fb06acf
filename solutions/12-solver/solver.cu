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
 * solver.h has struct job. In every rung, `job` is the system with its arrays on the GPU.
 *
 * This is the solution: make grade LAB=12-solver SUBMISSION=solutions/12-solver */
#include "solver.h"

#define THREADS 256 // threads of a block, in rungs 1 and 2
#define WARP    32
#define ALL     0xffffffffu // all lanes of a warp
#define TILE_X  32          // points of a block, in rungs 3 and 4
#define TILE_Y  8

// Rung 1: a warp makes an unknown. Its lanes read neighbouring numbers of the row.
__global__ void step_dense(struct job job, const float *x, float *next)
{
    int i = (blockIdx.x * blockDim.x + threadIdx.x) / WARP, lane = threadIdx.x % WARP;
    if (i >= job.n)
        return;
    float sum = 0;
    for (int j = lane; j < job.n; j += WARP)
        sum += job.matrix[i * job.n + j] * x[j];
    for (int off = WARP / 2; off > 0; off /= 2)
        sum += __shfl_down_sync(ALL, sum, off);
    if (lane == 0)
        next[i] = x[i] + (job.b[i] - sum) / job.matrix[i * job.n + i];
}

// Rung 2: a thread makes an unknown from the five numbers of its row that can differ from 0.
__global__ void step_diagonals(struct job job, const float *x, float *next)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= job.n)
        return;
    float others = 0;
    if (i >= 1)
        others += job.west[i] * x[i - 1];
    if (i + 1 < job.n)
        others += job.east[i] * x[i + 1];
    if (i >= job.width)
        others += job.north[i] * x[i - job.width];
    if (i + job.width < job.n)
        others += job.south[i] * x[i + job.width];
    next[i] = (job.b[i] - others) / job.center[i];
}

// Rungs 3 and 4: a block makes a tile of the grid, from a copy that is one point larger on each side.
__global__ void step_stencil(struct job job, const float *x, float *next)
{
    __shared__ float tile[TILE_Y + 2][TILE_X + 2];
    int tx = threadIdx.x + 1, column = blockIdx.x * TILE_X + threadIdx.x;
    int ty = threadIdx.y + 1, row = blockIdx.y * TILE_Y + threadIdx.y;
    tile[ty][tx] = at(job, x, row, column);
    if (tx == 1)
        tile[ty][0] = at(job, x, row, column - 1);
    if (tx == TILE_X)
        tile[ty][TILE_X + 1] = at(job, x, row, column + 1);
    if (ty == 1)
        tile[0][tx] = at(job, x, row - 1, column);
    if (ty == TILE_Y)
        tile[TILE_Y + 1][tx] = at(job, x, row + 1, column);
    __syncthreads();
    if (row >= job.height || column >= job.width)
        return;
    float others = tile[ty][tx - 1] + tile[ty][tx + 1] + tile[ty - 1][tx] + tile[ty + 1][tx];
    next[row * job.width + column] = (job.b[row * job.width + column] + others) / job.middle;
}

// Rung 4: makes *residual, which is 0 before, the largest |b - A x|.
__global__ void find_residual(struct job job, const float *x, float *residual)
{
    int column = blockIdx.x * TILE_X + threadIdx.x, row = blockIdx.y * TILE_Y + threadIdx.y;
    float mine = fabsf(lack_at(job, x, row, column));
    for (int off = WARP / 2; off > 0; off /= 2)
        mine = fmaxf(mine, __shfl_down_sync(ALL, mine, off));
    if (threadIdx.x == 0) // floats that are not negative have the order of their bits
        atomicMax((int *)residual, __float_as_int(mine));
}

static dim3 tiles(const struct job &job)
{
    return dim3((job.width + TILE_X - 1) / TILE_X, (job.height + TILE_Y - 1) / TILE_Y);
}

// Makes a step, and exchanges the two arrays.
static void make_step(const struct job &job, float **x, float **next)
{
    if (job.rung == DENSE)
        step_dense<<<(job.n * WARP + THREADS - 1) / THREADS, THREADS>>>(job, *x, *next);
    else if (job.rung == DIAGONALS)
        step_diagonals<<<(job.n + THREADS - 1) / THREADS, THREADS>>>(job, *x, *next);
    else
        step_stencil<<<tiles(job), dim3(TILE_X, TILE_Y)>>>(job, *x, *next);
    CHECK_CUDA(cudaGetLastError()); // did the kernel start?
    std::swap(*x, *next);
}

// Rung 4. RESIDUALS is on the GPU, and has room for MOST_LOOKS. Returns the number of steps.
static int converge(const struct job &job, float **x, float **next, float *residuals)
{
    float residual = INFINITY;
    int look = 0;
    for (; look < MOST_LOOKS && residual > job.tolerance; ++look) {
        for (int step = 0; step < job.every; ++step)
            make_step(job, x, next);
        find_residual<<<tiles(job), dim3(TILE_X, TILE_Y)>>>(job, *x, &residuals[look]);
        CHECK_CUDA(cudaGetLastError());
        CHECK_CUDA(cudaMemcpy(&residual, &residuals[look], sizeof(float), cudaMemcpyDeviceToHost));
    }
    return look * job.every;
}

int main(int argc, char **argv)
{
    struct lab lab = lab_open(argc, argv);
    struct job job = lab_job(&lab), on_gpu = upload_job(&job);
    float *x = new_vector(job.n), *next = new_vector(job.n), *residuals = new_vector(MOST_LOOKS);
    int steps = job.steps;

    while (lab_again(&lab)) {
        CHECK_CUDA(cudaMemset(x, 0, job.n * sizeof *x));
        CHECK_CUDA(cudaMemset(residuals, 0, MOST_LOOKS * sizeof *residuals));
        if (job.rung == CONVERGE)
            steps = converge(on_gpu, &x, &next, residuals);
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
