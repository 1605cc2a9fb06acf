/* Reads the course file, a small file in which an instructor configures a course without changing
 * code.
 *
 *     course: CUDA for scientists, autumn 2026
 *     attempts: latest              # which attempt counts: best (the default) or latest
 *     late: {penalty: 10, days: 3}  # 10 % lost for each day late; no points after 3 days
 *     per_day: 5                    # at most 5 attempts a day are graded
 *     labs:                         # the labs that count; without this key, all labs count
 *       01-parallelize:
 *         deadline: 2026-10-12
 *       02-coalesce:
 *         points: 20                # points for full marks
 *         weight: 2                 # counts twice in the total
 *         deadline: 2026-10-19 18:00 +02:00
 *         checks:
 *           correct: {points: 20}
 *           sectors: {points: 60, full: 6, naive: 30}
 *     students:                     # exceptions for single students (course/exception.h)
 *       s017:
 *         02-coalesce: {deadline: 2026-10-26}
 *
 * This module only reads and validates the file. lab_set_terms() applies the changed points and
 * thresholds (the "terms") to gradings; batch/class.h applies the policy to a class. */
#ifndef COURSE_COURSE_H
#define COURSE_COURSE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "course/exception.h"
#include "course/lab.h"
#include "course/policy.h"

struct course_lab {
    char name[LAB_NAME_SIZE];
    /* changed points and thresholds, for lab_set_terms(), or NULL if there is none */
    json_t *terms;
};

struct course {
    char title[200];                  /* the course's title, or "" if it has none */
    struct course_lab labs[MAX_LABS]; /* in the file's order */
    size_t lab_count;
    struct course_exceptions exceptions;
    struct course_policy policy; /* points into this struct, which must not move */
    struct course_lab_policy lab_policies[MAX_LABS]; /* same order as labs */
};

/* Reads and validates the course file PATH. If PATH is NULL, all labs count with the points that
 * their checks.c files declare. On failure returns false, COURSE is empty, and ERROR (SIZE bytes,
 * 4096 are enough) has a line "PATH:LINE: ..." for each mistake. */
bool course_read(const char *path, struct course *course, char *error, size_t size);
void course_free(struct course *course);

/* Returns the lab of the course whose full name is NAME, or NULL if there is none. */
const struct course_lab *course_find(const struct course *course, const char *name);

#endif
