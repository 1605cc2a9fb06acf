/* Compares a result of the submission with the right numbers. If they are equal, runs the program
 * once more with its warps in the other order, and compares the new result, too. */
#include <math.h>
#include <stdio.h>

#include "checks/internal.h"
#include "checks/judging.h"
#include "checks/run.h"
#include "checks/verdict.h"
#include "checks/wrong.h"
#include "judge/compare.h"

static const char *if_no_kernel(const struct run *run)
{
    const json_t *launches = run->record ? json_object_get(run->record, "launches") : NULL;
    return launches && json_array_size(launches) == 0 ? "; no kernel was launched" : "";
}

/* --- one number ------------------------------------------------------------------------------- */

/* Returns the number at VALUE as text, in one of two static buffers. */
static const char *one_number(enum case_type type, const void *value)
{
    static char buffers[2][24];
    static unsigned next;
    char *buffer = buffers[next++ % 2];
    if (type == CASE_INT)
        snprintf(buffer, sizeof buffers[0], "%d", *(const int *)value);
    else
        snprintf(buffer, sizeof buffers[0], "%llu", (unsigned long long)*(const uint64_t *)value);
    return buffer;
}

static bool equal(enum case_type type, const void *got, const void *want)
{
    return type == CASE_INT ? judge_first_difference_int(got, want, 1) == 1
                            : judge_first_difference_u64(got, want, 1) == 1;
}

/* Checks that the result NAME of RUN is the single number WANT, of type TYPE. */
static void look_equal(struct check *check, const struct run *run, const char *name,
                       enum case_type type, const void *want)
{
    const char *type_name = type == CASE_INT ? "LAB_INT" : "LAB_U64";
    if (!run || !check_is_open(check))
        return;
    const struct answer *answer = check_answer(check, run, name);
    const struct case_array *got = answer ? &answer->array : NULL;
    bool is_one = got && got->type == type && got->count == 1;
    if (is_one && equal(type, got->values, want))
        return;
    if (!got)
        check_fail(check, "no-result", "your program did not hand in a result called \"%s\"", name);
    else if (!is_one)
        check_fail(check, "failed", "the result \"%s\" is not one %s number", name, type_name);
    else
        check_fail(check, "failed", "%s is %s, but %s is right%s", name,
                   one_number(type, got->values), one_number(type, want), if_no_kernel(run));
    if (!is_one)
        check_advise(check, "Hand it in by lab_result(&lab, \"%s\", %s, &%s, 1).", name, type_name,
                     name);
    else if (check->info->figure.text || check->info->where == CHECK_COUNTS)
        check_advise(check,
                     "Make the answer right first: this check gives no points for a wrong answer.");
    if (is_one)
        check_explain_number(check, run, answer, want);
}

static void check_equal(struct check *check, const struct run *run, const char *name,
                        enum case_type type, const void *want)
{
    look_equal(check, run, name, type, want);
    const struct run *backwards = check_run_backwards(check, run);
    look_equal(check, backwards, name, type, want);
    if (backwards)
        check_blame_order(check);
}

void check_equal_int(struct check *check, const struct run *run, const char *name, int want)
{
    check_equal(check, run, name, CASE_INT, &want);
}

void check_equal_u64(struct check *check, const struct run *run, const char *name, uint64_t want)
{
    check_equal(check, run, name, CASE_U64, &want);
}

/* --- a matrix --------------------------------------------------------------------------------- */

/* Writes an index to TEXT, as messages show it: "[2][3]" in a matrix, "[3]" in one row, and "" for
 * one number. */
static void write_index(const struct check_matrix *want, size_t index, char text[48])
{
    size_t width = (size_t)want->width;
    if (want->height > 1)
        snprintf(text, 48, "[%zu][%zu]", index / width, index % width);
    else
        snprintf(text, 48, width > 1 ? "[%zu]" : "", index);
}

#define MANY_ULPS 1e6 /* larger errors are only reported as "more than" */

/* Writes to TEXT how many ulp GOT is away from the right value, or "" if GOT is infinite or NaN. */
static void write_ulps(double got, double right, double allowed, char text[100])
{
    double error = fabs(got - right) / judge_ulp(right);
    if (isfinite(got) && error < 100)
        snprintf(text, 100, "; the error is %.1f ulp, but only %g is allowed", error, allowed);
    else if (isfinite(got))
        snprintf(text, 100, "; the error is %s%s ulp, but only %g is allowed",
                 error > MANY_ULPS ? "more than " : "", check_number(floor(fmin(error, MANY_ULPS))),
                 allowed);
}

