/* Finds deciders: registers that can affect further execution as long as the worker only executes
 * instructions that it has already executed since deciders_begin(). See deciders.c. */
#ifndef GPU_EXECUTE_DECIDERS_H
#define GPU_EXECUTE_DECIDERS_H

#include <stdbool.h>

#include "gpu/execute/state.h"

enum deciders_answer {
    DECIDERS_SAME, /* the deciders are the same as in the previous call */
    /* The worker has executed an instruction that it had not executed before the previous call, so
     * there may be more deciders. */
    DECIDERS_MORE,
    DECIDERS_UNSURE, /* a clock can affect execution, too */
};
struct deciders *deciders_make(const struct kernel *kernel); /* returns NULL when out of memory */
void deciders_free(struct deciders *deciders);               /* accepts NULL */
/* Forgets all deciders, and the instructions that WORKER has executed so far. */
void deciders_begin(struct deciders *deciders, const struct worker *worker);
/* Finds the deciders among the registers of the instructions executed since deciders_begin(). */
enum deciders_answer deciders_look(struct deciders *deciders, const struct worker *worker);
/* Returns an array that says, for each register of the image's function, whether it is a
 * decider. */
const bool *deciders_of(const struct deciders *deciders, const struct image *image);

#endif
