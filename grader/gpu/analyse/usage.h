/* An estimate of how many registers a thread of a kernel takes on a GPU. */
#ifndef GPU_ANALYSE_USAGE_H
#define GPU_ANALYSE_USAGE_H

#include "gpu/ptx/module.h"

#define USAGE_MOST 255u /* registers that a thread can have */

/* The properties of PTX code that ptxas's choice depends on. */
struct usage {
    uint32_t live;    /* registers needed at once, in the order of the PTX */
    uint32_t hoisted; /* the same, with loads moved up as far as possible */
    uint32_t instructions;
    bool calls;
    bool divides, divides_long, divides_f32, divides_f64; /* sequences that need temporaries */
};

/* Finds the usage of FUNCTION, without the functions that it calls. False: out of memory, or the
 * function is too large. */
bool analyse_usage(const struct ptx_function *function, struct usage *usage);

/* An estimate of the registers that ptxas gives a thread, on compute capability 9.0: at most
 * 255. */
uint32_t usage_registers(const struct usage *usage);

/* The most registers per thread that a kernel's .maxntid, .minnctapersm and .maxnreg allow. */
uint32_t usage_limit(const struct ptx_function *kernel);

#endif
