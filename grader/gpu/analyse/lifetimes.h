/* From where to where in a function's code each register holds a value that is still needed. */
#ifndef GPU_ANALYSE_LIFETIMES_H
#define GPU_ANALYSE_LIFETIMES_H

#include "gpu/ptx/module.h"

struct lifetime {
    uint32_t first, last; /* instructions; a register that nobody names has first > last */
};

/* LIFETIMES has room for FUNCTION's registers. ALL_WRITTEN: no lane reads one that it has not written. Two of them whose lifetimes have no instruction in common
 * may lie in one place, whatever way each lane takes. False when that is not known: memory is out, or
 * the function is too large. */
bool analyse_lifetimes(const struct ptx_function *function, struct lifetime *lifetimes,
                       bool *all_written);

#endif
