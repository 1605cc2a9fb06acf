/* Finds, for each block, the registers whose values are still needed at the block's beginning. */
#ifndef GPU_ANALYSE_LIVENESS_H
#define GPU_ANALYSE_LIVENESS_H

#include "gpu/analyse/blocks.h"

struct liveness {
    struct blocks blocks;
    /* Registers that are live across blocks are numbered from 0. */
    /* each register's number, or LIVENESS_LOCAL if only one block uses the register */
    uint32_t *number;
    uint32_t *registers; /* the register that has each number */
    uint32_t count;      /* number of registers that have a number */
    /* number of 64-bit words in a set; bit n of a set stands for the register with number n */
    uint32_t words;
    uint64_t *in; /* for each block, the set of registers that it needs; the exit's set is empty */
};
#define LIVENESS_LOCAL UINT32_MAX

/* Computes the liveness of FUNCTION's registers. Returns false when out of memory or if the
 * function is too large; call liveness_free() even then. */
bool liveness_find(const struct ptx_function *function, struct liveness *liveness);
void liveness_free(struct liveness *liveness);
/* Calls VISIT once for each register that is needed after BLOCK. */
void liveness_after(const struct liveness *liveness, uint32_t block,
                    void (*visit)(void *context, uint32_t reg), void *context);

#endif
