/* Loads that poll a flag. This tells a thread that waits for another one from a thread that uses
 * its data too early, and the first guess of a compare-and-swap loop from a value that must be up
 * to date. */
#ifndef GPU_ANALYSE_FLAGS_H
#define GPU_ANALYSE_FLAGS_H

#include "gpu/ptx/module.h"

enum analyse_flag_use {
    FLAG_COMPARED = 1,     /* the value is only compared */
    FLAG_POLLED = 2,       /* it ends a loop that loads again, from any address */
    FLAG_POLLED_THERE = 4, /* the same, and the address stays the same */
    FLAG_GUESSED = 8,      /* an atomicCAS() compares it with the value in memory */
};

/* How FUNCTION uses the value that the load at PC loads: bits of enum analyse_flag_use. 0 also if
 * out of memory. */
unsigned analyse_flag(const struct ptx_function *function, uint32_t pc);

/* Sets POLLS[i] for each load, also an ordinary one, that only waits: it ends a loop that loads
 * from the same address again and writes no memory. POLLS has code_count entries. */
void analyse_polls(const struct ptx_function *function, bool *polls);

#endif
