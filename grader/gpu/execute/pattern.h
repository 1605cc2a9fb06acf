/* A pattern consists of the 32 addresses of an access, relative to the first lane's address.
 *
 * An instruction in a loop usually repeats its pattern at another address, for instance in the next
 * matrix row. A worker keeps the latest pattern of each instruction, with everything computed from
 * the 32 addresses: their range, their alignment and, for observers, the number of sectors or bank
 * conflicts. For a repeat, one comparison replaces these computations. */
#ifndef GPU_EXECUTE_PATTERN_H
#define GPU_EXECUTE_PATTERN_H

#include <stdbool.h>
#include <stdint.h>

#include "gpu/observe/view.h"
#include "gpu/ptx/module.h"

#define PATTERN_WINDOW 128 /* bytes */
/* after this number of accesses with other deltas, a new pattern is computed */
#define PATTERN_STRAYS 16

/* series that a pattern collects before it reports them to observers */
#define PATTERN_SERIES 8u

/* The ways in which the lanes' values can be copied, from the fastest to the slowest. A row is 16
 * lanes, as in blocks that are 16 threads wide. */
enum pattern_shape {
    PATTERN_DENSE,      /* all lanes are contiguous */
    PATTERN_DENSE_ROWS, /* the lanes of each row are contiguous */
    PATTERN_SAME,       /* all lanes have the same address */
    PATTERN_SAME_ROWS,  /* the lanes of each row have the same address */
    PATTERN_NEAR, /* all lanes access the 32 4-byte words from the lowest address on (see `word`) */
    PATTERN_ANY,
};

struct pattern {
    uint32_t mask; /* lanes of the access, or 0 if there is no pattern yet */
    /* Equal to `mask` after an access with this pattern was inside one block of memory, otherwise
     * 0. begin, room, host and stride are valid only if `ready` is not 0. */
    uint32_t ready;
    uint64_t begin, room; /* the first lane's address is valid from `begin` to `begin + room` */
    /* host address of `begin`, or NULL for the CTA's shared memory or the warp's local memory */
    uint8_t *host;
    /* host bytes from one lane's local memory to the next lane's, or 0 in other spaces */
    uint32_t stride;
    uint8_t space, bytes;
    uint8_t shape;  /* enum pattern_shape */
    uint8_t place;  /* offset of the first lane's address in its 128-byte line */
    uint8_t fixed;  /* mask of the address bits that a repeat must keep (see pattern_fixed()) */
    uint8_t answer; /* how observers want further repeats (enum obs_answer); FULL counts as DONE */
    /* Numbers that spare an access the comparison with the pattern's deltas (see repeat.h). */
    uint64_t serial;  /* differs from that of every other pattern; 0 if there was none yet */
    uint64_t stretch; /* the worker's stretch in which the latest access had this pattern */
    uint64_t kin;     /* serial of another instruction's pattern with the same deltas, or 0 */
    /* Repeats that have not been reported yet: their number, if observers need only that, or
     * `series_count` series and the latest one. The latest series has no repeats (times is 0) if
     * none is left to report. */
    uint32_t times;
    uint32_t series_count;
    struct obs_series latest, series[PATTERN_SERIES];
    uint64_t step;     /* from one repeat of a warp to its next one, when this was last measured */
    uint32_t strays;   /* number of times that find_apart() has succeeded with this pattern */
    uint32_t bits;     /* bitwise OR of all deltas */
    int32_t low, high; /* smallest and largest delta */
    /* the latest report to observers; `first`, `cta` and `warp` are set for each report */
    struct obs_repeat repeat;
    /* block of the instruction's latest access; the next access tries this block first */
    struct mem_block *block;
    _Alignas(64) int32_t delta[32]; /* address of each lane minus the first lane's address */
    /* distance of each lane from the lowest address, in units of 4 bytes */
    _Alignas(64) uint32_t word[32];
};

#define PATTERN_INLINE static inline __attribute__((always_inline))

/* Returns a mask of the bits of the first lane's address that a repeat must keep to have the same
 * cost.
 *
 * In shared memory, moving all lanes by whole words only rotates the banks, so only the offset in a
 * bank's 4-byte word matters. In global memory, the offset in the line matters, down to the largest
 * power of 2 that divides all deltas: lower bits move no lane across the border of a sector or
 * line. For a broadcast or a dense pattern, only alignment matters: a broadcast costs the same
 * everywhere, and observers compute the cost of a dense pattern from its first address. */
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

/* Compares ACCESS with PATTERN. If they differ, computes a new pattern in PATTERN. Returns PATTERN,
 * or NULL if the addresses are too far apart for a pattern. COUNTED says that observers need the
 * access's cost; otherwise only its alignment matters. */
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
    pattern->answer = OBS_DONE;
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
