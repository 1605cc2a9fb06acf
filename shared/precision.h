/* precision.h: the input of lab 13, and the errors of its results in ulp.
 *
 *     struct job job = lab_job(&lab);                  // numbers from the grader, or made up
 *     const float *data = upload(job.data, n);         // on the GPU; NULL stays NULL
 *     largest_error(&job, result, count)               // compares with the CPU, which uses double
 */
#ifndef PRECISION_H
#define PRECISION_H

#include <cuda_fp16.h>
#include <float.h>

#include "lab.h"

enum { SUMS = 1, PRODUCTS, HALVES, WAVES, GROWTH }; /* rungs */

/* The input, in the CPU's memory. Arrays that a rung does not need are NULL. */
struct job {
    int rung, rows, width, capacity, ratio;
    const float *data, *weights;
    const __half *halves;
};

/* Returns result I as the CPU computes it, in double. */
static inline double exact(const struct job *job, int i)
{
    double sum = 0;
    if (job->rung == WAVES)
        return 2 + sin(6.283185307179586 * (job->data[i] - rint(job->data[i])));
    if (job->rung == GROWTH)
        return job->capacity / (1 + job->ratio * exp(-(double)job->data[i]));
    for (int k = i * job->width; k < (i + 1) * job->width; ++k)
        if (job->rung == HALVES)
            sum += __half2float(job->halves[k]);
        else
            sum += (double)job->data[k] * (job->rung == PRODUCTS ? job->weights[k] : 1);
    return sum;
}

/* Returns the largest error of COUNT results, in ulp of a float. Returns NaN if a result is
 * infinite or NaN. */
static inline double largest_error(const struct job *job, const float *result, int count)
{
    double worst = 0;
    for (int i = 0; i < count; ++i) {
        double want = exact(job, i), size = fabs(want);
        double ulp = ldexp(1, size < FLT_MIN ? -149 : ilogb(size) - 23);
        double error = fabs(result[i] - want) / ulp;
        worst = error <= worst ? worst : error;
    }
    return worst;
}

/* Gets the numbers of the case. By hand, makes numbers from -1 to 1, or from -86 to 86 for rungs 3
 * to 5. */
static inline void get_numbers(struct lab *lab, struct job *job)
{
    int n = job->rows * job->width;
    if (job->rung == HALVES && !lab_by_hand(lab)) {
        job->halves = (const __half *)lab_ints(lab, "halves", n / 2);
        return;
    }
    job->data = lab_matrix(lab, "data", job->rows, job->width);
    if (job->rung == PRODUCTS)
        job->weights = lab_matrix(lab, "weights", job->rows, job->width);
    if (job->rung < HALVES || !lab_by_hand(lab))
        return;
    float *values = (float *)malloc(((size_t)n + 1) * sizeof *values);
    __half *halves = (__half *)malloc(((size_t)n + 1) * sizeof *halves);
    for (int i = 0; i < n; ++i) {
        values[i] = 86 * job->data[i];
        halves[i] = __float2half(values[i]);
    }
    job->data = values;
    job->halves = halves;
}

static inline struct job lab_job(struct lab *lab)
{
    struct job job = {};
    job.rung = lab_int(lab, "rung", SUMS);
    job.rows = lab_int(lab, "rows", 8);
    job.width = lab_int(lab, "width", 1000);
    job.capacity = lab_int(lab, "capacity", 1000);
    job.ratio = lab_int(lab, "ratio", 50);
    if (job.rung < SUMS || job.rung > GROWTH)
        lab_fail("rung must be from 1 to 5", NULL);
    if (job.rung == HALVES && job.width % 2)
        lab_fail("rung 3 needs an even width, because each load fetches two halves", NULL);
    get_numbers(lab, &job);
    return job;
}

/* Copies COUNT values to the GPU. NULL stays NULL. */
template <typename T> static inline T *upload(const T *values, size_t count)
{
    T *on_gpu = NULL;
    if (!values)
        return NULL;
    CHECK_CUDA(cudaMalloc(&on_gpu, count * sizeof(T)));
    CHECK_CUDA(cudaMemcpy(on_gpu, values, count * sizeof(T), cudaMemcpyHostToDevice));
    return on_gpu;
}

#endif
