/* Tracks the values that shuffles have read from absent lanes, and the values computed from them.
 * See absent.c. */
#ifndef GPU_EXECUTE_ABSENT_H
#define GPU_EXECUTE_ABSENT_H

#include "gpu/execute/state.h"

/* Records that the lanes of MASK are about to read, in a shuffle, from the lanes in SOURCE. Call
 * this if a source lane is absent or warp->absent is set. */
void absent_shuffle(struct warp *warp, const struct inst *inst, const uint32_t *source,
                    uint32_t mask);
/* Records that LANES are about to reach the instruction at PC, and that ACTIVE of them execute it.
 * Call this if warp->absent is set. */
void absent_follow(struct warp *warp, uint32_t pc, uint32_t lanes, uint32_t active);
void absent_forget(struct warp *warp);

#endif
