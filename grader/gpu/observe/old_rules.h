/* Computes the cost of an access on old GPUs, those of the classic texts (compute capability 1.x),
 * by the rules of NVIDIA's CUDA programming guides of that time (versions 2 and 3, appendix G).
 *
 * Each half of a warp is a separate request. These are the rules for global memory, where a word is
 * as wide as a lane's access:
 *
 *   g80     If words have 4, 8 or 16 bytes and lane k accesses the k-th of the 16 words from the
 *           start of a segment: one transaction of 64 or 128 bytes, or two of 128 bytes.
 *           Otherwise: one transaction of 32 bytes per lane.
 *   gt200   In any order: one transaction for each touched segment. A segment has 128 bytes (64 for
 *           words of 2 bytes, 32 for words of 1). The transaction's size is halved once or twice
 *           if a half, or a quarter, is enough.
 *
 * Shared memory has 16 banks, each 4 bytes (one word) wide. In one step, the memory sends one word
 * to all lanes that need it, and one word from each other bank to a single lane. An access wider
 * than a word counts as one access for each word. */
#ifndef GPU_OBSERVE_OLD_RULES_H
#define GPU_OBSERVE_OLD_RULES_H

#include "gpu/observe/view.h"
#include "gpu/rules.h"

struct old_cost {
    uint32_t requests; /* halves of the warp that have active lanes */
    /* for shared memory, steps; for global memory, the moved bytes, in sectors */
    uint32_t pieces;
    uint32_t ideal;        /* the smallest possible number of pieces */
    uint32_t transactions; /* transactions of global memory */
};

/* Returns whether the 16 lanes from lane FIRST on make one transaction by the rules of g80 (or two
 * if their words have 16 bytes). */
bool old_rules_coalesces(const struct obs_access *access, unsigned first);

struct old_cost old_rules_measure(enum emu_rules rules, const struct obs_access *access);

#endif
