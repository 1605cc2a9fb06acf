/* Detects that a launch stands still (see standstill.c). */
#ifndef GPU_EXECUTE_STANDSTILL_H
#define GPU_EXECUTE_STANDSTILL_H

#include <stdbool.h>
#include <stdint.h>

#include "gpu/execute/state.h"

void path_forget(struct path *path); /* forgets the path's earlier state */
/* Checks for a standstill. Call it when each of WORKER's CTAs has only spun in its latest turn.
 * Stops or parks the launch if the CTAs of all workers can never do more than spin. */
void standstill_look(struct worker *worker);
void standstill_forget(struct worker *worker); /* call when a CTA did more than spin */
void standstill_leave(struct worker *worker);  /* call when WORKER has no more CTAs */
/* returns whether a poll has read lent memory */
bool standstill_sees_lent(const struct worker *worker);
/* Returns the number of memory changes that WORKER's CTAs have made so far. */
uint64_t standstill_changes(const struct worker *worker);

#endif
