/* Finds the array in shared memory to which an address belongs. Arrays are next to each other, so
 * the address alone does not show whether an access is outside of its array. */
#ifndef GPU_ANALYSE_ORIGINS_H
#define GPU_ANALYSE_ORIGINS_H

#include "gpu/ptx/module.h"

/* For each register of FUNCTION, writes to VARIABLES the shared variable whose address the
 * register's value is computed from. Writes NULL if there is no such variable, or more than one. */
void analyse_origins(const struct ptx_function *function, const struct ptx_variable **variables);

#endif
