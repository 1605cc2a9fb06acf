/* Finds loads of adjacent words, which are fetched together (see quads.c). */
#ifndef GPU_EXECUTE_QUADS_H
#define GPU_EXECUTE_QUADS_H

#include "gpu/execute/kernel.h"

/* Sets mem.quad and mem.word in the loads of the kernel, whose stretches must be known. */
void quads_find(struct kernel *kernel);

#endif
