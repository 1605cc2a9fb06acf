/* Finds registers that may be read before they are written. They are uninitialised variables of the
 * program. */
#ifndef GPU_ANALYSE_UNWRITTEN_H
#define GPU_ANALYSE_UNWRITTEN_H

#include "gpu/ptx/module.h"

/* Finds the first instruction of FUNCTION that computes with a possibly unwritten register: on some
 * path to the instruction, nothing writes the register. Returns its index, or code_count if there
 * is none. */
uint32_t analyse_unwritten(const struct ptx_function *function);

#endif
