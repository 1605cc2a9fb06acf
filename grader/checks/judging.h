/* What the files that judge a run share. They read runs, and report by verdict.h. */
#ifndef CHECKS_JUDGING_H
#define CHECKS_JUDGING_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "record/case.h"

struct check;
struct run;

/* A result as it is judged, and where it comes from: provenance.c. */
struct answer {
    struct answer *next;
    struct case_array array;
    bool made;            /* kernels made all of it */
    bool same;            /* it is the same with other data, and not all zeros: */
    bool is_other_spoilt; /* that data was spoilt; false: it was another input */
    uint64_t values[];
};

/* The hint for an answer that is wrong, and the same with other data. */
#define CHECK_ADVICE_SAME                                                                          \
    "A kernel must work it out from what cudaMemcpy() has brought to the GPU. main() only copies."

/* The result NAME as it is judged; NULL: there is none. May run the submission again. */
const struct answer *check_answer(struct check *check, const struct run *run, const char *name);
void check_free_answers(struct run *run);

/* The sum of the numbers in COUNTS (a member of the record) whose names are in WHAT, separated by
 * spaces. */
double check_sum(const json_t *counts, const char *what);

/* Has the report show the loss that the figure's counter owes most to, and its cause. False: there
 * is none. */
bool check_point_at_loss(struct check *check, const struct run *run);
/* Has the report show the worst loss of ID, with its cause and advice, if that loss wastes at least half
 * of EXCESS. */
void check_point_at_excess(struct check *check, const struct run *run, const char *id,
                           double excess);

#endif
