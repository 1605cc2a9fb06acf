/* The basic blocks of one function and the edges between them: what the analyses of this folder walk. */
#ifndef GPU_ANALYSE_BLOCKS_H
#define GPU_ANALYSE_BLOCKS_H

#include "gpu/ptx/module.h"

#define BLOCK_NONE UINT32_MAX

struct blocks {
    uint32_t count;      /* node `count` is the exit */
    uint32_t *first;     /* first instruction of each block; first[count] = code_count */
    uint32_t *of;        /* the block of each instruction */
    uint32_t (*next)[2]; /* successors of each block, the exit among them; BLOCK_NONE if fewer */
};

/* Cuts FUNCTION into blocks. False when memory is out: free it all the same. */
bool blocks_find(const struct ptx_function *function, struct blocks *blocks);
void blocks_free(struct blocks *blocks);

#endif
