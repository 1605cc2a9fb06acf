/* Advice for accesses outside of memory and at misaligned addresses. Equal numbers often show the
 * cause: the sizes of the launch and of the allocation, and the index of the accessed element. */
#ifndef GPU_OBSERVE_MEMCHECK_ADVICE_H
#define GPU_OBSERVE_MEMCHECK_ADVICE_H

#include "gpu/observe/findings.h"
#include "gpu/observe/view.h"

/* A lower address counts as a null pointer plus an index. */
#define MEMCHECK_NULL_END 65536

/* Returns whether the address is in shared memory, of the thread's own CTA or of another CTA. */
bool memcheck_is_shared(const struct obs_fault *fault);
/* Returns whether the address is in global memory, which consists of allocations. */
bool memcheck_is_global(const struct obs_fault *fault);
/* Returns the allocation at which a bad address was probably aimed, or NULL if none is near. */
const struct mem_block *memcheck_block(const struct launch_view *launch,
                                       const struct obs_fault *fault);

/* Writes to FINDING advice for FAULT, what the advice has deduced, and the array that the access
 * was meant for. Writes no advice if the general advice for its kind is best. */
void memcheck_advise(struct finding *finding, const struct launch_view *launch,
                     const struct obs_fault *fault);

#endif
