/* Judges times on a GPU. Compares the submission with the lab's own solution and with its naive
 * kernel.
 *
 *     naive                         once, because its time only decides what earns nothing
 *     round 1   yours  solution     fresh inputs; each is a process, and each result is verified
 *     round 2   yours  solution
 *     ...                           median of each column, after three steady rounds or five
 *
 * The check judges the ratio of times that were measured alternately on one GPU. A slow or warm
 * GPU, or a busy host, slows both programs, so it does not change the ratio. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checks/inputs.h"
#include "checks/internal.h"
#include "checks/run.h"
#include "checks/verdict.h"

#define PASSES 3 /* the first pass warms up */

/* The timing ends after LEAST_ROUNDS rounds if the times of each program are steady. */
#define LEAST_ROUNDS 3

/* If the solution is not faster than the naive kernel by at least this factor, the times mean
 * nothing. */
#define LEAST_GAIN 1.5

static bool has_enough_rounds(const struct timing *timing)
{
    return timing->round == CHECK_REPEATS ||
           (timing->round == LEAST_ROUNDS &&
            judge_is_steady(timing->times[CHECK_YOURS], LEAST_ROUNDS) &&
            judge_is_steady(timing->times[CHECK_SOLUTION], LEAST_ROUNDS));
}

bool check_again(struct check *check)
{
    if (!check_is_open(check) || has_enough_rounds(&check->timing))
        return false;
    check_free_runs(check);
    check_free_inputs(check);
    ++check->timing.round;
    return true;
}

/* Returns the single number that lab.h handed in under NAME, or 0 if there is none. */
static double number_in(const struct run *run, const char *name)
{
    const struct case_array *array = case_find(run->result, name);
    if (!array || array->type != CASE_FLOAT || array->count != 1)
        return 0;
    double value = (double)*(const float *)array->values;
    return isfinite(value) && value > 0 ? value : 0;
}

static void note_time(struct check *check, enum check_program program, const struct run *run)
{
    double milliseconds = number_in(run, "milliseconds");
    if (milliseconds == 0 && program == CHECK_YOURS)
        check_fail(check, "no-result", "your program's loop over lab_again() was not timed");
    else if (milliseconds == 0)
        check_break(check, "the lab's own solution was not timed");
    if (program == CHECK_NAIVE) {
        check->timing.naive = milliseconds;
        return;
    }
    check->timing.times[program][check->timing.round - 1] = milliseconds;
    check->timing.walls[program][check->timing.round - 1] = run->seconds;
    /* use the solution's rate, because a submission could report a false one */
    if (program == CHECK_SOLUTION)
        check->timing.copy_rate = number_in(run, "copy_gb_per_s");
}

void check_each_pass(struct check *check, const struct case_data *input, uint64_t bytes)
{
    struct run_plan plan = {
        .program = check->job.programs[ON_EMULATOR], .device = ON_EMULATOR, .repeats = PASSES - 1};
    const struct run *run = check_perform_run(check, &plan, input);
    double read = run ? check_counter(run, "global_load_sectors") * 32 : 0;
    if (!run || read >= PASSES * (double)bytes)
        return;
    check_fail(
        check, "failed",
        "in %d passes of the loop over lab_again(), the kernels read %s bytes; they should read %s in each pass",
        PASSES, check_number(read), check_number((double)bytes));
    check_advise(
        check, "Each pass is timed: launch the kernels in every pass, as if it were the only one.");
}

const struct run *check_time(struct check *check, enum check_program program,
                             const struct case_data *input)
{
    enum grading_device device = check_device(check->info, check->job.device);
    bool own = program != CHECK_YOURS;
    struct run_plan plan = {.program = own ? check->job.solution : check->job.programs[device],
                            .own = own,
                            .device = device,
                            .repeats = 1,
                            .copy_rate = program == CHECK_SOLUTION};
    if (!check_is_open(check))
        return NULL;
    if ((check->timing.round == 0) != (program == CHECK_NAIVE) || !*plan.program) {
        check_break(
            check,
            "call check_time() only in a check that is CHECK_GPU_ONLY: for the naive kernel before the loop of check_again(), for the other programs in the loop");
        return NULL;
    }
    if (!own)
        check->timing.input_bytes = case_bytes(input);
    const struct run *run = check_perform_run(check, &plan, input);
    if (run)
        note_time(check, program, run);
    else if (own && !check->verdict.broken[0])
        check_break(check, "the lab's own solution does not run: %s", check->verdict.message);
    return check_is_open(check) ? run : NULL;
}

