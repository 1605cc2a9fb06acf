/* Analyses the control flow of a function: finds the instruction where the lanes of a divergent
 * branch reconverge. Also finds atomics that are only reductions. */
#ifndef GPU_ANALYSE_FLOW_H
#define GPU_ANALYSE_FLOW_H

#include "gpu/ptx/module.h"

/* If instruction i is a branch, sets MEET[i] to the first instruction of its immediate
 * post-dominator, or to code_count if the lanes reconverge only at the function's end. For other
 * instructions, sets MEET[i] to code_count. MEET has code_count entries. Returns false when out of
 * memory. */
bool analyse_reconvergence(const struct ptx_function *function, uint32_t *meet);

/* For each instruction i, sets IS_REDUCTION[i] to whether it is an atom instruction whose result is
 * never read. ptxas turns such an instruction into a reduction. IS_REDUCTION has code_count
 * entries. Returns false when out of memory. */
bool analyse_reductions(const struct ptx_function *function, bool *is_reduction);

#endif
