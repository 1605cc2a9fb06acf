/* Loads that look at a flag: what tells waiting for another thread from using its data too early, and
 * the first guess of a compare-and-swap loop from a value that must be right. */
#ifndef GPU_ANALYSE_FLAGS_H
#define GPU_ANALYSE_FLAGS_H

#include "gpu/ptx/module.h"

enum analyse_flag_use {
    FLAG_COMPARED = 1,     /* the value is only compared */
    FLAG_POLLED = 2,       /* it decides when a loop ends that loads it again, from anywhere */
    FLAG_POLLED_THERE = 4, /* and from the same address each time */
    FLAG_GUESSED = 8,      /* an atomicCAS() compares it with what is there */
};

/* How FUNCTION uses what the load at PC loads: bits of enum analyse_flag_use; 0 also when memory is
 * out. */
unsigned analyse_flag(const struct ptx_function *function, uint32_t pc);

#endif
