/* Finds accesses that need no comparison of their own with their pattern (see kin.c). */
#ifndef GPU_EXECUTE_KIN_H
#define GPU_EXECUTE_KIN_H

#include <stdbool.h>

#include "gpu/execute/kernel.h"

/* Sets mem.kin in the loads and stores of the kernel, whose stretches must be known. Returns false
 * when out of memory. */
bool kin_find(struct kernel *kernel);

#endif
