/* Estimates how many registers each thread of a kernel uses on a GPU. */
#ifndef GPU_ANALYSE_USAGE_H
#define GPU_ANALYSE_USAGE_H

#include "gpu/ptx/module.h"

#define USAGE_MOST 255u /* most registers that a thread can have */

/* The properties of PTX code from which its number of registers is estimated. */
struct usage {
    uint32_t live;    /* most registers needed at the same time, with instructions in PTX's order */
    uint32_t hoisted; /* the same, but with loads moved up as far as possible */
    uint32_t instructions;
    bool calls;
    /* the code has divisions or square roots that need temporary registers: of 32-bit integers, of
     * 64-bit integers, of f32 values, of f64 values */
    bool divides, divides_long, divides_f32, divides_f64;
};

/* Finds the properties of FUNCTION, without the functions that it calls. Returns false when out of
 * memory or if the function is too large. */
bool analyse_usage(const struct ptx_function *function, struct usage *usage);

/* Estimates the number of registers, at most 255, that ptxas gives each thread for compute
 * capability 9.0. */
uint32_t usage_registers(const struct usage *usage);

/* Returns the largest number of registers per thread that a kernel's .maxntid, .minnctapersm and
 * .maxnreg allow. */
uint32_t usage_limit(const struct ptx_function *kernel);

#endif
