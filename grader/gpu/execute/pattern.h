/* Patterns: what an access's 32 addresses look like, seen from the first lane's.
 *
 * An instruction in a loop repeats its pattern again and again, only moved: the lanes of a row of a
 * matrix, a broadcast, a stride. A worker keeps the latest pattern of each instruction, so that a
 * comparison finds out at once what would otherwise be searched for in 32 addresses: how far they
 * reach, how they are aligned and, by the observers, how many sectors or banks they meet. */
#ifndef GPU_EXECUTE_PATTERN_H
#define GPU_EXECUTE_PATTERN_H

#include <stdbool.h>
#include <stdint.h>

#include "gpu/observe/observer.h"
#include "gpu/ptx/module.h"

#define PATTERN_WINDOW 128 /* bytes */
#define PATTERN_STRAYS 16  /* accesses without the pattern, before another one is looked for */

/* How the lanes' values can be moved, the quickest way first. Rows are of 16 lanes: those of blocks that
 * are 16 threads wide. */
enum pattern_shape {
    PATTERN_DENSE,      /* lane after lane, in one piece */
    PATTERN_SAME,       /* all from one address */
    PATTERN_DENSE_ROWS, /* two pieces */
    PATTERN_SAME_ROWS,  /* two addresses */
    PATTERN_NEAR, /* all in 32 words that lie side by side, from the lowest on: which, in word */
    PATTERN_ANY,
};

struct pattern {
    uint32_t mask; /* 0: none yet */
    uint32_t
        ready; /* the mask again, once such an access was made in one block: what follows is known */
    uint64_t begin, room; /* the first lane's address is good from begin on, and so far behind it */
    uint8_t *host; /* where begin is; NULL: the CTA's shared or the warp's local memory holds it */
    uint32_t stride; /* between two lanes' bytes, the deltas aside: 0 but in local memory */
    uint8_t space, bytes;
    uint8_t shape; /* enum pattern_shape */
    uint8_t place; /* of the first lane's address in its 128 bytes: whole lines do not matter */
    uint8_t fixed; /* the bits of it that must stay for the pattern to be worth as much */
    bool
        silent; /* whoever watches wants to know only how often: times, that he was not told of yet */
    uint32_t times;
    uint32_t strays;   /* accesses since it was looked for; nobody watched */
    uint32_t bits;     /* all deltas ORed */
    int32_t low, high; /* the least and the greatest delta */
    struct mem_block
        *block; /* that an access from this place hit: any instruction's, to try first */
    _Alignas(64) int32_t delta[32]; /* a lane's address - the first lane's */
    _Alignas(64) uint32_t word[32];
};

#define PATTERN_INLINE static inline __attribute__((always_inline))

/* In shared memory, whose banks are a circle, only the place in a lane's width matters. In global memory
 * it is the place in a line, down to what divides all deltas: those low bits move no lane alone across
 * the border of a sector or a line. What all lanes read, or a dense piece, is worth what its place says. */
PATTERN_INLINE uint8_t pattern_fixed(const struct pattern *pattern)
{
    uint8_t width = pattern->bytes - 1u;
    if (pattern->shape == PATTERN_DENSE || pattern->shape == PATTERN_SAME)
        return width;
    if (pattern->space == PTX_SHARED)
        return width | 3;
    return width | (127 & (0u - (pattern->bits & (0u - pattern->bits))));
}

PATTERN_INLINE enum pattern_shape pattern_shape(const struct pattern *pattern)
{
    const int32_t *delta = pattern->delta;
    int32_t bytes = pattern->bytes, row = delta[16], dense = 0, same = 0;
    if (pattern->low == pattern->high)
        return PATTERN_SAME;
    for (int l = 0; l < 16; l++) {
        dense |= (delta[l] ^ l * bytes) | (delta[l + 16] ^ (row + l * bytes));
        same |= delta[l] | (delta[l + 16] ^ row);
    }
    if (pattern->mask == UINT32_MAX && !dense)
        return row == 16 * bytes ? PATTERN_DENSE : PATTERN_DENSE_ROWS;
    if (pattern->mask == UINT32_MAX && !same)
        return PATTERN_SAME_ROWS;
    bool is_near = !(pattern->bits & 3) && pattern->high - pattern->low < PATTERN_WINDOW;
    return is_near ? PATTERN_NEAR : PATTERN_ANY;
}

/* The pattern of an access, found again or new; NULL if its addresses lie too far apart for one. COUNTED: somebody
 * wants to know what it is worth, else only its alignment matters. */
PATTERN_INLINE struct pattern *pattern_find(struct pattern *pattern, struct obs_access *access,
                                            bool counted)
{
    const uint64_t *addr = access->addr;
    uint64_t other = 0, wide = 0;
    bool same = pattern->mask == access->mask && pattern->space == access->space &&
                !((pattern->place ^ addr[0]) & pattern->fixed);
    for (unsigned l = 0; l < 32; l++)
        other |= (addr[l] - addr[0]) ^ (uint64_t)(int64_t)pattern->delta[l];
    access->repeats = same && !other;
    if (access->repeats)
        return pattern;
    int32_t low = 0, high = 0;
    uint32_t bits = 0;
    for (unsigned l = 0; l < 32; l++) {
        uint64_t delta = addr[l] - addr[0];
        int32_t narrow = (int32_t)delta;
        wide |= delta ^ (uint64_t)(int64_t)narrow;
        pattern->delta[l] = narrow;
        bits |= (uint32_t)narrow;
        low = narrow < low ? narrow : low;
        high = narrow > high ? narrow : high;
    }
    pattern->mask = wide ? 0 : access->mask;
    pattern->ready = 0;
    pattern->silent = false;
    pattern->space = access->space;
    pattern->bytes = access->bytes;
    pattern->place = (uint8_t)(addr[0] & 127);
    pattern->bits = bits;
    pattern->low = low;
    pattern->high = high;
    pattern->shape = (uint8_t)pattern_shape(pattern);
    pattern->fixed = counted ? pattern_fixed(pattern) : (uint8_t)(pattern->bytes - 1u);
    for (unsigned l = 0; l < 32; l++)
        pattern->word[l] = (uint32_t)(pattern->delta[l] - low) / 4;
    return wide ? NULL : pattern;
}

#endif
