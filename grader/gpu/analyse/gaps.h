/* Paths between two instructions on which no barrier waits: where must a barrier be added? */
#ifndef GPU_ANALYSE_GAPS_H
#define GPU_ANALYSE_GAPS_H

#include "gpu/analyse/blocks.h"

/* A function with its loops: an edge that leads back to a block on the way to it begins a loop's
 * next round. */
struct gaps {
    const struct ptx_function *function;
    struct blocks blocks;
    bool (*is_back)[2]; /* for each edge blocks.next[block][i] */
};

/* False: out of memory; call gaps_close() even then. */
bool gaps_open(struct gaps *gaps, const struct ptx_function *function);
void gaps_close(struct gaps *gaps);

enum gap {
    GAP_STRAIGHT = 1, /* within one round of all loops */
    GAP_ROUND = 2,    /* into a loop's next round */
};

/* The paths from instruction FROM to instruction TO on which no barrier waits: bits of enum gap.
 * OF_WARP: __syncwarp() is a barrier, too. If memory runs out, the result is 0. */
unsigned gaps_find(const struct gaps *gaps, uint32_t from, uint32_t to, bool of_warp);

/* Whether the value that the store at TO stores depends on what the load at FROM, before TO, has
 * loaded. */
bool gaps_is_made_from(const struct ptx_function *function, uint32_t from, uint32_t to);

#endif
