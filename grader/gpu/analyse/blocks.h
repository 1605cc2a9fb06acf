/* The basic blocks of a function and the edges between them: the control-flow graph, on which the
 * analyses of this folder work. */
#ifndef GPU_ANALYSE_BLOCKS_H
#define GPU_ANALYSE_BLOCKS_H

#include "gpu/ptx/module.h"

#define BLOCK_NONE UINT32_MAX

struct blocks {
    uint32_t count;  /* number of blocks; in the graph, node `count` is the function's exit */
    uint32_t *first; /* first instruction of each block; first[count] = code_count */
    uint32_t *of;    /* number of each instruction's block */
    /* up to two successors of each block, or the exit; BLOCK_NONE: no second one */
    uint32_t (*next)[2];
};

/* Divides FUNCTION into blocks. Returns false when out of memory; call blocks_free() even then. */
bool blocks_find(const struct ptx_function *function, struct blocks *blocks);
void blocks_free(struct blocks *blocks);

#endif
