/* What a lab's checks.c may use. That file is the one place that declares a lab:
 *
 *     LAB(.title = "From one thread to a grid", .file = "parallelize.cu");
 *
 *     CHECK(correct, .title = "exact sum of 1,048,576 numbers", .points = 20,
 *           .hints = {"What does thread 1 read in its second step?"})
 *     {
 *         const int *data = check_random_ints(check, n, -100, 100);
 *         struct case_data *input = check_case(check, "n = %d", n);
 *         case_add(input, "data", CASE_INT, data, n);
 *         const struct trial *trial = check_run(check, input);
 *         check_equal_u64(check, trial, "sum", sum_on_cpu(data, n));
 *     }
 *
 * A check is a Criterion test, in a process that the student's code never enters: check_run() has
 * another process run the submission, and only the bytes of its result file and its counters come
 * back.
 *
 * Points are values, not assertions. Whatever is wrong with a submission ends in a verdict, which is
 * written to a file, and the Criterion test passes. A Criterion test that fails, crashes or writes
 * no verdict is the grader's own failure, and then there is no grade.
 *
 * The first thing that goes wrong decides the verdict: the check then has 0 points, check_run()
 * returns NULL, and every other call, which accepts a NULL trial, does nothing. So a check reads
 * straight down, without an `if` after each call. */
#ifndef CHECKS_CHECK_H
#define CHECKS_CHECK_H

#include <criterion/criterion.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "judge/score.h"
#include "run/case.h"

/* --- declaring ------------------------------------------------------------------------------------ */

struct lab_info {
    const char *title;
    const char *file; /* the file that the student edits; its folder is the lab's name */
};
extern const struct lab_info lab_info;
#define LAB(...) const struct lab_info lab_info = {__VA_ARGS__}

/* Where a check runs. On each device the points of the checks that run there add up to 100. */
enum check_where {
    CHECK_ANYWHERE = 0,  /* on the device that is graded */
    CHECK_COUNTS,        /* judges counters: always on the emulator, also when a GPU is graded */
    CHECK_EMULATOR_ONLY, /* not there when a GPU is graded */
    CHECK_GPU_ONLY,      /* not there when the emulator is graded */
};

/* A figure that earns points: how much, and what the student is told about it. */
struct check_figure {
    const char *text;    /* "the longest warp executes %s instructions"; %s is the figure */
    const char *want;    /* "at most %s", "at least %s" */
    const char *counter; /* the source line with most of it is shown; NULL: none */
    /* Measured figures: grader/tests/test_grade.c measures them again. */
    struct judge_budget budget;
};

#define CHECK_MAX_HINTS 4

struct check;
struct check_info {
    const char *id; /* a C identifier; reports write it with '-' for '_' */
    const char *title;
    double points;
    enum check_where where;
    struct check_figure figure; /* .text NULL: the check is all or nothing */
    const char *hints[CHECK_MAX_HINTS];
    int line; /* of its declaration: reports keep the order of checks.c */
    void (*body)(struct check *check);
};

/* The declarations of this program, in a section of their own. */
#define CHECK(name, ...)                                                                           \
    static void check_body_##name(struct check *check);                                            \
    static const struct check_info check_info_##name = {                                           \
        .id = #name, .line = __LINE__, .body = check_body_##name, __VA_ARGS__};                    \
    static const struct check_info *const check_entry_##name                                       \
        __attribute__((section("lanewise_checks"), used)) = &check_info_##name;                    \
    Test(checks, name)                                                                             \
    {                                                                                              \
        check_perform(&check_info_##name);                                                         \
    }                                                                                              \
    static void check_body_##name(struct check *check)

/* --- inputs --------------------------------------------------------------------------------------- */

/* A number from the check's own random stream, from LOW to HIGH. The stream depends on the seed of
 * the grading and on the check's id, on nothing else. */
int check_random_int(struct check *check, int low, int high);
/* COUNT of them; valid until the check ends. */
const int *check_random_ints(struct check *check, size_t count, int low, int high);

/* An empty case, valid until the check ends. FORMAT describes it in messages: "rung 1, n = 5". */
struct case_data *check_case(struct check *check, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* N as "1,048,576": one of eight static buffers. */
const char *check_number(double n);

/* --- running -------------------------------------------------------------------------------------- */

/* One run of the submission that ended well and wrote a readable result file. */
struct trial;

/* Has the submission run on the case made last. NULL: it failed, and the verdict says how. */
const struct trial *check_run(struct check *check, const struct case_data *input);

/* The same with its loop over lab_again() timed REPEATS times; only where a GPU is graded. */
const struct trial *check_run_timed(struct check *check, const struct case_data *input,
                                    int repeats);
/* The same for the lab's own solution: to compare with. If that fails, the grader has failed. */
const struct trial *check_run_solution(struct check *check, const struct case_data *input,
                                       int repeats);

/* --- judging -------------------------------------------------------------------------------------- */

/* The result NAME must be this one number. */
void check_equal_u64(struct check *check, const struct trial *trial, const char *name,
                     uint64_t want);

/* The kernels must have read at least BYTES from global memory: an answer that does not come from
 * the data on the device is no answer. Does nothing on a GPU, where nothing is counted. */
void check_has_read(struct check *check, const struct trial *trial, uint64_t bytes);

/* A counter summed over all launches (the maximum for longest_warp_instructions). 0 for NULL. */
double check_counter(const struct trial *trial, const char *name);
/* The median of the timed rounds, in milliseconds. */
double check_median_ms(struct check *check, const struct trial *trial);

/* Gives the check the points that VALUE earns by its figure's budget. */
void check_measure(struct check *check, const struct trial *trial, double value);

/* --- for the runner ------------------------------------------------------------------------------- */

/* Runs one check and writes its verdict. */
void check_perform(const struct check_info *info);

#endif
