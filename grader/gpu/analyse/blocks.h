/* The basic blocks of a function and the edges between them: the graph that this folder's analyses
 * walk. */
#ifndef GPU_ANALYSE_BLOCKS_H
#define GPU_ANALYSE_BLOCKS_H

#include "gpu/ptx/module.h"

#define BLOCK_NONE UINT32_MAX

struct blocks {
    uint32_t count;  /* node `count` is the exit */
    uint32_t *first; /* first instruction of each block; first[count] = code_count */
    uint32_t *of;    /* the block of each instruction */
    uint32_t (
        *next)[2]; /* successors of each block, maybe the exit; BLOCK_NONE if fewer than two */
};

/* Cuts FUNCTION into blocks. False: out of memory; call blocks_free() even then. */
bool blocks_find(const struct ptx_function *function, struct blocks *blocks);
void blocks_free(struct blocks *blocks);

#endif
