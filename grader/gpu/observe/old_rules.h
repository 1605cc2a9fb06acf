/* What an access cost on the GPUs that the classic texts were written for (compute capability
 * 1.x), by the rules of NVIDIA's CUDA programming guides of that time (versions 2 and 3,
 * appendix G).
 *
 * Each half of a warp is a separate request. Global memory, for words as wide as a lane's
 * access:
 *
 *   g80     words of 4, 8 or 16 bytes, lane k the k-th of 16 from the start of a segment: one
 *           transaction of 64 or 128 bytes, or two of 128. Anything else: one of 32 bytes a lane.
 *   gt200   in any order: a transaction for each touched segment of 128 bytes (64 for words of 2,
 *           32 for those of 1), halved once or twice if a half, or a quarter, is enough.
 *
 * Shared memory has 16 banks, each one word of 4 bytes wide. One step gives one word to all
 * lanes that want it, and one word of each other bank to one lane. A wider access is one access
 * for each word. */
#ifndef GPU_OBSERVE_OLD_RULES_H
#define GPU_OBSERVE_OLD_RULES_H

#include "gpu/observe/view.h"
#include "gpu/rules.h"

struct old_cost {
    uint32_t requests;     /* active halves of the warp */
    uint32_t pieces;       /* steps, or moved bytes in units of a sector */
    uint32_t ideal;        /* the fewest possible */
    uint32_t transactions; /* of global memory */
};

struct old_cost old_rules_measure(enum emu_rules rules, const struct obs_access *access);

#endif
