/* Finds the first uses of a loaded value: the instructions at which a warp waits for the load. */
#ifndef GPU_ANALYSE_USES_H
#define GPU_ANALYSE_USES_H

#include <stdbool.h>

#include "gpu/ptx/module.h"

/* A callback, which gets the index of an instruction. */
typedef void uses_visit(void *context, uint32_t at);

/* On each path from the instruction at FROM, visits the first instruction that uses the value that
 * FROM writes to a register. Ignores uses that are more than MOST instructions away. A copy by mov
 * does not count as a use, but the uses of the copy do. An instruction can be visited more than
 * once. Returns false when out of memory. */
bool analyse_first_uses(const struct ptx_function *function, uint32_t from, uint32_t most,
                        uses_visit *visit, void *context);

/* Returns whether the instruction at AT is an arrival at an mbarrier whose state is not only waited
 * for: the state also has the number of pending arrivals. Returns false when out of memory. */
bool analyse_counts_arrivals(const struct ptx_function *function, uint32_t at);

#endif
