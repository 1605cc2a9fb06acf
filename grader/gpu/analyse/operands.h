/* Finds the registers that an instruction reads and writes. */
#ifndef GPU_ANALYSE_OPERANDS_H
#define GPU_ANALYSE_OPERANDS_H

#include "gpu/ptx/module.h"

/* A function that is called with the index of each register or predicate. */
typedef void operands_visit(void *context, uint32_t reg);

/* Visit all registers that an instruction reads or writes, including those in guards, addresses
 * and vectors. A register can be visited more than once. */
void operands_read(const struct ptx_instruction *in, operands_visit *visit, void *context);
/* Visits the registers that an instruction computes with or stores, except guards and addresses. */
void operands_used(const struct ptx_instruction *in, operands_visit *visit, void *context);
void operands_written(const struct ptx_instruction *in, operands_visit *visit, void *context);

#endif
