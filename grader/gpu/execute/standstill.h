/* Standstill of a launch: standstill.c explains it. */
#ifndef GPU_EXECUTE_STANDSTILL_H
#define GPU_EXECUTE_STANDSTILL_H

#include <stdbool.h>
#include <stdint.h>

#include "gpu/execute/state.h"

void path_forget(struct path *path); /* forgets its past state */
/* Call when all of the WORKER's CTAs have had a turn in which they only spun. Stops or parks the
 * launch if no worker's CTAs can ever do more. */
void standstill_look(struct worker *worker);
void standstill_forget(struct worker *worker);          /* some CTA did more than spin */
void standstill_leave(struct worker *worker);           /* it has no more CTAs */
bool standstill_sees_lent(const struct worker *worker); /* some thread polls memory that is lent */
uint64_t
standstill_changes(const struct worker *worker); /* the changes of memory that it has made so far */

#endif
