/* Control flow of a function: where the lanes of a divergent branch reconverge. */
#ifndef GPU_ANALYSE_FLOW_H
#define GPU_ANALYSE_FLOW_H

#include "gpu/ptx/module.h"

/* For each branch, sets MEET[i] to the first instruction of the branch's immediate post-dominator,
 * or to code_count if the lanes reconverge only at the function's end. Other entries become
 * code_count. MEET has code_count entries. False: out of memory. */
bool analyse_reconvergence(const struct ptx_function *function, uint32_t *meet);

/* Sets IS_REDUCTION[i] for each atom whose old value is never read: ptxas turns these into
 * reductions. IS_REDUCTION has code_count entries. False: out of memory. */
bool analyse_reductions(const struct ptx_function *function, bool *is_reduction);

#endif
