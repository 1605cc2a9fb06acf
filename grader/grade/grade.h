/* Grades one submission: builds it, lets the lab's checks judge it, and composes the verdicts.
 *
 *     source --nvcc--> program --checks runner--> one verdict a check --> lanewise/result/v1
 *
 * Three outcomes are kept apart: a grade, even if it is 0; something is missing on this machine;
 * the grader itself failed. Only the first makes a result. */
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
    const char *gpu_name, *gpu_arch; /* for ON_GPU: grade/installed_gpu.h */
    struct grade_seed seed;
    bool pictures;    /* the result has "accesses", for pictures */
    bool fingerprint; /* the result has "print", for the search for copies */
    bool unsafe;      /* grade even if there is no sandbox */
};

enum grade_end {
    GRADE_DONE,
    GRADE_IMPOSSIBLE, /* no compiler, no disk space...: the error says what to do */
    GRADER_FAILED,    /* the error says how; there is no grade */
    GRADE_INTERRUPTED,
};

/* Grades. RESULT gets a document as in grader/report/RESULTS.md, or NULL; then ERROR gets one
 * line. */
enum grade_end grade_submission(const struct grading *grading, json_t **result, char *error,
                                size_t size);

/* The result of an unfit submission (course/submission.h): no check earns points, and the build's
 * messages are WHY. A new object. */
json_t *grade_unfit(const struct grading *grading, const char *why);

#endif
