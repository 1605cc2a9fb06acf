/* Finds paths without a barrier between two instructions. Such a path shows where a barrier must be
 * added. */
#ifndef GPU_ANALYSE_GAPS_H
#define GPU_ANALYSE_GAPS_H

#include "gpu/analyse/blocks.h"

/* A function and its loops. A back edge leads from a block back to an earlier block on the path,
 * and so begins the next iteration of a loop. */
struct gaps {
    const struct ptx_function *function;
    struct blocks blocks;
    bool (*is_back)[2]; /* whether the edge blocks.next[block][i] is a back edge */
};

/* Finds the loops of FUNCTION. Returns false when out of memory; call gaps_close() even then. */
bool gaps_open(struct gaps *gaps, const struct ptx_function *function);
void gaps_close(struct gaps *gaps);

enum gap {
    GAP_STRAIGHT = 1, /* the path stays in one iteration of every loop */
    GAP_ROUND = 2,    /* the path enters the next iteration of a loop */
};

/* Returns, as bits of enum gap, the kinds of paths from instruction FROM to instruction TO that
 * have no barrier. OF_WARP says that __syncwarp() counts as a barrier, too. Returns 0 when out of
 * memory. */
unsigned gaps_find(const struct gaps *gaps, uint32_t from, uint32_t to, bool of_warp);

/* Returns whether the store at TO stores a value computed from the value that the instruction at
 * FROM loads. FROM is before TO. */
bool gaps_is_made_from(const struct ptx_function *function, uint32_t from, uint32_t to);

#endif
