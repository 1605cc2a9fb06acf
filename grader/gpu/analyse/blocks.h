/* Divides a function into basic blocks and finds the edges between them. This control-flow graph is
 * the basis of the analyses of this folder. */
#ifndef GPU_ANALYSE_BLOCKS_H
#define GPU_ANALYSE_BLOCKS_H

#include "gpu/ptx/module.h"

#define BLOCK_NONE UINT32_MAX

struct blocks {
    uint32_t count;  /* number of blocks; in the graph, node `count` is the function's exit */
    uint32_t *first; /* first instruction of each block; first[count] is code_count */
    uint32_t *of;    /* number of each instruction's block */
    /* up to two successors of each block, or the exit; BLOCK_NONE if there is no second
     * successor */
    uint32_t (*next)[2];
};

/* Divides FUNCTION into blocks. Returns false when out of memory; call blocks_free() even then. */
bool blocks_find(const struct ptx_function *function, struct blocks *blocks);
void blocks_free(struct blocks *blocks);

#endif
