/* Counts the values that lanes access in columns of banks of shared memory (see measure_banks() in
 * traffic.h). */
#ifndef GPU_OBSERVE_BANKS_H
#define GPU_OBSERVE_BANKS_H

#include <stdint.h>
#include <string.h>

#include "gpu/observe/distinct.h"

typedef uint8_t column_bytes __attribute__((vector_size(32), aligned(1), may_alias));
#define NO_COLUMN UINT8_MAX

/* COLUMN holds the column of banks (see measure_banks()) that each lane accesses, or NO_COLUMN if
 * the lane does not count. Returns the number of lanes in the fullest column. Compares all lanes
 * with all others by vector operations. */
LANES_INLINE uint32_t find_fullest(const uint8_t *column)
{
    uint8_t twice[2 * LANES], beside[LANES];
    column_bytes mine = *(const column_bytes *)column, held = {0};
    uint32_t fullest = 0;
    memcpy(twice, column, LANES);
    memcpy(twice + LANES, column, LANES);
    for (unsigned back = 0; back < LANES; back++)
        /* each element of a vector comparison is 0 or -1 */
        held -= (column_bytes)(mine == *(const column_bytes *)(twice + back));
    *(column_bytes *)beside = held & (column_bytes)(mine != NO_COLUMN);
    for (unsigned i = 0; i < LANES; i++)
        fullest = beside[i] > fullest ? beside[i] : fullest;
    return fullest;
}

/* The most rows of banks that count_rows() can count, and the bits of such a number. */
#define MOST_ROWS 8u
#define ROW_BITS  4u

/* Counts the distinct values in ASKED, which lie in rows of COLUMNS values. Sets *FULLEST to the
 * largest number of them in one column. Returns 0 if they lie in more than MOST_ROWS rows. Each row
 * is a set of columns. Adds the sets to counters, of which PLANE[k] has bit k for each column. */
LANES_INLINE unsigned count_rows(const uint32_t *asked, unsigned columns, uint32_t *fullest)
{
    uint32_t low = asked[0], high = asked[0], plane[ROW_BITS] = {0}, left = UINT32_MAX;
    unsigned distinct = 0, shift = (unsigned)__builtin_ctz(columns);
    for (unsigned i = 0; i < LANES; i++) { /* from 0 on, like find_bounds() in traffic.h */
        low = asked[i] < low ? asked[i] : low;
        high = asked[i] > high ? asked[i] : high;
    }
    if ((high >> shift) - (low >> shift) >= MOST_ROWS)
        return 0;
    for (uint32_t row = low >> shift; row <= high >> shift; row++) {
        uint32_t set = 0;
        for (unsigned i = 0; i < LANES; i++)
            set |= asked[i] >> shift == row ? 1u << (asked[i] & (columns - 1)) : 0;
        distinct += (unsigned)__builtin_popcount(set);
        for (unsigned k = 0; k < ROW_BITS; k++) {
            uint32_t carry = plane[k] & set;
            plane[k] ^= set;
            set = carry;
        }
    }
    *fullest = 0;
    for (unsigned k = ROW_BITS; k-- > 0;) {
        *fullest |= plane[k] & left ? 1u << k : 0;
        left = plane[k] & left ? plane[k] & left : left;
    }
    return distinct;
}

#endif
