/* Runs many jobs in parallel, each in a child process, because one process can grade only one
 * submission at a time (grade_submission()). */
#ifndef SANDBOX_POOL_H
#define SANDBOX_POOL_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

struct process_pool {
    size_t count;
    unsigned jobs; /* maximum number of jobs that run at the same time */
    void *context;
    /* Called in this process before job I starts. Returns false to stop the pool. May be NULL. */
    bool (*prepare)(size_t i, void *context);
    /* Called in the child to do job I. Signals to the parent's process group also reach the
     * child. */
    json_t *(*work)(size_t i, void *context);
    /* Called in this process after job I. ANSWER is the result of WORK, or NULL if the child
     * failed. The pool frees ANSWER. Returns false to stop the pool. */
    bool (*done)(size_t i, const json_t *answer, void *context);
    /* Called in this process about ten times a second. May be NULL. */
    void (*tick)(void *context);
};

/* Starts WORK(i) for each i below COUNT, in ascending order. Returns false if one of the
 * functions or process_interrupt() has stopped the pool. In that case, the running jobs were
 * ended by SIGTERM, and DONE was not called for them. When this function returns, all children
 * have ended. */
bool process_pool_run(const struct process_pool *pool);

#endif
