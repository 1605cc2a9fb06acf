/* Estimates the number of registers that each thread of a kernel uses on a GPU. */
#ifndef GPU_ANALYSE_USAGE_H
#define GPU_ANALYSE_USAGE_H

#include "gpu/ptx/module.h"

#define USAGE_MOST 255u /* maximum registers of a thread */

/* The properties of PTX code from which its number of registers is estimated. */
struct usage {
    /* maximum registers needed at the same time, with the instructions in PTX's order */
    uint32_t live;
    uint32_t hoisted; /* the same, but with loads moved up as far as possible */
    uint32_t instructions;
    bool calls;
    /* whether the code has divisions or square roots, which need temporary registers; in this
     * order, of 32-bit integers, 64-bit integers, f32 and f64 */
    bool divides, divides_long, divides_f32, divides_f64;
};

/* Finds the properties of FUNCTION alone, without the functions that it calls. Returns false when
 * out of memory or if the function is too large. */
bool analyse_usage(const struct ptx_function *function, struct usage *usage);

/* Estimates the number of registers, at most 255, that ptxas gives each thread for compute
 * capability 9.0. */
uint32_t usage_registers(const struct usage *usage);

/* Returns the largest number of registers per thread that a kernel's .maxntid, .minnctapersm and
 * .maxnreg allow. */
uint32_t usage_limit(const struct ptx_function *kernel);

#endif
