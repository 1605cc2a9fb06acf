/* The lifetime of a register: the range of a function's code in which the register holds a value
 * that is still needed. */
#ifndef GPU_ANALYSE_LIFETIMES_H
#define GPU_ANALYSE_LIFETIMES_H

#include "gpu/ptx/module.h"

struct lifetime {
    /* instruction indices; `first` is above `last` if no instruction names the register */
    uint32_t first, last;
};

/* Writes the lifetime of each of FUNCTION's registers to LIFETIMES. Two registers whose lifetimes
 * do not overlap can share storage, whichever branches the lanes take. Sets *ALL_WRITTEN to whether
 * every register is written before it is read on all paths. Returns false when out of memory or if
 * the function is too large. */
bool analyse_lifetimes(const struct ptx_function *function, struct lifetime *lifetimes,
                       bool *all_written);

#endif
