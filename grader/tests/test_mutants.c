/* Wrong, slow and half-done submissions: each is a solution with a small edit, and must earn exactly
 * the points that it deserves, check by check. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

#include "tests/shell.h"
#include "tests/submission.h"

TestSuite(mutants, .init = shell_init, .fini = shell_fini, .timeout = 300);

#define MAX_CHECKS 4

struct mutant {
    const char *name;
    struct edit edits[SUBMISSION_EDITS];
    double points[MAX_CHECKS]; /* in the order of checks.c, to a tenth */
};

/* An edit that has a kernel of lab 01 launched with other arguments, or another kernel. */
#define BLOCK_LAUNCH "sum_one_block<<<1, 1024>>>"
#define GRID_LAUNCH  "sum_grid<<<256, 256>>>"
#define GRID_LOOP    "for (int i = me; i < n; i += all)"
#define BLOCK_LOOP   "for (int i = threadIdx.x; i < n; i += blockDim.x)"
#define SUM_BACK     "CHECK_CUDA(cudaMemcpy(&sum, sum_on_gpu, sizeof sum, cudaMemcpyDeviceToHost));"

static const struct mutant parallelize[] = {
    {"the solution", {}, {15, 15, 30, 40}},
    {"one thread under other names",
     {{BLOCK_LAUNCH, "sum_one_thread<<<1, 1>>>"}, {GRID_LAUNCH, "sum_one_thread<<<1, 1>>>"}},
     {15, 15, 0, 0}},
    {"a block of one warp", {{BLOCK_LAUNCH, "sum_one_block<<<1, 32>>>"}}, {15, 15, 28.3, 40}},
    {"a grid of one block", {{GRID_LAUNCH, "sum_grid<<<1, 1024>>>"}}, {15, 15, 30, 10.1}},
    {"a tail is missing: the grid leaves out the remainder",
     {{GRID_LOOP, "for (int i = me; i < n - n % all; i += all)"}},
     {15, 0, 30, 40}},
    {"a tail is missing: n divided by the number of threads",
     {{BLOCK_LOOP,
       "for (int k = 0, i = threadIdx.x; k < n / (int)blockDim.x; ++k, i += blockDim.x)"}},
     {15, 0, 30, 40}},
    {"reads one past the end", {{GRID_LOOP, "for (int i = me; i <= n; i += all)"}}, {0, 0, 30, 0}},
    {"leaves out the first number",
     {{GRID_LOOP, "for (int i = me + 1; i < n; i += all)"}},
     {0, 0, 30, 0}},
    {"counts the threads of the first block only",
     {{"int me = blockIdx.x * blockDim.x + threadIdx.x;", "int me = threadIdx.x;"}},
     {0, 0, 30, 0}},
    {"the square overflows an int",
     {{"(unsigned long long)((long long)value * value)", "(unsigned long long)(value * value)"}},
     {0, 0, 0, 0}},
    {"the sum is not reset before the kernel",
     {{"CHECK_CUDA(cudaMemset(sum_on_gpu, 0, sizeof sum));", ""}},
     {0, 0, 0, 0}},
    {"the answer is a constant", {{SUM_BACK, "sum = 0;"}}, {0, 0, 0, 0}},
    {"the answer comes from the CPU, and no kernel runs",
     {{"launch(rung, data_on_gpu, n, sum_on_gpu);", ""}, {SUM_BACK, "sum = sum_on_cpu(data, n);"}},
     {0, 0, 0, 0}},
    {"the answer comes from the CPU, and a kernel runs on nothing",
     {{"launch(rung, data_on_gpu, n, sum_on_gpu);", "launch(rung, data_on_gpu, 0, sum_on_gpu);"},
      {SUM_BACK, "sum = sum_on_cpu(data, n);"}},
     {0, 0, 0, 0}},
};

#define LOOP "for (int i = me; i < n; i += all)"

static const struct mutant coalesce[] = {
    {"one thread alone, whose reads cannot lie apart",
     {{"#define BLOCKS  32", "#define BLOCKS 1"}, {"#define THREADS 256", "#define THREADS 1"}},
     {15, 15, 0}},
    {"the solution", {}, {15, 15, 70}},
    {"chunks, as in the skeleton",
     {{LOOP, "int chunk = (n + all - 1) / all, end = min((me + 1) * chunk, n);\n"
             "    for (int i = me * chunk; i < end; ++i)"}},
     {15, 15, 0}},
    {"every second word: two passes",
     {{LOOP, "for (int k = 2 * me; k < 2 * n; k += 2 * all)"},
      {"mine += square(data[i]);", "{ int i = k < n ? k : k - n + 1 - n % 2; if (i < n) mine += "
                                   "square(data[i]); }"}},
     {15, 15, 60.4}},
    {"each warp reads backwards, which is as good",
     {{LOOP, "for (int i = me ^ 31; i < n; i += all)"}},
     {15, 15, 70}},
    {"launches nothing for nothing, which is right",
     {{"sum_of_squares<<<", "if (n > 0) sum_of_squares<<<"}},
     {15, 15, 70}},
    {"a tail is missing", {{LOOP, "for (int i = me; i < n - n % all; i += all)"}}, {15, 0, 70}},
    {"reads one past the end", {{LOOP, "for (int i = me; i <= n; i += all)"}}, {0, 0, 0}},
    {"the step is one block too short",
     {{LOOP, "for (int i = me; i < n; i += all - blockDim.x)"}},
     {0, 0, 0}},
    {"a thread overwrites what others have added",
     {{"atomicAdd(sum, mine);", "*sum += mine;"}},
     {0, 0, 0}},
    {"the square overflows an int",
     {{"(unsigned long long)((long long)value * value)", "(unsigned long long)(value * value)"}},
     {0, 0, 0}},
    {"the answer is a constant", {{SUM_BACK, "sum = 42;"}}, {0, 0, 0}},
};

/* Grades one mutant and compares its points. */
static void expect_points(const char *lab, const struct mutant *mutant)
{
    int code;
    json_t *result, *check;
    size_t i;
    double total = 0;
    submission_write(lab, mutant->edits, "a.cu");
    char *output = submission_grade(lab, "a.cu", &code, &result);
    json_array_foreach(json_object_get(result, "checks"), i, check)
    {
        double points = json_number_value(json_object_get(check, "points"));
        cr_assert_lt(i, MAX_CHECKS);
        cr_expect(fabs(points - mutant->points[i]) < 0.01, "%s: check %s has %g points, not %g\n%s",
                  mutant->name, json_string_value(json_object_get(check, "id")), points,
                  mutant->points[i], output);
        total += mutant->points[i];
    }
    cr_expect_gt(i, 0, "%s: no checks", mutant->name);
    cr_expect_eq(code, total > 99.95 ? 0 : 1, "%s: exit code %d\n%s", mutant->name, code, output);
    json_decref(result);
    free(output);
}

Test(mutants, of_01_parallelize_lose_what_they_should)
{
    for (size_t i = 0; i < sizeof parallelize / sizeof *parallelize; ++i)
        expect_points("01-parallelize", &parallelize[i]);
}

Test(mutants, of_02_coalesce_lose_what_they_should)
{
    for (size_t i = 0; i < sizeof coalesce / sizeof *coalesce; ++i)
        expect_points("02-coalesce", &coalesce[i]);
}
