/* A course's grading policy says how a student's attempts become grades. A course file sets it
 * (course/course.h); without a course file, the defaults apply. */
#ifndef COURSE_POLICY_H
#define COURSE_POLICY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "course/exception.h"

struct course_lab_policy {
    const char *lab;  /* such as "01-parallelize" */
    double points;    /* points for full marks in the course, or 0 for the lab's own points */
    double weight;    /* the lab's weight in the total, or 0 if not counted */
    int64_t deadline; /* UNIX seconds, or 0 if there is no deadline */
};

struct course_policy {
    const char *course; /* the course's title, or "" if there is none */
    bool latest;        /* true if the latest attempt counts, false if the best counts */
    /* penalty for each full or partial day after the deadline, in percent of the earned points */
    double late_penalty;
    bool limits_late;    /* attempts more than `late_limit` days late do not count */
    unsigned late_limit; /* in days, if limits_late is set; 0 if no late attempt counts */
    unsigned per_day;    /* maximum number of attempts graded per day (UTC), or 0 for no limit */
    /* labs that are not in this list have their own points, weight 1 and no deadline */
    const struct course_lab_policy *labs;
    size_t lab_count;
    const struct course_exceptions *exceptions; /* NULL if there are no exceptions */
};

#endif
