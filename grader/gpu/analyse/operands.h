/* Finds the registers that an instruction reads and writes. */
#ifndef GPU_ANALYSE_OPERANDS_H
#define GPU_ANALYSE_OPERANDS_H

#include "gpu/ptx/module.h"

/* A callback, which gets the index of a register or predicate register. */
typedef void operands_visit(void *context, uint32_t reg);

/* operands_read() visits all registers that an instruction reads, and operands_written() all
 * registers that it writes. This includes registers in guards, addresses and vectors. A register
 * can be visited more than once. */
void operands_read(const struct ptx_instruction *in, operands_visit *visit, void *context);
/* Visits the registers that an instruction reads as operands of a computation or as values to
 * store, but not those in guards and addresses. */
void operands_used(const struct ptx_instruction *in, operands_visit *visit, void *context);
void operands_written(const struct ptx_instruction *in, operands_visit *visit, void *context);

#endif