static int compare(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static double median(const double *times, unsigned count)
{
    double sorted[CHECK_REPEATS];
    memcpy(sorted, times, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, compare);
    return sorted[count / 2];
}

/* Returns the shortest of the COUNT times. Load on the machine can only make a run longer, so the
 * shortest time is the most accurate. */
static double shortest(const double *times, unsigned count)
{
    double least = times[0];
    for (unsigned i = 1; i < count; ++i)
        least = fmin(least, times[i]);
    return least;
}

static void write_note(struct check *check, double yours, double solution, double naive)
{
    int length = snprintf(
        check->verdict.note, sizeof check->verdict.note,
        "medians of %u times: your program %.4g ms, the solution %.4g ms; the naive kernel %.4g ms",
        check->timing.round, yours, solution, naive);
    if (check->timing.copy_rate > 0)
        snprintf(check->verdict.note + length, sizeof check->verdict.note - (size_t)length,
                 "; this GPU copies %s GB/s", check_number(floor(check->timing.copy_rate)));
}

/* Returns false, and fails the check, if the time is too short for reading the input. The L2 cache
 * is flushed before a timed pass, so the input must come from the GPU's memory. */
static bool is_plausible_read(struct check *check, double yours)
{
    double least = judge_least_time((double)check->timing.input_bytes, check->timing.copy_rate);
    if (yours >= least)
        return true;
    check_fail(
        check, "failed",
        "your program says that its kernels take %.4g ms, but this GPU needs %.4g ms just to read the input",
        yours, least);
    check_advise(check,
                 "Do the kernels read all data, in every pass of the loop over lab_again()?");
    return false;
}

/* Compares the times that the program reports with the grader's own clock. If they contradict each
 * other, fails the check and returns false. */
static bool is_plausible(struct check *check, double yours, double solution)
{
    const struct timing *timing = &check->timing;
    struct judge_clocks clocks = {.reported = yours,
                                  .wall = shortest(timing->walls[CHECK_YOURS], timing->round),
                                  .solution_reported = solution,
                                  .solution_wall =
                                      shortest(timing->walls[CHECK_SOLUTION], timing->round)};
    if (judge_clocks_agree(&clocks))
        return is_plausible_read(check, yours);
    check_fail(
        check, "failed",
        "your program says that its kernels take %.4g ms, but it ran for %.2f s, and the solution for %.2f s",
        yours, clocks.wall, clocks.solution_wall);
    check_advise(check, "Does main() do work that is not needed?");
    return false;
}

void check_speed(struct check *check)
{
    if (!check_is_open(check))
        return;
    unsigned rounds = check->timing.round;
    double yours = rounds ? median(check->timing.times[CHECK_YOURS], rounds) : 0;
    double solution = rounds ? median(check->timing.times[CHECK_SOLUTION], rounds) : 0;
    double naive = check->timing.naive;
    if (yours <= 0 || solution <= 0 || naive <= 0) {
        check_break(check, "not all of the three programs were timed"); /* checks.c has a mistake */
        return;
    }
    double gain = naive / solution;
    if (gain < LEAST_GAIN) {
        check_break(
            check,
            "the time cannot be graded: the solution is only %.2f times as fast as the naive kernel. Is the GPU busy with something else?",
            gain);
        return;
    }
    if (!is_plausible(check, yours, solution))
        return;
    check->budget =
        (struct judge_budget){.naive = 1, .solution = gain, .slack = check->budget.slack};
    check_value(check, naive / yours);
    write_note(check, yours, solution, naive);
}
