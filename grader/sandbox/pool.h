/* Runs many small jobs at once, each in a process of its own: grade_submission() does one at a time. */
#ifndef SANDBOX_POOL_H
#define SANDBOX_POOL_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

struct process_pool {
    size_t count;
    unsigned jobs; /* at most so many at a time */
    void *context;
    /* In this process, just before the child of job I: false stops the pool. NULL: nothing to do. */
    bool (*prepare)(size_t i, void *context);
    /* In the child: does job I. Signals reach it as they reach this process. */
    json_t *(*work)(size_t i, void *context);
    /* In this process, when job I has ended: ANSWER is what it returned, NULL if the child failed, and
     * stays the pool's. False stops the pool. */
    bool (*done)(size_t i, const json_t *answer, void *context);
    /* Some ten times a second meanwhile. NULL: nothing to do. */
    void (*tick)(void *context);
};

/* Calls WORK(i) for each i below COUNT, in their order. False: it was stopped by one of its functions or by
 * process_interrupt(), and what was under way was ended (SIGTERM) and is not done. No child is left. */
bool process_pool_run(const struct process_pool *pool);

#endif
