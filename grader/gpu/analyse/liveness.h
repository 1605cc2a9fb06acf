/* Finds which registers hold a value that is still needed at the beginning of each block. */
#ifndef GPU_ANALYSE_LIVENESS_H
#define GPU_ANALYSE_LIVENESS_H

#include "gpu/analyse/blocks.h"

struct liveness {
    struct blocks blocks;
    /* Registers that are live across blocks are numbered from 0. */
    /* number of each register, or LIVENESS_LOCAL if it is used in one block only */
    uint32_t *number;
    uint32_t *registers; /* register of each number */
    uint32_t count;      /* count of numbered registers */
    uint32_t words;      /* size of a set in 64-bit words; bit n is the register with number n */
    uint64_t *in;        /* set of registers that each block needs; the exit's set is empty */
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
