/* A course's grading policy: how a student's attempts become grades. A course file sets it
 * (course/course.h); without one the defaults hold. */
#ifndef COURSE_POLICY_H
#define COURSE_POLICY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "course/exception.h"

struct course_lab_policy {
    const char *lab;  /* "01-parallelize" */
    double points;    /* worth of full marks in the course; 0: the lab's own points */
    double weight;    /* in the total; 0: not counted */
    int64_t deadline; /* UNIX seconds; 0: none */
};

struct course_policy {
    const char *course;  /* its title; "" */
    bool latest;         /* the latest attempt counts, not the best */
    double late_penalty; /* percent of the earned points, for each day begun after the deadline */
    bool limits_late;    /* attempts more than LATE_LIMIT days late do not count */
    unsigned late_limit; /* 0: no late attempt counts */
    unsigned per_day;    /* at most this many attempts of a day (UTC) are graded; 0: no limit */
    /* Labs missing here have their own points, weight 1 and no deadline. */
    const struct course_lab_policy *labs;
    size_t lab_count;
    const struct course_exceptions *exceptions; /* NULL: none */
};

#endif
