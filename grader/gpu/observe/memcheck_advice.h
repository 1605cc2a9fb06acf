/* Advice for accesses outside of memory and at misaligned addresses. The cause often shows in equal
 * numbers: in the sizes of the launch and of the allocation, and in the index of the accessed
 * element. */
#ifndef GPU_OBSERVE_MEMCHECK_ADVICE_H
#define GPU_OBSERVE_MEMCHECK_ADVICE_H

#include "gpu/observe/findings.h"
#include "gpu/observe/view.h"

/* An address below this counts as a null pointer plus an index. */
#define MEMCHECK_NULL_END 65536

/* Returns whether the address is in shared memory, of the thread's own CTA or of another CTA. */
bool memcheck_is_shared(const struct obs_fault *fault);
/* Returns whether the address is in global memory, which consists of allocations. */
bool memcheck_is_global(const struct obs_fault *fault);
/* Returns the allocation that a bad address was probably meant for, or NULL if none is near. */
const struct mem_block *memcheck_block(const struct launch_view *launch,
                                       const struct obs_fault *fault);

/* Writes advice for FAULT to FINDING, together with the rule that led to it and the array that the
 * access was meant for. Writes no advice if the general advice for this kind of fault fits best. */
void memcheck_advise(struct finding *finding, const struct launch_view *launch,
                     const struct obs_fault *fault);

#endif
