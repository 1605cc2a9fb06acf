/* Finds deciders: registers that can affect further execution as long as the worker only executes
 * instructions that it has already executed since deciders_begin(). See deciders.c. */
#ifndef GPU_EXECUTE_DECIDERS_H
#define GPU_EXECUTE_DECIDERS_H

#include <stdbool.h>

#include "gpu/execute/state.h"

enum deciders_answer {
    DECIDERS_SAME,
    DECIDERS_MORE,   /* an instruction was executed for the first time since deciders_begin() */
    DECIDERS_UNSURE, /* a clock can affect execution, too */
};
struct deciders *deciders_make(const struct kernel *kernel); /* returns NULL when out of memory */
void deciders_free(struct deciders *deciders);               /* accepts NULL */
void deciders_begin(struct deciders *deciders, const struct worker *worker);
enum deciders_answer deciders_look(struct deciders *deciders, const struct worker *worker);
/* Returns an array that says, for each register of the image's function, whether it is a
 * decider. */
const bool *deciders_of(const struct deciders *deciders, const struct image *image);

#endif
