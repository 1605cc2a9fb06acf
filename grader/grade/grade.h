/* Grades one submission: build it, have the lab's checks judge it, put the verdicts together.
 *
 *     source --nvcc--> program --checks runner--> one verdict a check --> lanewise/result/v1
 *
 * Three outcomes stay apart: a grade, be it 0; something is missing on this machine; the grader
 * itself failed. Only the first makes a result. */
#ifndef GRADE_GRADE_H
#define GRADE_GRADE_H

#include <jansson.h>
#include <stdint.h>

#include "course/submission.h"

struct grading {
    const struct lab *lab;
    const struct submission *submission;
    enum grading_device device;
    const char *gpu_name, *gpu_arch; /* for ON_GPU: see gpu.h */
    uint64_t seed;                   /* below 2^63 */
    bool pictures;                   /* the result has "accesses", to be drawn */
    bool print;                      /* the result has "print", to be compared with others' */
    bool unsafe;                     /* grades even where there is no sandbox */
};

enum grade_end {
    GRADE_DONE,
    GRADE_IMPOSSIBLE, /* no compiler, no disk...: the error says what to do */
    GRADER_FAILED,    /* the error says how. There is no grade */
    GRADE_INTERRUPTED,
};

/* Grades. RESULT gets a document as grader/report/RESULTS.md describes it, or NULL; ERROR gets one
 * line if there is none. */
enum grade_end grade_submission(const struct grading *grading, json_t **result, char *error,
                                size_t size);

/* The result of a submission that is unfit (course/lab.h) to be graded: no check has points, and the build's
 * messages are WHY. A new object. */
json_t *grade_unfit(const struct grading *grading, const char *why);

#endif
