/* The sums of a class, from its lanewise/class/v1: how the scores lie, how many pass each check, which
 * findings are how frequent, how scores grow from attempt to attempt. Of each student and lab the attempt
 * that counts is taken. Pure: no input, no output. Texts and results belong to the document. */
#ifndef REPORT_CLASS_TOTALS_H
#define REPORT_CLASS_TOTALS_H

#include <jansson.h>
#include <stddef.h>

#define CLASS_BINS     11 /* shares of the full score: below 10 %, ..., below 100 %, and all of it */
#define CLASS_ATTEMPTS 8  /* later ones are not shown */

/* What became of a check. */
enum class_outcome {
    CLASS_PASSED,
    CLASS_PARTIAL,
    CLASS_FAILED,
    CLASS_TIMEOUT,
    CLASS_CRASHED, /* or no result came back */
    CLASS_NOT_BUILT,
    CLASS_OUTCOMES
};

struct class_check {
    const char *lab, *id, *title;
    unsigned graded, outcomes[CLASS_OUTCOMES];
    double lost; /* points, over all students */
    double max_points;
};

struct class_finding {
    const char *lab, *id, *severity;
    unsigned students;     /* who has it, anywhere in a program without full marks */
    const json_t *example; /* of one of them */
};

struct class_trend {
    double sum; /* of the shares of the full score that this attempt got */
    unsigned count;
};

struct class_lab {
    const char *lab, *title;
    unsigned graded, full, missing, not_built, open; /* open: under review, or not graded yet */
    double sum;                                      /* of the shares of the full score */
    unsigned bins[CLASS_BINS];
    struct class_trend trend[CLASS_ATTEMPTS];
};

struct class_totals {
    unsigned students;
    unsigned bins[CLASS_BINS]; /* of the totals that there are */
    struct class_lab *labs;
    size_t lab_count;
    struct class_check *checks; /* in the order of labs, and of each lab's checks */
    size_t check_count;
    struct class_finding *findings; /* errors and warnings, the most frequent first */
    size_t finding_count;
};

/* Adds up CLASS; report_class_totals_free() frees what it holds. */
void report_class_totals(const json_t *class, struct class_totals *totals);
void report_class_totals_free(struct class_totals *totals);

#endif
