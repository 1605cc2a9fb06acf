/* solver.h: the systems of equations of lab 12, A x = b, and the error of their results.
 *
 *     struct job job = lab_job(&lab);           // a system from the grader, or one that is made up
 *     struct job on_gpu = upload_job(&job);     // the same, with copies of its arrays on the GPU
 *     float *x = new_vector(job.n);             // on the GPU
 *     at(job, x, row, column)                   // in a kernel: x at a point, or 0 outside of the grid
 *     lack_at(job, x, row, column)              // in a kernel: b - A x at a point, or 0 outside
 *     hand_in(&lab, &job, steps, x, residuals); // by hand, also prints the error
 *
 * The unknowns of rungs 2 to 4 are points of a grid: number row * width + column. Each equation has
 * a point and its neighbours in the west and east (column - 1 and + 1), north and south (row - 1
 * and + 1). */
#ifndef SOLVER_H
#define SOLVER_H

#include <utility>

#include "lab.h"

enum { DENSE = 1, DIAGONALS, STENCIL, CONVERGE }; /* rungs */

#define MOST_LOOKS 100 /* maximum number of times that rung 4 computes the residual */

/* A system of equations. Members that a rung does not need are NULL or 0. */
struct job {
    int rung, width, height, n; /* n = width * height */
    int steps;                  /* rungs 1 to 3 */
    int every;                  /* rung 4: number of steps before the residual is computed again */
    float tolerance;            /* rung 4 ends when the residual is at most this */
    const float *b;
    const float *matrix; /* rung 1: n rows of n numbers */
    /* Rung 2: the numbers of A that are not 0. west[i] belongs to unknown i - 1, and so on; it is 0
     * where the grid has no such point. center[i] is on the diagonal. */
    const float *center, *west, *east, *north, *south;
    float middle; /* rungs 3 and 4: each number on the diagonal of A; the other numbers are -1 */
};

/* Returns A[I][J] on the CPU: the coefficient of unknown J in equation I. J is -1 if the neighbour
 * does not exist. */
static inline double solver_factor(const struct job *job, int i, int j)
{
    if (job->rung == DENSE)
        return job->matrix[(size_t)i * job->n + j];
    if (job->rung >= STENCIL)
        return i == j ? job->middle : -1;
    return i == j                ? job->center[i]
           : j == i - job->width ? job->north[i]
           : j == i + job->width ? job->south[i]
           : j == i - 1          ? job->west[i]
                                 : job->east[i];
}

/* Returns b - A x for equation I. X is in double. */
static inline double solver_lack(const struct job *job, int i, const double *x)
{
    int column = i % job->width, row = i / job->width;
    double lack = job->b[i];
    for (int j = 0; j < job->n && job->rung == DENSE; ++j)
        lack -= solver_factor(job, i, j) * x[j];
    if (job->rung == DENSE)
        return lack;
    lack -= solver_factor(job, i, i) * x[i];
    if (column > 0)
        lack -= solver_factor(job, i, i - 1) * x[i - 1];
    if (column < job->width - 1)
        lack -= solver_factor(job, i, i + 1) * x[i + 1];
    if (row > 0)
        lack -= solver_factor(job, i, i - job->width) * x[i - job->width];
    if (row < job->height - 1)
        lack -= solver_factor(job, i, i + job->width) * x[i + job->width];
    return lack;
}

/* Returns the largest residual of X, computed on the CPU in double. */
static inline double largest_residual(const struct job *job, const float *x)
{
    double *wide = (double *)malloc(job->n * sizeof *wide), largest = 0;
    for (int i = 0; i < job->n; ++i)
        wide[i] = x[i];
    for (int i = 0; i < job->n; ++i) {
        double lack = fabs(solver_lack(job, i, wide));
        largest = lack <= largest ? largest : lack; /* NaN stays */
    }
    free(wide);
    return largest;
}

/* Returns the largest difference between X and the numbers that the CPU computes in STEPS steps. */
static inline double largest_error(const struct job *job, int steps, const float *x)
{
    double *was = (double *)calloc(2 * (size_t)job->n, sizeof *was), *now = was + job->n;
    double largest = 0, *both = was;
    for (int step = 0; step < steps; ++step) {
        for (int i = 0; i < job->n; ++i)
            now[i] = was[i] + solver_lack(job, i, was) / solver_factor(job, i, i);
        double *swapped = was;
        was = now;
        now = swapped;
    }
    for (int i = 0; i < job->n; ++i) {
        double error = fabs(x[i] - was[i]);
        largest = error <= largest ? largest : error;
    }
    free(both);
    return largest;
}

/* For a run by hand: turns numbers from lab.h, which are from -1 to 1, into coefficients of a
 * system that Jacobi's method can solve. */
static inline const float *solver_factors(const float *numbers, int count, int every, float middle)
{
    float *factors = (float *)malloc(((size_t)count + 1) * sizeof *factors);
    for (int i = 0; i < count; ++i)
        factors[i] = every && i % every == 0 ? middle : -0.75f - numbers[i] / 4;
    return factors;
}

static inline const float *solver_get(struct lab *lab, const char *name, int rows, int width,
                                      int every, float middle)
{
    const float *numbers = lab_matrix(lab, name, rows, width);
    return lab_by_hand(lab) ? solver_factors(numbers, rows * width, every, middle) : numbers;
}

static inline void solver_get_diagonals(struct lab *lab, struct job *job)
{
    job->center = solver_get(lab, "center", 1, job->n, 1, 4.5f);
    job->west = solver_get(lab, "west", 1, job->n, job->width, 0);
    job->east = solver_get(lab, "east", 1, job->n, 0, 0);
    job->north = solver_get(lab, "north", 1, job->n, 0, 0);
    job->south = solver_get(lab, "south", 1, job->n, 0, 0);
    for (int i = 0; i < job->n && lab_by_hand(lab); ++i) {
        if (i % job->width == job->width - 1)
            ((float *)job->east)[i] = 0;
        if (i < job->width)
            ((float *)job->north)[i] = 0;
        if (i >= job->n - job->width)
            ((float *)job->south)[i] = 0;
    }
}

