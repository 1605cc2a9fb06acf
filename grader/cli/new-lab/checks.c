/* Lab @NUMBER@: WRITE: what the lab teaches.
 *
 * WRITE: the figure that earns points, and why this one. */
#include "checks/check.h"

LAB(.title = "WRITE: the title", .file = "@FILE@",
    .hints = {"WRITE: a nudge: where to look", "WRITE: a plan: what to do there",
              "WRITE: nearly the answer"});

#define MILLION (1 << 20)
#define LARGEST 1000

/* WRITE: the reference, in higher precision than the kernels'. */
static uint64_t sum_of(const int *data, int n)
{
    uint64_t sum = 0;
    for (int i = 0; i < n; ++i)
        sum += (uint64_t)data[i];
    return sum;
}

static const struct run *sum_up(struct check *check, int n)
{
    const int *data = check_random_ints(check, (size_t)n, 0, LARGEST);
    struct case_data *input = check_case(check, "n = %s", check_number(n));
    case_add(input, "n", CASE_INT, &n, 1);
    case_add(input, "data", CASE_INT, data, (size_t)n);
    const struct run *run = check_run(check, input);
    check_equal_u64(check, run, "sum", sum_of(data, n));
    check_has_read(check, run, (uint64_t)n * sizeof(int));
    return run;
}

CHECK(correct, .title = "exact sum of 100,003 numbers", .points = 40,
      .hint = "WRITE: what to try when the answer is wrong")
{
    sum_up(check, 100003);
}

/* WRITE: the figure that the lesson is about. Both counts are measured: the naive kernel's and the
 * solution's. */
CHECK(path, .title = "many threads share the work", .points = 60, .where = CHECK_COUNTS,
      .watched = true, /* looks for races and uninitialised reads; a lab needs one such check */
      .figure =
          {.text = "the longest warp executes %s instructions",
           .want = "at most %s",
           .counter = "warp_instructions",
           .budget = {.naive = 3407899, .solution = 111, .slack = 1.5, .scale = JUDGE_LOGARITHMIC}},
      .hint = "WRITE: what to try when the program is right, but slow")
{
    const struct run *run = sum_up(check, MILLION);
    check_measure(check, run, check_counter(run, "longest_warp_instructions"));
}
