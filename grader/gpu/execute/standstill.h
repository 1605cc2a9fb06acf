/* standstill.c */
#ifndef GPU_EXECUTE_STANDSTILL_H
#define GPU_EXECUTE_STANDSTILL_H

#include <stdbool.h>
#include <stdint.h>

#include "gpu/execute/state.h"

void path_forget(struct path *path); /* what it was like before */
/* All of the WORKER's CTAs have had a turn in which they did nothing but spin: stops or parks the launch if
 * none of all workers' can ever do more. */
void standstill_look(struct worker *worker);
void standstill_forget(struct worker *worker);            /* some CTA did more than spin */
void standstill_leave(struct worker *worker);             /* it has no CTAs any more */
bool standstill_sees_lent(const struct worker *worker);   /* some wait is for memory that is lent */
uint64_t standstill_changes(const struct worker *worker); /* of memory, that it has made so far */

#endif