static inline struct job lab_job(struct lab *lab)
{
    struct job job = {};
    job.rung = lab_int(lab, "rung", DENSE);
    job.width = lab_int(lab, "width", 20);
    job.height = lab_int(lab, "height", 10);
    job.steps = lab_int(lab, "steps", 10);
    job.every = lab_int(lab, "every", 8);
    if (job.rung < DENSE || job.rung > CONVERGE)
        lab_fail("rung must be from 1 to 4", NULL);
    if (job.width < 1 || job.height < 1 || (long long)job.width * job.height > 1 << 24)
        lab_fail("width * height must be from 1 to 16,777,216", NULL);
    if (job.rung == CONVERGE && job.every < 1)
        lab_fail("`every` must be at least 1", NULL);
    job.n = job.width * job.height;
    job.b = solver_get(lab, "b", 1, job.n, 0, 0);
    if (job.rung == DENSE)
        job.matrix = solver_get(lab, "matrix", job.n, job.n, job.n + 1, job.n);
    if (job.rung == DIAGONALS)
        solver_get_diagonals(lab, &job);
    if (job.rung < STENCIL)
        return job;
    job.middle = lab_by_hand(lab) ? 4.25f : *lab_matrix(lab, "middle", 1, 1);
    job.tolerance = lab_by_hand(lab) ? 1e-3f : *lab_matrix(lab, "tolerance", 1, 1);
    return job;
}

/* Copies COUNT numbers to the GPU. NULL stays NULL. */
static inline const float *upload(const float *numbers, size_t count)
{
    float *on_gpu = NULL;
    if (!numbers)
        return NULL;
    CHECK_CUDA(cudaMalloc(&on_gpu, count * sizeof *numbers));
    CHECK_CUDA(cudaMemcpy(on_gpu, numbers, count * sizeof *numbers, cudaMemcpyHostToDevice));
    return on_gpu;
}

static inline struct job upload_job(const struct job *job)
{
    struct job on_gpu = *job;
    on_gpu.b = upload(job->b, job->n);
    on_gpu.matrix = upload(job->matrix, (size_t)job->n * job->n);
    on_gpu.center = upload(job->center, job->n);
    on_gpu.west = upload(job->west, job->n);
    on_gpu.east = upload(job->east, job->n);
    on_gpu.north = upload(job->north, job->n);
    on_gpu.south = upload(job->south, job->n);
    return on_gpu;
}

static inline void free_job(const struct job *on_gpu)
{
    const float *arrays[] = {on_gpu->b,    on_gpu->matrix, on_gpu->center, on_gpu->west,
                             on_gpu->east, on_gpu->north,  on_gpu->south};
    for (const float *array : arrays)
        CHECK_CUDA(cudaFree((void *)array));
}

static inline float *new_vector(size_t count)
{
    float *on_gpu;
    CHECK_CUDA(cudaMalloc(&on_gpu, count * sizeof *on_gpu));
    return on_gpu;
}

/* Returns x at a point of the grid, or 0 outside of it. */
static __device__ inline float at(const struct job &job, const float *x, int row, int column)
{
    bool inside = row >= 0 && row < job.height && column >= 0 && column < job.width;
    return inside ? x[row * job.width + column] : 0;
}

/* Returns b - A x at a point of the grid in rungs 3 and 4, or 0 outside of it. */
static __device__ inline float lack_at(const struct job &job, const float *x, int row, int column)
{
    if (row >= job.height || column >= job.width)
        return 0;
    int i = row * job.width + column;
    float others = at(job, x, row, column - 1) + at(job, x, row, column + 1) +
                   at(job, x, row - 1, column) + at(job, x, row + 1, column);
    return job.b[i] + others - job.middle * x[i];
}

/* Writes the five diagonals into a matrix of n rows, which must be all zeros before. */
static __global__ void fill_matrix(struct job job, float *matrix)
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

/* Returns a matrix of n rows of n numbers with the diagonals of ON_GPU. */
static inline const float *matrix_of(const struct job *on_gpu)
{
    size_t count = (size_t)on_gpu->n * on_gpu->n;
    float *matrix = new_vector(count);
    CHECK_CUDA(cudaMemset(matrix, 0, count * sizeof *matrix));
    fill_matrix<<<(on_gpu->n + 255) / 256, 256>>>(*on_gpu, matrix);
    CHECK_CUDA(cudaGetLastError());
    return matrix;
}

/* Hands in X and, in rung 4, RESIDUALS. Both are on the GPU. By hand, also prints the error. */
static inline void hand_in(struct lab *lab, const struct job *job, int steps, const float *x,
                           const float *residuals)
{
    size_t bytes = job->n * sizeof *x;
    float *copy = (float *)malloc(bytes), looks[MOST_LOOKS];
    CHECK_CUDA(cudaMemcpy(copy, x, bytes, cudaMemcpyDeviceToHost));
    lab_result(lab, "x", LAB_FLOAT, copy, job->n);
    if (job->rung == CONVERGE) {
        CHECK_CUDA(cudaMemcpy(looks, residuals, sizeof looks, cudaMemcpyDeviceToHost));
        lab_result(lab, "residuals", LAB_FLOAT, looks, MOST_LOOKS);
    }
    if (lab_by_hand(lab))
        printf("after %d steps, the largest error is %g\n", steps, largest_error(job, steps, copy));
    free(copy);
}

#endif
