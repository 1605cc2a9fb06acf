/* Lifetimes of registers: the range of a function's code in which each holds a value that is still
 * needed. */
#ifndef GPU_ANALYSE_LIFETIMES_H
#define GPU_ANALYSE_LIFETIMES_H

#include "gpu/ptx/module.h"

struct lifetime {
    uint32_t first, last; /* instructions; first > last: no instruction names the register */
};

/* Finds the lifetimes of FUNCTION's registers; LIFETIMES has room for all. Two registers whose
 * lifetimes have no common instruction can share one place, whatever paths the lanes take.
 * ALL_WRITTEN: no lane can read a register before it has written it. False: out of memory, or the
 * function is too large. */
bool analyse_lifetimes(const struct ptx_function *function, struct lifetime *lifetimes,
                       bool *all_written);

#endif
