/* Finds the instructions that the counter wide_operations counts (see wide.c). */
#ifndef GPU_EXECUTE_WIDE_H
#define GPU_EXECUTE_WIDE_H

#include <stdbool.h>

#include "gpu/execute/kernel.h"

/* Sets `is_wide` and `adds` in the instructions of the kernel. Returns false when out of memory. */
bool wide_find(struct kernel *kernel);

/* Returns whether the instruction adds or multiplies numbers of TYPE, or does both. */
bool wide_adds_in(const struct ptx_instruction *in, enum ptx_type type);

#endif
