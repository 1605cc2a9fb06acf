/* Runs many small jobs at once, each in a process of its own: run_grade() does one at a time. */
#ifndef RUN_POOL_H
#define RUN_POOL_H

#include <jansson.h>
#include <stddef.h>

/* Calls WORK(i, CONTEXT) for each i below COUNT in a child process, at most JOBS at a time. What it
 * returns goes to ANSWERS[i], which the caller frees; NULL where the child failed. */
void run_pool(size_t count, unsigned jobs, json_t *(*work)(size_t i, void *context), void *context,
              json_t **answers);

#endif
