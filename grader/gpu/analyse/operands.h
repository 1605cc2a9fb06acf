/* Which registers an instruction reads and writes, for whoever follows values through a function. */
#ifndef GPU_ANALYSE_OPERANDS_H
#define GPU_ANALYSE_OPERANDS_H

#include "gpu/ptx/module.h"

/* Called with the index of a register or predicate. */
typedef void operands_visit(void *context, uint32_t reg);

/* Guards, addresses and the elements of vectors included; one register perhaps more than once. */
void operands_read(const struct ptx_instruction *in, operands_visit *visit, void *context);
void operands_written(const struct ptx_instruction *in, operands_visit *visit, void *context);

#endif
