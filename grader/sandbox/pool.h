/* Runs many jobs at once, each in a child process: grade_submission() grades one submission at a time. */
#ifndef SANDBOX_POOL_H
#define SANDBOX_POOL_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

struct process_pool {
    size_t count;
    unsigned jobs; /* at a time, at most */
    void *context;
    /* In this process, before job I starts. False stops the pool. May be NULL. */
    bool (*prepare)(size_t i, void *context);
    /* In the child: does job I. Signals to this process's group reach it, too. */
    json_t *(*work)(size_t i, void *context);
    /* In this process, after job I. ANSWER is the result of WORK, or NULL if the child failed; the pool
     * frees it. False stops the pool. */
    bool (*done)(size_t i, const json_t *answer, void *context);
    /* In this process, about ten times a second. May be NULL. */
    void (*tick)(void *context);
};

/* Starts WORK(i) for each i below COUNT, in this order. False: one of the functions or process_interrupt()
 * stopped the pool; running jobs were ended by SIGTERM, without a call of DONE. No child is left. */
bool process_pool_run(const struct process_pool *pool);

#endif
