/* Patterns: an access's 32 addresses relative to the first lane's.
 *
 * An instruction in a loop repeats its pattern, only moved: the lanes of a matrix row, a
 * broadcast, a stride. A worker keeps the latest pattern of each instruction. One comparison
 * then replaces a search through 32 addresses: their range, their alignment and, for observers,
 * the number of sectors or banks. */
#ifndef GPU_EXECUTE_PATTERN_H
#define GPU_EXECUTE_PATTERN_H

#include <stdbool.h>
#include <stdint.h>

#include "gpu/observe/view.h"
#include "gpu/ptx/module.h"

#define PATTERN_WINDOW 128 /* bytes */
#define PATTERN_STRAYS 16  /* accesses without the pattern before a new one is computed */

/* How the lanes' values can be moved, the fastest way first. Rows are of 16 lanes, from blocks
 * that are 16 threads wide. */
enum pattern_shape {
    PATTERN_DENSE,      /* lane after lane, in one piece */
    PATTERN_SAME,       /* all at one address */
    PATTERN_DENSE_ROWS, /* two pieces */
    PATTERN_SAME_ROWS,  /* two addresses */
    PATTERN_NEAR, /* all within 32 adjacent words from the lowest address on; `word` says which */
    PATTERN_ANY,
};

struct pattern {
    uint32_t mask; /* 0: none yet */
    /* the mask again, once such an access was inside one block: what follows is valid */
    uint32_t ready;
    uint64_t begin, room; /* the first lane's address is good from `begin` on, for `room` bytes */
    uint8_t *
        host; /* the host address of `begin`; NULL: in the CTA's shared or the warp's local memory */
    uint32_t stride; /* from lane to lane, without the deltas: not 0 in local memory only */
    uint8_t space, bytes;
    uint8_t shape; /* enum pattern_shape */
    uint8_t place; /* of the first lane's address in its 128-byte line */
    uint8_t fixed; /* the address bits that must be equal for the same number of sectors or banks */
    bool silent;   /* observers only need to know how often it repeats: `times`, not yet reported */
    uint32_t times;
    uint32_t strays;                /* accesses since it was computed that no one observed */
    uint32_t bits;                  /* all deltas ORed */
    int32_t low, high;              /* the smallest and the largest delta */
    struct mem_block *block;        /* hit last by an access of this instruction: tried first */
    _Alignas(64) int32_t delta[32]; /* a lane's address minus the first lane's */
    _Alignas(64) uint32_t word[32];
};

#define PATTERN_INLINE static inline __attribute__((always_inline))

/* The address bits on which the cost depends. In shared memory, whose banks are a ring, that is
 * the place in a lane's width. In global memory it is the place in a line, down to the common
 * divisor of all deltas: lower bits never move a single lane across the border of a sector or
 * line. For a broadcast or a dense piece only the place itself matters. */
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

/* The pattern of an access, reused or new; NULL if its addresses lie too far apart. COUNTED: its
 * cost is needed, otherwise only its alignment. */
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
