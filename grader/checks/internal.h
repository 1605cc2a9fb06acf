/* The state of a check. A lab's checks.c includes only check.h. */
#ifndef CHECKS_INTERNAL_H
#define CHECKS_INTERNAL_H

#include <jansson.h>

#include "checks/check.h"
#include "checks/random.h"
#include "checks/run.h"
#include "checks/verdict.h"
#include "grade/job.h"

#define CHECK_MAX_BLOCKS 64

/* The measurements of the rounds of check_again(), which speed.c fills in. */
struct timing {
    unsigned round;
    double naive;                   /* milliseconds */
    double times[2][CHECK_REPEATS]; /* milliseconds that CHECK_YOURS and CHECK_SOLUTION reported */
    double walls[2][CHECK_REPEATS]; /* seconds that the processes took that reported those times */
    double copy_rate;               /* GB/s of this GPU's memory, or 0 if unknown */
    size_t input_bytes;             /* total size of the cases that the submission reads */
};

struct check {
    const struct check_info *info;
    struct grade_job job;
    struct check_random random; /* the stream from which checks.c draws its inputs */
    char context[160];          /* describes the latest case */
    double run_seconds;         /* total time of all runs so far (see run_seconds()) */
    double idle_seconds;        /* the part of run_seconds in which processes were idle */
    double instructions;        /* work of all runs so far, in warp instructions */
    unsigned process_count;     /* number of runs so far, including those whose data was freed */
    double points;              /* points of the check, as declared or as the course changes them */
    /* the figure's budget, from its declaration, a course or check_speed() */
    struct judge_budget budget;
    bool unwatched; /* racecheck and initcheck stay off, although the check declares them */
    struct verdict verdict;
    struct timing timing;

    /* Data for the report: */
    json_t *counters; /* counters of the last run */
    json_t *findings; /* findings of all runs */
    json_t *cause;    /* the finding that caused the failure, or NULL if there is none */
    /* counters and accesses of the student's own lines in all runs (record/lines.h) */
    json_t *lines, *accesses;
    json_t *shown;     /* pictures of inputs and results (see check_show()) */
    json_t *timelines; /* timelines of check_makespan() */

    /* Freed at the end of the check, or of a round of timing: */
    struct case_data *cases[CHECK_MAX_BLOCKS];
    struct run runs[CHECK_MAX_BLOCKS];
    void *blocks[CHECK_MAX_BLOCKS];
    unsigned case_count, run_count, block_count;
    unsigned cost_count; /* calls of check_costs() so far */
};

/* The begin and end of the array of this program's declarations; the linker defines them. */
extern const struct check_info *const __start_lanewise_checks[], *const __stop_lanewise_checks[];

/* The rows of the lab's costs.def. A row without a check ends the array. A lab without costs.def
 * does not define this symbol. */
extern const struct check_cost_row lab_costs[] __attribute__((weak));

/* Returns true if the check only searches for the first edit with which it passes (grade/repair.h).
 * Then nobody reads its explanations, so they can be skipped. */
static inline bool check_is_trial(const struct check *check)
{
    return check->job.only != NULL;
}

/* Writes TEMPLATE with VALUE in place of "%s". In TEMPLATE, the noun after "%s" is in the plural.
 * If VALUE is 1, this function writes the singular. */
void check_fill_in(char *text, size_t size, const char *template, double value);

/* Returns whether a grading on DEVICE includes the check. */
bool check_runs_on(const struct check_info *info, enum grading_device device);
/* Returns the device on which the check runs the submission if GRADED is the graded device. */
enum grading_device check_device(const struct check_info *info, enum grading_device graded);

/* Sets ID to the check's id, with '-' in place of each '_'. */
void check_public_id(const struct check_info *info, char id[64]);

#endif
