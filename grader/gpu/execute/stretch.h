/* Profiles count a whole stretch once (stretch.c). This restores the count of each instruction. */
#ifndef GPU_EXECUTE_STRETCH_H
#define GPU_EXECUTE_STRETCH_H

#include <stdbool.h>
#include <stdint.h>

#include "gpu/execute/state.h"

/* Restores the counts of a whole PROFILE when the launch has ended. */
void stretches_add_up(const struct kernel *kernel, struct profile *profile);

/* Warps that executed the instruction at PC so far; BEFORE: those that executed the one before
 * it. */
static inline uint64_t stretch_warps(const struct worker *worker, uint32_t pc, uint64_t before)
{
    bool follows = worker->launch->kernel->code[pc].follows;
    return worker->profile[pc].warps + (follows ? before : 0);
}

#endif
