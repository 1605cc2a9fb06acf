/* Composes lanewise/result/v1 (report/RESULTS.md) from the verdicts of a lab's checks. */
#ifndef GRADE_RESULT_H
#define GRADE_RESULT_H

#include "grade/grade.h"

/* The parts of a result while it is composed. */
struct grade_result {
    const struct grading *grading;
    enum sandbox_level level;
    const struct compile_build *build;  /* the build for the graded device */
    json_t *checks, *causes, *findings; /* members of the result */
    /* members of the result, which record/lines.h adds up over all checks */
    json_t *lines, *accesses;
    json_t *shown;     /* JSON member "shown": the pictures of all checks */
    json_t *timelines; /* JSON member "timelines": the timelines of all checks */
    json_t *hints;     /* the hints that the lab declares for the checks */
    json_t *works;     /* the work of each check's runs, in warp instructions */
    bool guessed;      /* the message of an earlier check already explains the mistake */
};

void grade_result_begin(struct grade_result *result, const struct grading *grading,
                        enum sandbox_level level, const struct compile_build *build);
void grade_result_free(struct grade_result *result);

/* Adds VERDICT, the verdict on the check DECLARED. */
void grade_result_add(struct grade_result *result, const json_t *declared, const json_t *verdict);

/* Returns a new object: the verdict on the check DECLARED if the submission was not built. If it
 * was built for the GPU but not for the emulator, MESSAGES is the compiler's messages; otherwise it
 * is NULL. */
json_t *grade_unbuilt_verdict(const json_t *declared, const char *messages);

/* Returns a new object with the result, but without its optional members. Returns NULL when out of
 * memory. */
json_t *grade_result_compose(const struct grade_result *result, double seconds);

/* Adds the optional members: a course's terms, the data for pictures, and the fingerprint of the
 * built program. */
void grade_result_add_optional(const struct grade_result *result, json_t *document);

#endif
