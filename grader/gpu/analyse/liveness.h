/* Which registers hold a value that is still needed where a function's blocks begin. */
#ifndef GPU_ANALYSE_LIVENESS_H
#define GPU_ANALYSE_LIVENESS_H

#include "gpu/analyse/blocks.h"

struct liveness {
    struct blocks blocks;
    uint32_t *number; /* of each register that lives from block to block; LIVENESS_LOCAL: others */
    uint32_t *registers; /* the register that has each number */
    uint32_t count;
    uint32_t words; /* of one block's set: bit n stands for the register numbered n */
    uint64_t *in;   /* the sets of all blocks and of the exit, whose set is empty */
};
#define LIVENESS_LOCAL UINT32_MAX

/* False when memory is out or the function is too large to be worth it: free it all the same. */
bool liveness_find(const struct ptx_function *function, struct liveness *liveness);
void liveness_free(struct liveness *liveness);
/* Calls VISIT with each register that is needed behind BLOCK, perhaps twice. */
void liveness_behind(const struct liveness *liveness, uint32_t block,
                     void (*visit)(void *context, uint32_t reg), void *context);

#endif
