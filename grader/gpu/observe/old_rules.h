/* What an access cost on the GPUs that the classic texts were written for (compute capability 1.x), by the
 * rules of NVIDIA's CUDA programming guides of that time (versions 2 and 3, appendix G).
 *
 * Each half of a warp is a request of its own. Global memory, for words of as many bytes as a lane asks for:
 *
 *   g80     words of 4, 8 or 16 bytes, lane k the k-th of 16 that begin with a segment: one transaction of 64 or
 *           128 bytes, or two of 128. Anything else: one of 32 bytes for each lane.
 *   gt200   in any order: a transaction for each segment of 128 bytes (64 for words of 2, 32 for those of 1)
 *           that is touched, halved once or twice if half of it, or a quarter, is enough.
 *
 * Shared memory has 16 banks, each a word of 4 bytes wide. One step hands one word to all lanes that want
 * it, and from each other bank a word to one lane. A wider access is one for each word. */
#ifndef GPU_OBSERVE_OLD_RULES_H
#define GPU_OBSERVE_OLD_RULES_H

#include "gpu/observe/view.h"
#include "gpu/rules.h"

struct old_cost {
    uint32_t requests;     /* halves of the warp that take part */
    uint32_t pieces;       /* sectors' worth of bytes that are moved, or steps */
    uint32_t ideal;        /* as few as would do */
    uint32_t transactions; /* of global memory */
};

struct old_cost old_rules_measure(enum emu_rules rules, const struct obs_access *access);

#endif
