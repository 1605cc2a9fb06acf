/* A course's rules for a class: how attempts become grades. A course file fills them in (course/course.h);
 * without one they have defaults. */
#ifndef COURSE_TERMS_H
#define COURSE_TERMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "course/exception.h"

/* What a course adds to a lab. */
struct course_lab_terms {
    const char *lab;  /* "01-parallelize" */
    double points;    /* what full marks are worth in the course; 0: the lab's own points */
    double weight;    /* in the total; 0: not counted */
    int64_t deadline; /* UNIX seconds; 0: none */
};

/* By which rules attempts become a grade. */
struct course_terms {
    const char *course;  /* its title; "" */
    bool latest;         /* the latest attempt counts, not the best */
    double late_penalty; /* percent of what was earned, for each day begun after the deadline */
    bool limits_late;    /* attempts that are more than LATE_LIMIT days late do not count */
    unsigned late_limit; /* 0: no late one does */
    unsigned per_day;    /* attempts of a day (UTC) beyond these are not graded; 0: no limit */
    const struct course_lab_terms *labs;
    size_t lab_count; /* labs that are not among these: own points, weight 1, no deadline */
    const struct course_exceptions *exceptions; /* NULL: none */
};

#endif
