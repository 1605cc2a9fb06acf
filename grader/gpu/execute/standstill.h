/* Detects that no thread of a launch can ever do more than poll (see standstill.c). */
#ifndef GPU_EXECUTE_STANDSTILL_H
#define GPU_EXECUTE_STANDSTILL_H

#include <stdbool.h>
#include <stdint.h>

#include "gpu/execute/state.h"

void path_forget(struct path *path); /* forgets the path's earlier state */
/* Checks for a standstill. Call this when each of WORKER's CTAs has only spun in its latest turn.
 * Stops or parks the launch if all CTAs of all workers can only spin for ever. */
void standstill_look(struct worker *worker);
void standstill_forget(struct worker *worker); /* call this when a CTA did more than spin */
void standstill_leave(struct worker *worker);  /* call this when WORKER has no more CTAs */
/* Returns whether a poll has read memory that the program lends to the device. */
bool standstill_sees_lent(const struct worker *worker);
/* Returns how often WORKER's CTAs have changed memory so far. */
uint64_t standstill_changes(const struct worker *worker);

#endif
