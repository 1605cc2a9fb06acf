/* A class as one document, lanewise/class/v1 (report/RESULTS.md), made from the store. Every report about
 * a class is written from it. */
#ifndef BATCH_CLASS_H
#define BATCH_CLASS_H

#include <jansson.h>
#include <stdint.h>

#include "batch/store.h"
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

/* A new lanewise/class/v1. NULL: batch_store_error() says why. */
json_t *batch_class(struct batch_store *store, const struct course_terms *terms);

/* The keys that must still be graded for that, in order, each once: [{"key", "lab", "source"}]. */
json_t *batch_class_pending(struct batch_store *store, const struct course_terms *terms);

#endif
