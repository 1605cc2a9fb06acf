/* Tests lanewise calibrate, and the pure function that computes its proposals. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "course/course.h"
#include "judge/threshold.h"
#include "tests/support/shell.h"
#include "tests/support/submission.h"

TestSuite(threshold);
TestSuite(calibrate, .init = shell_init, .fini = shell_fini, .timeout = 300);
TestSuite(golden_calibrate, .init = shell_init, .fini = shell_fini, .timeout = 1000);

static const struct judge_budget less = {32, 4, 1.05, JUDGE_LINEAR}, more = {1, 8, 2, JUDGE_LINEAR},
                                 none = {105, 0, 1, JUDGE_LINEAR};

static const struct {
    const char *name;
    const struct judge_budget *budget;
    struct judge_sample sample; /* solution, good, poor, naive */
    struct judge_proposal want; /* apart, moved, full, naive */
} rows[] = {
    {"as declared", &less, {4, 4, 5, 32}, {true, false, 4.2, 32}},
    {"all figures a bit higher on this machine", &less, {5, 5, 6, 40}, {true, false, 5.25, 40}},
    {"no mutant and no naive kernel", &less, {4, 4, NAN, NAN}, {true, false, 4.2, 32}},
    {"a wrong program within the slack", &less, {4, 4, 4.1, 32}, {true, true, 4.049691, 32}},
    {"a good program beyond the slack", &less, {4, 9, 16, 32}, {true, true, 12, 32}},
    {"a good program beyond the slack, no wrong one", &less, {4, 8, NAN, 32}, {true, true, 16, 32}},
    {"a wrong program as good as the solution", &less, {4, 4, 4, 32}, {false, true, 4, 32}},
    {"the solution as slow as the naive kernel",
     &less,
     {32, 32, NAN, 32},
     {false, false, 33.6, 32}},
    {"more is better", &more, {9, 8, 3, 1}, {true, false, 4.5, 1}},
    {"more is better, a wrong program within the slack",
     &more,
     {9, 9, 4.6, 1},
     {true, true, 6.4342832, 1}},
    {"none is wanted", &none, {0, 0, 105, 105}, {true, false, 0, 105}},
    {"some are as good as none", &none, {0, 2, 10, 105}, {true, true, 4.472136, 105}},
};

Test(threshold, proposals_separate_right_from_wrong)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct judge_proposal got = judge_propose(rows[i].budget, &rows[i].sample);
        cr_expect_eq(got.apart, rows[i].want.apart, "%s", rows[i].name);
        cr_expect_eq(got.moved, rows[i].want.moved, "%s", rows[i].name);
        cr_expect_float_eq(got.full, rows[i].want.full, 1e-6, "%s: %g", rows[i].name, got.full);
        cr_expect_eq(got.naive, rows[i].want.naive, "%s: %g", rows[i].name, got.naive);
    }
}

Test(threshold, figures_are_rounded_to_the_easier_side)
{
    cr_expect_float_eq(judge_round(1.0361905, true), 1.0362, 1e-12);
    cr_expect_float_eq(judge_round(1.0361905, false), 1.03619, 1e-12);
    cr_expect_eq(judge_round(4456470, true), 4456470);
    cr_expect_eq(judge_round(4.2, true), 4.2);
    cr_expect_eq(judge_round(0, true), 0);
    cr_expect_eq(judge_margin(4, 8), 2);
    cr_expect_eq(judge_margin(8, 4), 2);
    cr_expect_eq(judge_margin(0, 0), 1);
    cr_expect(isinf(judge_margin(0, 3)));
}

/* The output is a course file. With this file, the solution gets full points, and the mutants do
 * not. */
Test(golden_calibrate, a_lab)
{
    int code;
    char error[4096];
    struct course course;
    shell_patience(800);
    char *output = shell(&code, FEW_MUTANTS
                         "export LANEWISE_MUTANTS=$PWD/mutants\n"
                         "$LANEWISE calibrate --lab 2 --device emulator 2>said | tee c.yaml");
    cr_expect_eq(code, 0, "%s", output);
    golden_check("calibrate", output);
    free(output);
    /* stderr shows the progress */
    free(shell_must("grep -q '^  \\([0-9]*\\) of \\1, [0-9]* per minute$' said"));
    char *path = shell_must("printf '%%s/c.yaml' \"$PWD\"");
    cr_assert(course_read(path, &course, error, sizeof error), "%s", error);
    cr_expect_eq(json_number_value(
                     json_object_get(json_object_get(course.labs[0].terms, "sectors"), "full")),
                 4.2);
    course_free(&course);
    free(path);
}

static const struct {
    const char *arguments, *message;
} refusals[] = {
    {"--lab 99", "no lab is called \"99\"; the labs are 01-"},
    {"--fast", "unknown option --fast"},
    {"02", "unexpected \"02\": name the lab with --lab"},
    {"--device tpu", "unknown device \"tpu\""},
};

Test(calibrate, usage_errors_are_one_line)
{
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        int code;
        char *output = shell(&code, "$LANEWISE calibrate %s", refusals[i].arguments);
        char *end = strchr(output, '\n');
        cr_expect_eq(code, 2, "%s: exit code %d", refusals[i].arguments, code);
        cr_expect(strstr(output, refusals[i].message) && end && !end[1], "%s: %s",
                  refusals[i].arguments, output);
        free(output);
    }
}
