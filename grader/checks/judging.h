/* Declares functions that several files for judging a run share. */
#ifndef CHECKS_JUDGING_H
#define CHECKS_JUDGING_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/case.h"

struct check;
struct run;

/* The values of a result that are judged, and where they come from (provenance.c). */
struct answer {
    struct answer *next;
    struct case_array array;
    bool made; /* kernels made all bytes of the result */
    /* the result stays the same with other data on the GPU, and is not all zeros */
    bool same;
    bool is_other_spoilt; /* the other data was spoilt data (inputs.h); if false, the decoy */
    uint64_t values[];
};

/* The hint for a wrong answer that stays the same with other data on the GPU. */
#define CHECK_ADVICE_SAME                                                                          \
    "A kernel must compute the answer from the data that cudaMemcpy() copied to the GPU. main() may only copy."

/* Returns the values of the result NAME that are judged, or NULL if there is no such result. May
 * run the submission again. */
const struct answer *check_answer(struct check *check, const struct run *run, const char *name);
void check_free_answers(struct run *run);

/* Returns the sum of those numbers in COUNTS, a member of the record, whose names are in WHAT.
 * Spaces separate the names. */
double check_sum(const json_t *counts, const char *what);

/* Takes the place of a counter in check_show_counter(): the predicted time. */
#define CHECK_PREDICTED_TIME "predicted time"

/* Returns the predicted time of all kernels of RUN and of all copies within the GPU, in
 * microseconds, rounded to tenths. Kernels whose warps wait for each other have no predicted
 * time. */
double check_predicted_time(const struct run *run);
/* Returns what limits the speed of the slowest launch, such as "shared memory". Returns "copies" if
 * the copies take longer than each launch. */
const char *check_predicted_limit(const struct run *run);

/* Makes the report show the loss (a finding about wasted work) that contributes most to the
 * figure's counter, and its cause. Returns false if there is no such loss. */
bool check_point_at_loss(struct check *check, const struct run *run);
/* If the worst loss of type ID wastes at least half of EXCESS, makes the report show it with its
 * cause and advice. */
void check_point_at_excess(struct check *check, const struct run *run, const char *id,
                           double excess);

#endif
