/* Grades what is pending: several at a time, each in a process of its own, each kept as soon as it is done.
 *
 *     pending --process_pool_run()--> worker: grade_submission() --answer--> store
 *
 * Only this process writes to the store. A worker that dies takes nothing with it. */
#ifndef BATCH_QUEUE_H
#define BATCH_QUEUE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "batch/scan.h"
#include "batch/store.h"
#include "grade/seal.h"

struct batch_queue {
    struct batch_store *store;
    const json_t *pending; /* as batch_class_pending() returns it */
    const struct batch_lab *labs;
    size_t lab_count;
    unsigned jobs;
    enum grading_device device;
    const char *gpu_name, *gpu_arch;
    uint64_t seed;
    const struct seal_key *key; /* signs what is kept; NULL: nobody does */
    bool unsafe;
    /* Told after each grading and some ten times a second: FAILED of DONE are for review. */
    void (*progress)(size_t done, size_t failed, void *context);
    void *context;
};

enum batch_end {
    BATCH_FINISHED,
    BATCH_INTERRUPTED,
    BATCH_STOPPED, /* the machine cannot grade (no compiler, no disk): ERROR says what to do */
};

struct batch_outcome {
    size_t done, failed; /* gradings that were made or failed in this run */
    char error[6000];
};

/* Grades all that is pending. What was finished when it stopped is in the store. */
enum batch_end batch_grade(const struct batch_queue *queue, struct batch_outcome *outcome);

/* Grades SOURCE for LAB as a worker does, in this process: {"end": enum grade_end, "error", "result"}.
 * The result calls the submission by the lab's file name, whosever it is. */
json_t *batch_grade_one(const struct batch_queue *queue, const struct lab *lab,
                        const struct text *source);

/* Keeps such an answer (NULL: the worker died) for ENTRY of the pending ones. False: batch_store_error().
 * *GRADED: there is a grade now. */
bool batch_keep(const struct batch_queue *queue, const json_t *entry, const json_t *answer,
                bool *graded);

#endif
