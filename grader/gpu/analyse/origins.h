/* Which array of shared memory an address is meant for: all of them lie side by side, so where an access
 * goes does not tell whether it left its own. */
#ifndef GPU_ANALYSE_ORIGINS_H
#define GPU_ANALYSE_ORIGINS_H

#include "gpu/ptx/module.h"

/* VARIABLES, one for each of FUNCTION's registers, gets the shared variable that what is in it was computed
 * from: NULL if there is none, or more than one. */
void analyse_origins(const struct ptx_function *function, const struct ptx_variable **variables);

#endif
