/* Counts the distinct values among the addresses of a warp's lanes, for the counters observer. */
#ifndef GPU_OBSERVE_DISTINCT_H
#define GPU_OBSERVE_DISTINCT_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/lanes.h"

#define LANES 32u

static inline int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static inline unsigned count_distinct_by_sorting(const uint64_t *values, unsigned shift)
{
    uint64_t sorted[LANES];
    for (unsigned i = 0; i < LANES; i++)
        sorted[i] = values[i] >> shift;
    qsort(sorted, LANES, sizeof *sorted, by_value);
    unsigned distinct = 1;
    for (unsigned i = 1; i < LANES; i++)
        distinct += sorted[i] != sorted[i - 1];
    return distinct;
}

/* as wide as a vector of AVX2; gcc would compare wider vectors element by element */
typedef uint32_t words __attribute__((vector_size(32), aligned(4), may_alias));
#define WORDS 8u

/* Returns a bit mask of the values that differ from all earlier values. COUNT is 16 or 32. Compares
 * all values with all others by vector operations, WORDS values at a time. No value may be
 * UINT32_MAX, because this value pads the array. */
LANES_INLINE uint32_t find_firsts(const uint32_t *values, unsigned count)
{
    uint32_t padded[2 * LANES], again[LANES], firsts = 0;
    for (unsigned i = 0; i < LANES; i++)
        padded[i] = UINT32_MAX;
    memcpy(padded + LANES, values, count * sizeof *values);
    for (unsigned at = 0; at < count; at += WORDS) {
        const uint32_t *here = padded + LANES + at;
        words mine = *(const words *)here, seen = {0};
        for (unsigned back = 1; back < at + WORDS; back++)
            seen |= (words)(mine == *(const words *)(here - back));
        *(words *)(again + at) = seen;
    }
    for (unsigned i = 0; i < count; i++)
        firsts |= (uint32_t)!again[i] << i;
    return firsts;
}

#define BITS 64u

/* Returns the number of distinct values. They are addr >> SHIFT, and lie from FIRST to
 * FIRST + BITS - 1. Sets one bit for each value. */
LANES_INLINE unsigned count_bits(const uint64_t *addr, uint64_t first, unsigned shift)
{
    uint64_t bits = 0;
    for (unsigned i = 0; i < LANES; i++)
        bits |= (uint64_t)1 << ((addr[i] >> shift) - first);
    return (unsigned)__builtin_popcountll(bits);
}

/* Returns the number of distinct addresses, ignoring the lowest SHIFT bits. LOW and HIGH are the
 * lowest and the highest address. */
LANES_INLINE unsigned count_distinct(const uint64_t *addr, uint64_t low, uint64_t high,
                                     unsigned shift)
{
    uint64_t first = low >> shift, span = (high >> shift) - first;
    uint32_t values[LANES], rises = 0, falls = 0;
    if (span == 0)
        return 1;
    if (span < BITS)
        return count_bits(addr, first, shift);
    if (span >= UINT32_MAX)
        return count_distinct_by_sorting(addr, shift);
    for (unsigned i = 1; i < LANES; i++) {
        rises += addr[i] >> shift > addr[i - 1] >> shift;
        falls += addr[i] >> shift < addr[i - 1] >> shift;
    }
    if (!rises || !falls) /* the values are sorted */
        return rises + falls + 1;
    for (unsigned i = 0; i < LANES; i++)
        values[i] = (uint32_t)((addr[i] >> shift) - first);
    return (unsigned)__builtin_popcount(find_firsts(values, LANES));
}

#endif
