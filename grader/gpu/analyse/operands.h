/* The registers that an instruction reads and writes. */
#ifndef GPU_ANALYSE_OPERANDS_H
#define GPU_ANALYSE_OPERANDS_H

#include "gpu/ptx/module.h"

/* Called with the index of a register or predicate. */
typedef void operands_visit(void *context, uint32_t reg);

/* These visit guards, addresses and elements of vectors, too, and may visit a register more than
 * once. */
void operands_read(const struct ptx_instruction *in, operands_visit *visit, void *context);
/* The values that an instruction computes with or stores: no guard, and no address. */
void operands_used(const struct ptx_instruction *in, operands_visit *visit, void *context);
void operands_written(const struct ptx_instruction *in, operands_visit *visit, void *context);

#endif
