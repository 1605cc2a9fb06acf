/* deciders.c: the registers that have a say in what is executed, as long as no other instructions are than
 * those that WORKER has executed since the watch began. */
#ifndef GPU_EXECUTE_DECIDERS_H
#define GPU_EXECUTE_DECIDERS_H

#include <stdbool.h>

#include "gpu/execute/state.h"

enum deciders_answer {
    DECIDERS_SAME,
    DECIDERS_MORE,   /* than at the look before */
    DECIDERS_UNSURE, /* a clock has a say, too */
};
struct deciders *deciders_make(const struct kernel *kernel); /* NULL: out of memory */
void deciders_free(struct deciders *deciders);               /* NULL is allowed */
void deciders_begin(struct deciders *deciders, const struct worker *worker);
enum deciders_answer deciders_look(struct deciders *deciders, const struct worker *worker);
/* For each register of the image's function, whether it is one of them. */
const bool *deciders_of(const struct deciders *deciders, const struct image *image);

#endif
