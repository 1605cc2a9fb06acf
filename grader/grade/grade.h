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

#include "course/lab.h"

struct run_grading {
    const struct run_lab *lab;
    const struct run_submission *submission;
    enum run_device device;
    const char *gpu_name, *gpu_arch; /* for RUN_GPU: see gpu.h */
    uint64_t seed;                   /* below 2^63 */
    bool pictures;                   /* the result has "accesses", to be drawn */
    bool print;                      /* the result has "print", to be compared with others' */
    bool unsafe;                     /* grades even where there is no sandbox */
};

enum run_grade_end {
    RUN_GRADED,
    RUN_CANNOT_GRADE,  /* no compiler, no disk...: the error says what to do */
    RUN_GRADER_FAILED, /* the error says how. There is no grade */
    RUN_GRADE_INTERRUPTED,
};

/* Grades. RESULT gets a document as grader/report/RESULTS.md describes it, or NULL; ERROR gets one
 * line if there is none. */
enum run_grade_end run_grade(const struct run_grading *grading, json_t **result, char *error,
                             size_t size);

/* The result of a submission that is unfit (course/lab.h) to be graded: no check has points, and the build's
 * messages are WHY. A new object. */
json_t *run_grade_unfit(const struct run_grading *grading, const char *why);

#endif
