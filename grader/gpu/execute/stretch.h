/* Computes the execution counts of single instructions from a profile, which counts only entries to
 * and early exits from stretches (see stretch.c). */
#ifndef GPU_EXECUTE_STRETCH_H
#define GPU_EXECUTE_STRETCH_H

#include <stdbool.h>
#include <stdint.h>

#include "gpu/execute/state.h"

/* Replaces the differences in PROFILE by the execution counts. Call this when the launch has
 * ended. */
void stretches_add_up(const struct kernel *kernel, struct profile *profile);

/* Returns how often warps have executed the instruction at PC so far. BEFORE is the same number for
 * the preceding instruction. */
static inline uint64_t stretch_warps(const struct worker *worker, uint32_t pc, uint64_t before)
{
    bool follows = worker->launch->kernel->code[pc].follows;
    return worker->profile[pc].warps + (follows ? before : 0);
}

#endif
