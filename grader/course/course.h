/* The course file: what an instructor decides, in one small file, without touching code.
 *
 *     course: CUDA for scientists, autumn 2026
 *     attempts: latest              # of several hand-ins this one counts; or best, the default
 *     late: {penalty: 10, days: 3}  # percent lost with each day begun after a deadline; then nothing
 *     per_day: 5                    # attempts of a day beyond these are not graded
 *     labs:                         # the ones that count; without it, all
 *       01-parallelize:
 *         deadline: 2026-10-12
 *       02-coalesce:
 *         points: 20                # what full marks are worth; or
 *         weight: 2                 # how often it counts in the total
 *         deadline: 2026-10-19 18:00 +02:00
 *         checks:
 *           correct: {points: 20}
 *           sectors: {points: 60, full: 6, naive: 30}
 *     students:                     # what is different for one of them: course/exception.h
 *       s017:
 *         02-coalesce: {deadline: 2026-10-26}
 *
 * Reading and judging it does nothing else: what follows from it is done where gradings are made
 * (lab_set_terms) and where a class's attempts become grades (batch/class.h). */
#ifndef COURSE_COURSE_H
#define COURSE_COURSE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "course/exception.h"
#include "course/lab.h"
#include "course/terms.h"

struct course_lab {
    char name[LAB_NAME_SIZE];
    json_t *terms; /* for lab_set_terms(); NULL: as the lab declares */
};

struct course {
    char title[200];                  /* "" if not said */
    struct course_lab labs[MAX_LABS]; /* in the file's order */
    size_t lab_count;
    struct course_exceptions exceptions;
    struct course_terms rules;                   /* its pointers lead into this course, */
    struct course_lab_terms lab_rules[MAX_LABS]; /* which must stay where it is */
};

/* Reads and validates the course file PATH; NULL: what holds where there is none, all labs as they are
 * declared. False: ERROR (SIZE bytes, 4096 are enough) has a line "PATH:LINE: what is wrong" for each
 * mistake, and COURSE is empty. */
bool course_read(const char *path, struct course *course, char *error, size_t size);
void course_free(struct course *course);

/* What it says of lab NAME; NULL: the lab does not count. */
const struct course_lab *course_find(const struct course *course, const char *name);

#endif
