/* Grades one submission: builds it, runs the lab's checks on it, and makes a result from the
 * checks' verdicts.
 *
 *     source --nvcc--> program --checks runner--> one verdict per check --> lanewise/result/v1
 *
 * The checks runner is a program built from the lab's checks.c.
 *
 * There are three outcomes: a grade, which may be 0; this machine lacks something that grading
 * needs; the grader itself failed. Only the first outcome has a result. */
#ifndef GRADE_GRADE_H
#define GRADE_GRADE_H

#include <jansson.h>
#include <stdint.h>

#include "course/submission.h"
#include "grade/seed.h"

struct grading {
    const struct lab *lab;
    const struct submission *submission;
    enum grading_device device;
    const char *gpu_name, *gpu_arch; /* for ON_GPU: values from grade/installed_gpu.h */
    struct grade_seed seed;
    bool pictures;    /* adds the member "print", for the search for copied submissions */
    bool fingerprint; /* adds the member "print" to the result, for the search for copied
                       * submissions */
    bool repairs;     /* looks for a small edit that makes wrong answers right (grade/repair.h) */
    bool unsafe;      /* grades even if this machine has no sandbox */
};

enum grade_end {
    GRADE_DONE,
    GRADE_IMPOSSIBLE, /* no compiler, no disk space, or the like; the error says what to do */
    GRADER_FAILED,    /* the grader itself failed; the error says how */
    GRADE_INTERRUPTED,
};

/* Grades a submission. If there is a grade, RESULT gets a lanewise/result/v1
 * (grader/report/RESULTS.md). Otherwise, RESULT gets NULL, and ERROR gets one line that says
 * why. */
enum grade_end grade_submission(const struct grading *grading, json_t **result, char *error,
                                size_t size);

/* Returns a new result for a submission that cannot be graded (course/submission.h). No check earns
 * points, and WHY appears in place of the compiler's messages. */
json_t *grade_unfit(const struct grading *grading, const char *why);

#endif
