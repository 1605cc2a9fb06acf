/* Liveness: which registers hold a value that is still needed at the beginning of each block. */
#ifndef GPU_ANALYSE_LIVENESS_H
#define GPU_ANALYSE_LIVENESS_H

#include "gpu/analyse/blocks.h"

struct liveness {
    struct blocks blocks;
    uint32_t *number;    /* of each register that lives across blocks; else LIVENESS_LOCAL */
    uint32_t *registers; /* registers by number */
    uint32_t count;
    uint32_t words; /* of one block's set; bit n stands for the register with number n */
    uint64_t *in;   /* the set of each block, and of the exit, whose set is empty */
};
#define LIVENESS_LOCAL UINT32_MAX

/* False: out of memory, or the function is too large. Call liveness_free() even then. */
bool liveness_find(const struct ptx_function *function, struct liveness *liveness);
void liveness_free(struct liveness *liveness);
/* Calls VISIT with each register that is needed after BLOCK, perhaps twice. */
void liveness_after(const struct liveness *liveness, uint32_t block,
                    void (*visit)(void *context, uint32_t reg), void *context);

#endif
