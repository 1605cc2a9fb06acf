/* Restores the counts of single instructions, because a profile counts each stretch only once
 * (stretch.c explains stretches). */
#ifndef GPU_EXECUTE_STRETCH_H
#define GPU_EXECUTE_STRETCH_H

#include <stdbool.h>
#include <stdint.h>

#include "gpu/execute/state.h"

/* Restores all counts of PROFILE, in place. Call it when the launch has ended. */
void stretches_add_up(const struct kernel *kernel, struct profile *profile);

/* Returns how often warps have executed the instruction at PC so far. BEFORE is this number for the
 * preceding instruction. */
static inline uint64_t stretch_warps(const struct worker *worker, uint32_t pc, uint64_t before)
{
    bool follows = worker->launch->kernel->code[pc].follows;
    return worker->profile[pc].warps + (follows ? before : 0);
}

#endif
