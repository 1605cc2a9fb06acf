/* Grades all pending submissions, several at a time, each in its own process. Each grade is stored
 * as soon as its grading ends.
 *
 *     pending --process_pool_run()--> worker: grade_submission() --answer--> store
 *
 * Only this process writes to the store. If a worker dies, only its own grading is lost. */
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
    const json_t *pending; /* the array that batch_class_pending() returns */
    const struct batch_lab *labs;
    size_t lab_count;
    unsigned jobs;
    enum grading_device device;
    const char *gpu_name, *gpu_arch;
    struct grade_seed seed;
    const struct seal_key *key; /* the key that seals the results, or NULL if they get no seal */
    bool unsafe;
    /* Is called after each grading, and about ten times a second. DONE is the number of gradings
     * that have ended; FAILED of them failed and need a review. */
    void (*progress)(size_t done, size_t failed, void *context);
    void *context;
};

enum batch_end {
    BATCH_FINISHED,
    BATCH_INTERRUPTED,
    /* the machine cannot grade (no compiler, full disk), and ERROR says what to do */
    BATCH_STOPPED,
};

struct batch_outcome {
    size_t done, failed; /* number of gradings that ended in this run, and of those that failed */
    char error[6000];
};

/* Grades all pending submissions. If it stops early, the grades made so far are in the store. */
enum batch_end batch_grade(const struct batch_queue *queue, struct batch_outcome *outcome);

/* Grades SOURCE for LAB in this process, as a worker process does. Returns {"end": enum grade_end,
 * "error", "result"}. The result shows the lab's file name, not the student's. */
json_t *batch_grade_one(const struct batch_queue *queue, const struct lab *lab,
                        const struct text *source);

/* Stores ANSWER, the result of batch_grade_one() for the pending ENTRY. ANSWER is NULL if the
 * worker died. *GRADED becomes true if ANSWER has a grade. On failure returns false, and
 * batch_store_error() says why. */
bool batch_keep(const struct batch_queue *queue, const json_t *entry, const json_t *answer,
                bool *graded);

#endif
