/* Adds up the totals of a class, from its lanewise/class/v1: the distribution of scores, the
 * results of each check, the frequency of each finding, and the mean scores by attempt. For each
 * student and lab, only the attempt that counts is included (except in the mean scores by attempt).
 * The functions are pure. Strings and JSON values belong to the document. */
#ifndef REPORT_CLASS_TOTALS_H
#define REPORT_CLASS_TOTALS_H

#include <jansson.h>
#include <stddef.h>

#define CLASS_BINS     11 /* bins of a histogram: below 10 %, ..., below 100 %, exactly 100 % */
#define CLASS_ATTEMPTS 8  /* maximum number of attempts that are shown */

/* The result of a check. */
enum class_outcome {
    CLASS_PASSED,
    CLASS_PARTIAL,
    CLASS_FAILED,
    CLASS_TIMEOUT,
    CLASS_CRASHED, /* the program crashed, or ended without a result */
    CLASS_NOT_BUILT,
    CLASS_OUTCOMES
};

struct class_check {
    const char *lab, *id, *title;
    unsigned graded, outcomes[CLASS_OUTCOMES];
    double lost; /* points that all students together lost */
    double max_points;
};

struct class_finding {
    const char *lab, *id, *severity;
    /* number of students without full marks whose programs have this finding */
    unsigned students;
    const json_t *example; /* this finding in one of these programs */
};

struct class_trend {
    double sum; /* sum of the scores of this attempt, each as a fraction of the full score */
    unsigned count;
};

struct class_lab {
    const char *lab, *title;
    /* numbers of students; `open` are those in review or not graded yet */
    unsigned graded, full, missing, not_built, open;
    double sum; /* sum of the scores, each as a fraction of the full score */
    unsigned bins[CLASS_BINS];
    struct class_trend trend[CLASS_ATTEMPTS];
};

struct class_totals {
    unsigned students;
    unsigned bins[CLASS_BINS]; /* numbers of students, by their total score */
    struct class_lab *labs;
    size_t lab_count;
    struct class_check *checks; /* checks, sorted by lab and in the order of each lab */
    size_t check_count;
    struct class_finding *findings; /* errors before warnings, each sorted by frequency */
    size_t finding_count;
};

/* Adds up CLASS. Free the totals with report_class_totals_free(). */
void report_class_totals(const json_t *class, struct class_totals *totals);
void report_class_totals_free(struct class_totals *totals);

#endif
