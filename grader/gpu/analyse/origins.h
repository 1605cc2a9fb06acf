/* The array of shared memory that an address is meant for. Arrays lie side by side, so the address
 * alone does not show whether an access has left its array. */
#ifndef GPU_ANALYSE_ORIGINS_H
#define GPU_ANALYSE_ORIGINS_H

#include "gpu/ptx/module.h"

/* For each of FUNCTION's registers, writes to VARIABLES the shared variable that the register's
 * value is computed from. NULL: none, or more than one. */
void analyse_origins(const struct ptx_function *function, const struct ptx_variable **variables);

#endif
