/* Finds the array in shared memory to which an address belongs. Arrays are next to each other, so
 * the address alone does not show whether an access is outside of its array. */
#ifndef GPU_ANALYSE_ORIGINS_H
#define GPU_ANALYSE_ORIGINS_H

#include "gpu/ptx/module.h"

/* For each of FUNCTION's registers, writes to VARIABLES the shared variable from whose address the
 * register's value is computed. Writes NULL if there is no such variable, or more than one. */
void analyse_origins(const struct ptx_function *function, const struct ptx_variable **variables);

#endif
