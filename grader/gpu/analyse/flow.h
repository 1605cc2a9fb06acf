/* Control flow of one function: where the lanes that a branch sent apart meet again. */
#ifndef GPU_ANALYSE_FLOW_H
#define GPU_ANALYSE_FLOW_H

#include "gpu/ptx/module.h"

/* For every instruction that is a branch, MEET[i] becomes the index of the first instruction of its
 * immediate post-dominator, or code_count if its lanes meet only at the function's end. Other
 * entries become code_count. MEET has code_count entries. False when memory is out. */
bool analyse_reconvergence(const struct ptx_function *function, uint32_t *meet);

/* For every instruction that is an atom whose old value nobody reads, IS_REDUCTION[i] becomes true,
 * as ptxas turns it into a reduction. IS_REDUCTION has code_count entries, all false before. */
bool analyse_reductions(const struct ptx_function *function, bool *is_reduction);

#endif
