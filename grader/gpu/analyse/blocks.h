/* Divides a function into basic blocks and finds the edges between them. The other analyses in this
 * folder use this control-flow graph. */
#ifndef GPU_ANALYSE_BLOCKS_H
#define GPU_ANALYSE_BLOCKS_H

#include "gpu/ptx/module.h"

#define BLOCK_NONE UINT32_MAX

struct blocks {
    uint32_t count;  /* number of blocks; the graph also has node `count`, the function's exit */
    uint32_t *first; /* first instruction of each block; first[count] is code_count */
    uint32_t *of;    /* index of each instruction's block */
    /* Each block has one or two successors, each of which is a block or the exit. If there is only
     * one, the second is BLOCK_NONE. */
    uint32_t (*next)[2];
};

/* Divides FUNCTION into blocks. Returns false when out of memory; call blocks_free() even then. */
bool blocks_find(const struct ptx_function *function, struct blocks *blocks);
void blocks_free(struct blocks *blocks);

#endif
