/* Reads exceptions for single students from the course file:
 *
 *     students:
 *       s017:
 *         02-coalesce: {deadline: 2026-10-26, why: was ill}    # more time
 *         03-shared-reduce: {points: 15, why: oral exam}       # replaces the grader's points
 *         04-bank-conflicts: excused                           # does not count for this student */
#ifndef COURSE_EXCEPTION_H
#define COURSE_EXCEPTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "course/lab.h"
#include "course/settings.h"

struct course_exception {
    char *student; /* the id, normalised (NFC) */
    char lab[LAB_NAME_SIZE];
    int64_t deadline; /* in UNIX seconds, or 0 if the lab's own deadline applies */
    /* `excused`: the lab does not count; `by_hand`: POINTS replace the grader's points */
    bool excused, by_hand;
    double points; /* in points of this course, with no late penalty */
    char *why;     /* the instructor's reason, or "" if none is given */
    size_t line;   /* line in the course file */
};

struct course_exceptions {
    struct course_exception *all;
    size_t count;
};

/* Returns the points for full marks in lab NAME, or 0 if the lab does not count. */
typedef double (*course_full_marks)(const void *context, const char *name);

/* Reads the mapping NODE. Reports mistakes as complaints of SETTINGS. The caller frees EXCEPTIONS
 * even after complaints. */
void course_exceptions_read(struct settings *settings, const yaml_node_t *node,
                            course_full_marks full_marks, const void *context,
                            struct course_exceptions *exceptions);
void course_exceptions_free(struct course_exceptions *exceptions);

/* Returns the exception for STUDENT in LAB, or NULL if there is none. */
const struct course_exception *course_exception_find(const struct course_exceptions *exceptions,
                                                     const char *student, const char *lab);

#endif