/* Reports that GOT, a result of RUN with COUNT floats, is wrong at INDEX. Also reports how many
 * floats are wrong. */
static void fail_within(struct check *check, const struct run *run, const float *got,
                        const char *name, const struct check_matrix *want, size_t count,
                        size_t index)
{
    char margin[100] = "", place[48], all[100] = "";
    size_t wrong = judge_count_outside(got, want->values, want->bounds, count);
    bool is_long = want->type == CASE_INT || fabs(want->values[index]) >= 1e9;
    int digits = is_long ? 10 : 9; /* enough digits that %g uses no exponent */
    /* drop the sign of a NaN, which printf() would show as "-nan" */
    double value = isnan(got[index]) ? (double)NAN : (double)got[index];
    if (want->ulps > 0)
        write_ulps(value, want->values[index], want->ulps, margin);
    else if (want->bounds)
        snprintf(margin, sizeof margin, ", plus or minus %.*g", want->bounds[index] < 100 ? 2 : 4,
                 want->bounds[index]);
    if (count > 1)
        snprintf(all, sizeof all, "; %s of %s numbers %s wrong", check_number((double)wrong),
                 check_number((double)count), wrong == 1 ? "is" : "are");
    write_index(want, index, place);
    check_fail(check, "failed", "%s%s%s is %.*g, but %.*g is right%s%s%s",
               want->arrange ? "in the input's order, " : "", name, place, digits, value, digits,
               want->values[index], margin, all, if_no_kernel(run));
    if (check->info->figure.text || check->info->where == CHECK_COUNTS)
        check_advise(check,
                     "Make the answer right first: this check gives no points for a wrong answer.");
}

/* Returns the numbers of ARRAY, a result of RUN, as floats in the order in which WANT has them. */
static const float *as_floats(struct check *check, const struct run *run,
                              const struct case_array *array, const struct check_matrix *want)
{
    if (array->type == CASE_FLOAT && !want->arrange)
        return array->values;
    float *floats = check_memory(check, array->count, sizeof *floats);
    for (size_t i = 0; i < array->count; ++i)
        floats[i] = array->type == CASE_FLOAT  ? ((const float *)array->values)[i]
                    : array->type == CASE_BYTE ? (float)((const uint8_t *)array->values)[i]
                                               : (float)((const int32_t *)array->values)[i];
    if (want->arrange)
        want->arrange(run->input, floats);
    return floats;
}

static const char *type_name(enum case_type type)
{
    return type == CASE_INT ? "LAB_INT" : type == CASE_BYTE ? "LAB_BYTE" : "LAB_FLOAT";
}

static void look_within(struct check *check, const struct run *run, const char *name,
                        const struct check_matrix *want)
{
    if (!run || !check_is_open(check))
        return;
    const struct answer *answer = check_answer(check, run, name);
    const struct case_array *got = answer ? &answer->array : NULL;
    size_t count = (size_t)want->height * (size_t)want->width;
    enum case_type type = want->type ? want->type : CASE_FLOAT;
    if (!got)
        check_fail(check, "no-result", "your program did not hand in a result called \"%s\"", name);
    else if (got->type != type || got->count != count)
        check_fail(check, "failed", "the result \"%s\" is not %s x %s %s numbers", name,
                   check_number(want->height), check_number(want->width), type_name(type));
    if (!check_is_open(check)) {
        check_advise(check, "Restore the original line that calls lab_result().");
        return;
    }
    const float *numbers = as_floats(check, run, got, want);
    size_t index = judge_first_outside(numbers, want->values, want->bounds, count);
    if (index < count) {
        fail_within(check, run, numbers, name, want, count, index);
        check_explain_matrix(check, run, answer, numbers, want);
    }
}

/* Returns a copy of WANT. If WANT gives the allowed errors in ulp, the copy also gives them as
 * `bounds`. */
static struct check_matrix with_bounds(struct check *check, const struct check_matrix *want)
{
    struct check_matrix matrix = *want;
    size_t count = (size_t)want->height * (size_t)want->width;
    if (want->ulps > 0) {
        double *bounds = check_memory(check, count, sizeof *bounds);
        for (size_t i = 0; i < count; ++i)
            bounds[i] = want->ulps * judge_ulp(want->values[i]);
        matrix.bounds = bounds;
    }
    return matrix;
}

void check_within(struct check *check, const struct run *run, const char *name,
                  const struct check_matrix *stated)
{
    struct check_matrix bounded = with_bounds(check, stated), *want = &bounded;
    look_within(check, run, name, want);
    const struct run *backwards = check_run_backwards(check, run);
    look_within(check, backwards, name, want);
    if (backwards)
        check_blame_order(check);
}
