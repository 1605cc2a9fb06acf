/* Is a matrix of floats the right one? */
#include "checks/internal.h"

#include <stdio.h>

#include "judge/compare.h"

/* Says that GOT, COUNT floats, of TRIAL, is wrong at INDEX, and how far the trouble goes. */
static void fail_within(struct check *check, const struct trial *trial, const float *got,
                        const char *name, const struct check_matrix *want, size_t count,
                        size_t index)
{
    char margin[48] = "";
    size_t width = (size_t)want->width;
    size_t wrong = judge_count_outside(got, want->values, want->bounds, count);
    if (want->bounds)
        snprintf(margin, sizeof margin, ", give or take %.2g", want->bounds[index]);
    check_fail(check, "failed",
               "%s[%zu][%zu] is %.9g, but %.9g is right%s; %s of %s numbers are wrong%s", name,
               index / width, index % width, (double)got[index], want->values[index], margin,
               check_number((double)wrong), check_number((double)count), check_if_no_kernel(trial));
    if (check->info->figure.text || check->info->where == CHECK_COUNTS)
        check_advise(check, "The right answer comes first: without it this earns no points.");
}

static void look_within(struct check *check, const struct trial *trial, const char *name,
                        const struct check_matrix *want)
{
    if (!trial || !check_is_open(check))
        return;
    const struct answer *answer = check_answer(check, trial, name);
    const struct case_array *got = answer ? &answer->array : NULL;
    size_t count = (size_t)want->height * (size_t)want->width;
    if (!got)
        check_fail(check, "no-result", "your program did not hand in a result called \"%s\"", name);
    else if (got->type != CASE_FLOAT || got->count != count)
        check_fail(check, "failed", "the result \"%s\" is not %s x %s LAB_FLOAT numbers", name,
                   check_number(want->height), check_number(want->width));
    if (!check_is_open(check)) {
        check_advise(check, "Leave the line with lab_result() as it was.");
        return;
    }
    size_t index = judge_first_outside(got->values, want->values, want->bounds, count);
    if (index < count && answer->same) {
        check_fail(check, "failed", "%s has the same numbers whatever data the GPU has", name);
        check_advise(check, CHECK_ADVICE_SAME);
    } else if (index < count) {
        fail_within(check, trial, got->values, name, want, count, index);
    }
}

void check_within(struct check *check, const struct trial *trial, const char *name,
                  const struct check_matrix *want)
{
    look_within(check, trial, name, want);
    const struct trial *backwards = check_run_backwards(check, trial);
    look_within(check, backwards, name, want);
    if (backwards)
        check_blame_order(check);
}
