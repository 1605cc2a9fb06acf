/* The state of a check. A lab's checks.c sees check.h only. */
#ifndef CHECKS_INTERNAL_H
#define CHECKS_INTERNAL_H

#include <jansson.h>

#include "checks/check.h"
#include "checks/random.h"
#include "checks/run.h"
#include "checks/verdict.h"
#include "grade/job.h"

#define CHECK_MAX_BLOCKS 64

/* Rounds of timing: speed.c. */
struct timing {
    unsigned round;
    double times[3][CHECK_REPEATS]; /* ms, by enum check_program */
    double walls[3][CHECK_REPEATS]; /* seconds of the processes that reported those times */
    double copy_rate;               /* GB/s of this GPU's memory; 0: unknown */
    size_t input_bytes;             /* of the submission's cases */
};

struct check {
    const struct check_info *info;
    struct grade_job job;
    struct check_random random; /* what checks.c draws its inputs from */
    char context[160];          /* describes the case made last */
    unsigned process_count;     /* runs so far, those that were freed included */
    double points;              /* that can be earned: as declared, or as a course has it */
    struct judge_budget budget; /* the figure's: declared, a course's, or check_speed()'s */
    struct verdict verdict;
    struct timing timing;

    /* For the report. */
    json_t *counters;         /* of the last run */
    json_t *findings;         /* of all runs */
    json_t *cause;            /* the finding that caused the failure; NULL: none did */
    json_t *lines, *accesses; /* of the student's own lines, in all runs: record/lines.h */

    /* These live as long as the check, or as a round of timing. */
    struct case_data *cases[CHECK_MAX_BLOCKS];
    struct run runs[CHECK_MAX_BLOCKS];
    void *blocks[CHECK_MAX_BLOCKS];
    unsigned case_count, run_count, block_count;
    unsigned cost_count; /* calls of check_costs() so far */
};

/* The declarations of this program. */
extern const struct check_info *const __start_lanewise_checks[], *const __stop_lanewise_checks[];

/* The lab's costs.def, up to a row without a check; a lab without that file has no such symbol. */
extern const struct check_cost_row lab_costs[] __attribute__((weak));

/* Whether the check is part of a grading on DEVICE. */
bool check_runs_on(const struct check_info *info, enum grading_device device);
/* The device of its runs in a grading on GRADED. */
enum grading_device check_device(const struct check_info *info, enum grading_device graded);

/* Writes ID with '-' for '_'. */
void check_public_id(const struct check_info *info, char id[64]);

#endif
