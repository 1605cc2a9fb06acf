/* Advice for accesses outside of memory and at misaligned addresses. What the launch and the
 * allocation have in common may tell the cause: their sizes, and which element a thread wants. */
#ifndef GPU_OBSERVE_MEMCHECK_ADVICE_H
#define GPU_OBSERVE_MEMCHECK_ADVICE_H

#include "gpu/observe/findings.h"
#include "gpu/observe/view.h"

/* The end of the addresses that are taken for a null pointer plus an index. */
#define MEMCHECK_NULL_END 65536

/* Returns whether the address is in shared memory, of the thread's own CTA or of another CTA. */
bool memcheck_is_shared(const struct obs_fault *fault);
/* Returns whether the address is in memory that consists of allocations. */
bool memcheck_is_global(const struct obs_fault *fault);
/* Returns the allocation that a bad address was probably meant for, or NULL if none is near. */
const struct mem_block *memcheck_block(const struct launch_view *launch,
                                       const struct obs_fault *fault);

/* Writes to FINDING advice for FAULT, what the advice has deduced, and the array that the access
 * was meant for. Writes no advice if the general advice for its kind is best. */
void memcheck_advise(struct finding *finding, const struct launch_view *launch,
                     const struct obs_fault *fault);

#endif
