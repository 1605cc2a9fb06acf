/* Inputs and right answers of jobs that several labs have. */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "checks/check.h"

/* --- a sum ------------------------------------------------------------------------------------ */

struct case_data *check_sum_case(struct check *check, const char *name, int rung,
                                 struct check_sum_job job, int *sum)
{
    /* The sum must fit into an int, but be so large that a sum in a float, which has 24 bits, is
     * wrong. So most numbers are positive, and as large as possible. */
    int largest = INT_MAX / (job.n + 1);
    const int *data = check_random_ints(check, (size_t)job.n, -largest / 2, largest);
    struct case_data *input =
        check_case(check, "%sn = %s, %s of %s", name, check_number(job.n),
                   check_count(job.blocks, "block"), check_count(job.threads, "thread"));
    check_add_ints(input, {"rung", rung}, {"blocks", job.blocks}, {"threads", job.threads},
                   {"n", job.n});
    case_add(input, "data", CASE_INT, data, (size_t)job.n);
    *sum = 0;
    for (int i = 0; i < job.n; ++i)
        *sum += data[i];
    return input;
}

const struct run *check_sum_run(struct check *check, const char *name, int rung,
                                struct check_sum_job job)
{
    int sum;
    const struct run *run = check_run(check, check_sum_case(check, name, rung, job, &sum));
    check_equal_int(check, run, "sum", sum);
    check_comes_from(check, run, "sum", (uint64_t)job.n * sizeof(int));
    check_launched(check, run, 0, job.blocks, job.threads);
    return run;
}

/* --- a sum of squares ------------------------------------------------------------------------- */

struct case_data *check_squares_case(struct check *check, const char *name, int rung, int n,
                                     uint64_t *sum)
{
    /* these squares do not fit into an int, but 2^24 of them fit into 64 bits */
    const int largest = 100000, *data = check_random_ints(check, (size_t)n, -largest, largest);
    struct case_data *input = check_case(check, "%sn = %s", name, check_number(n));
    check_add_ints(input, {"rung", rung}, {"n", n});
    case_add(input, "data", CASE_INT, data, (size_t)n);
    *sum = 0;
    for (int i = 0; i < n; ++i)
        *sum += (uint64_t)((int64_t)data[i] * data[i]);
    return input;
}

const struct run *check_squares_run(struct check *check, const char *name, int rung, int n)
{
    uint64_t sum;
    const struct run *run = check_run(check, check_squares_case(check, name, rung, n, &sum));
    check_equal_u64(check, run, "sum", sum);
    check_comes_from(check, run, "sum", (uint64_t)n * sizeof(int));
    return run;
}

/* --- a matrix product ------------------------------------------------------------------------- */

/* Sets VALUES to row Y of the product of INPUT's A and B. If SIZES is not NULL, sets it to the sums
 * of the |products|. */
static void add_up_row(const struct case_data *input, int y, double *values, double *sizes)
{
    const float *a = case_floats(input, "a"), *b = case_floats(input, "b");
    int width = case_int(input, "width"), depth = case_int(input, "depth");
    for (int i = 0; i < depth; ++i)
        for (int x = 0; x < width; ++x) {
            double product = (double)a[y * depth + i] * (double)b[i * width + x];
            values[x] += product;
            if (sizes)
                sizes[x] += fabs(product);
        }
}

static void make_row(const struct case_data *input, int y, double *values)
{
    memset(values, 0, (size_t)case_int(input, "width") * sizeof *values);
    add_up_row(input, y, values, NULL);
}

/* Checks the result "c" of RUN. */
static void judge(struct check *check, const struct run *run, const struct case_data *input,
                  double units, const struct check_guess *guesses)
{
    int height = case_int(input, "height"), width = case_int(input, "width");
    size_t count = (size_t)height * (size_t)width;
    double *values = check_memory(check, count, sizeof *values);
    double *bounds = check_memory(check, count, sizeof *bounds);
    for (int y = 0; y < height; ++y)
        add_up_row(input, y, values + y * width, bounds + y * width);
    for (size_t i = 0; i < count; ++i)
        bounds[i] *= units * 0x1p-24;
    check_within(
        check, run, "c",
        &(struct check_matrix){height, width, values, bounds, make_row, .guesses = guesses});
}

const struct run *check_product_run(struct check *check, struct check_product job, const float *a,
                                    const float *b, double units, const struct check_guess *guesses)
{
    size_t a_count = (size_t)job.height * (size_t)job.depth;
    size_t b_count = (size_t)job.depth * (size_t)job.width;
    struct case_data *input =
        check_case(check, "rung %d, height %s, width %s, depth %s", job.rung,
                   check_number(job.height), check_number(job.width), check_number(job.depth));
    check_add_ints(input, {"rung", job.rung}, {"height", job.height}, {"width", job.width},
                   {"depth", job.depth});
    case_add(input, "a", CASE_FLOAT, a, a_count);
    case_add(input, "b", CASE_FLOAT, b, b_count);
    const struct run *run = check_run(check, input);
    judge(check, run, input, units, guesses);
    check_comes_from(check, run, "c", (a_count + b_count) * sizeof(float));
    return run;
}
