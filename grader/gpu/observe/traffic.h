/* Measures the cost of one access to memory: its sectors, lines, wavefronts or words. The functions
 * are inlined into those of counters.c, which are compiled for several CPUs (lanes.h). */
#ifndef GPU_OBSERVE_TRAFFIC_H
#define GPU_OBSERVE_TRAFFIC_H

#include <stdbool.h>
#include <stdint.h>

#include "gpu/lanes.h"
#include "gpu/observe/banks.h"
#include "gpu/observe/distinct.h"
#include "gpu/observe/view.h"

#define BANKS 32u

/* The counts of one instruction in one memory space. `pieces` is the number of sectors or
 * wavefronts, and `ideal` the smallest possible number. `collisions` is the number of lanes that
 * access the same word as a lane with a lower index. The last_... fields are the same counts for
 * the latest access that was not dense. */
struct traffic {
    uint64_t requests, pieces, ideal, lines, collisions;
    uint64_t lanes; /* active lanes, only for atomics in shared memory */
    uint32_t last_pieces, last_ideal, last_lines, last_collisions;
};

static unsigned log2_of(unsigned power_of_two)
{
    return (unsigned)__builtin_ctz(power_of_two);
}

/* Loops over all addresses, from 0 on: a CPU stalls when it reads vectors that begin in the middle
 * of vectors that it has just stored. */
LANES_INLINE void find_bounds(const uint64_t *addr, uint64_t *low, uint64_t *high)
{
    *low = *high = addr[0];
    for (unsigned i = 0; i < LANES; i++) {
        *low = addr[i] < *low ? addr[i] : *low;
        *high = addr[i] > *high ? addr[i] : *high;
    }
}

/* --- global memory ---------------------------------------------------------------------------- */

/* Measures an access to global memory. Inactive lanes repeat an active lane's address, so all 32
 * addresses can be counted. */
LANES_INLINE void measure_global(struct traffic *traffic, const struct obs_access *access)
{
    uint64_t low, high;
    unsigned active = (unsigned)__builtin_popcount(access->mask);
    find_bounds(access->addr, &low, &high);
    unsigned lines = count_distinct(access->addr, low, high, 7), sectors = lines, words = lines;
    /* if lines == active, each lane touches its own line, and thus its own sector */
    if (lines < active)
        sectors = count_distinct(access->addr, low, high, 5);
    if (lines < active)
        words = count_distinct(access->addr, low, high, log2_of(access->bytes));
    traffic->last_pieces = sectors;
    traffic->last_lines = lines;
    traffic->last_ideal = (words * access->bytes + 31) / 32;
    traffic->last_collisions = active - words;
}

/* Returns the number of aligned pieces of SIZE bytes that a dense access touches. */
LANES_INLINE uint32_t dense_pieces(uint64_t low, unsigned bytes, unsigned size)
{
    return (uint32_t)((low + LANES * bytes - 1) / size - low / size + 1);
}

/* --- shared memory ---------------------------------------------------------------------------- */

/* Measures the part of an access that OWN lanes make, starting at lane FIRST. At least one of these
 * lanes is active. Adds their wavefronts and the ideal number of wavefronts to TRAFFIC. Returns the
 * number of distinct accesses.
 *
 * The banks are grouped into columns. A column is as wide as a lane's access, but at least one word
 * (4 bytes) wide. A wavefront serves one access per column. */
LANES_INLINE unsigned measure_banks(struct traffic *traffic, const struct obs_access *access,
                                    unsigned first, unsigned own)
{
    unsigned lanes = own < 16 ? 16 : own; /* find_firsts() needs at least 16 values */
    unsigned shift = access->bytes > 4 ? log2_of(access->bytes) : 2, columns = BANKS * 4 >> shift;
    uint8_t column[LANES];
    uint32_t asked[LANES];
    for (unsigned i = 0; i < own; i++)
        asked[i] = (uint32_t)access->addr[first + i] >> shift;
    /* an inactive lane may repeat the address of a lane outside this group; replace it with the
     * address of the group's first active lane */
    unsigned active = (unsigned)__builtin_ctz(access->mask >> first);
    for (unsigned i = 0; i < lanes && own < LANES; i++)
        asked[i] = i < own && access->mask >> (first + i) & 1 ? asked[i] : asked[active];
    uint32_t fullest, distinct = own == LANES ? count_rows(asked, columns, &fullest) : 0;
    if (!distinct) {
        uint32_t firsts = find_firsts(asked, lanes);
        distinct = (uint32_t)__builtin_popcount(firsts);
        for (unsigned i = 0; i < LANES; i++)
            column[i] = firsts >> i & 1 ? asked[i % lanes] & (columns - 1) : NO_COLUMN;
        fullest = find_fullest(column);
    }
    traffic->last_pieces += fullest;
    traffic->last_ideal += (distinct + columns - 1) >> log2_of(columns);
    return distinct;
}

/* Sets the costs of an access to shared memory in TRAFFIC. Returns the number of distinct accesses,
 * where an access is at least one word wide. */
LANES_INLINE unsigned measure_shared(struct traffic *traffic, const struct obs_access *access)
{
    unsigned distinct = 0;
    traffic->last_pieces = traffic->last_ideal = 0;
    if (access->bytes < 16)
        return measure_banks(traffic, access, 0, LANES);
    /* A GPU serves 128-bit accesses half a warp at a time, even if they need few words (measured on
     * an H200). It serves ldmatrix and stmatrix, whose elements have 2 bytes, one matrix (8 lanes)
     * at a time (measured on an H100). */
    unsigned group = access->element == 2 ? 8 : 16;
    for (unsigned first = 0; first < LANES && access->bytes == 16; first += group)
        if (access->mask >> first & ((1u << group) - 1))
            distinct += measure_banks(traffic, access, first, group);
    return distinct;
}

/* Measures an atomic in which each bank serves its lanes one after another, even if they use the
 * same word. */
LANES_INLINE void measure_serialised(struct traffic *traffic, const struct obs_access *access)
{
    unsigned shift = access->bytes > 4 ? 3 : 2, columns = BANKS * 4 >> shift;
    uint8_t column[LANES];
    for (unsigned i = 0; i < LANES; i++)
        column[i] = access->mask >> i & 1 ? access->addr[i] >> shift & (columns - 1) : NO_COLUMN;
    traffic->last_pieces = find_fullest(column);
    traffic->last_ideal = ((unsigned)__builtin_popcount(access->mask) + columns - 1) / columns;
}

/* Counts the lanes that use the same word as a lower lane. Inactive lanes repeat an active lane's
 * address. */
LANES_INLINE void measure_collisions(struct traffic *traffic, const struct obs_access *access)
{
    unsigned shift = log2_of(access->bytes);
    uint32_t asked[LANES];
    for (unsigned i = 0; i < LANES; i++)
        asked[i] = (uint32_t)access->addr[i] >> shift;
    traffic->last_collisions = (uint32_t)__builtin_popcount(access->mask) -
                               (uint32_t)__builtin_popcount(find_firsts(asked, LANES));
}

/* --- local and constant memory ---------------------------------------------------------------- */

/* Measures an access to local memory. Each thread has its own local memory, but a GPU interleaves
 * the memories of a warp's threads: word w of lane l is word 32 * w + l of the warp's memory. So 8
 * neighbouring lanes that access the same word share a sector, wherever the warp's memory
 * begins. */
static uint32_t measure_local(const struct obs_access *access)
{
    unsigned shift = access->bytes > 4 ? log2_of(access->bytes) : 2;
    uint32_t words = 1u << (shift - 2), sectors = 0;
    for (unsigned l = 0; l < LANES; l++) {
        bool is_new = access->mask >> l & 1;
        for (unsigned k = l & ~7u; k < l && is_new; k++)
            is_new =
                !(access->mask >> k & 1) || access->addr[k] >> shift != access->addr[l] >> shift;
        sectors += is_new ? words : 0;
    }
    return sectors;
}

/* Returns how many requests an access to local memory makes: one for each 4 bytes of a lane's
 * access (hardware/local.tsv). */
static uint32_t local_requests(uint32_t bytes)
{
    return bytes > 4 ? bytes / 4 : 1;
}

/* Returns the number of distinct words of an access to constant memory. A GPU serves them one after
 * another (measured on an H100 and an H200: hardware/chip, constant_words_...). */
LANES_INLINE uint32_t measure_constant(const struct obs_access *access)
{
    uint64_t low, high;
    find_bounds(access->addr, &low, &high);
    return count_distinct(access->addr, low, high, access->bytes > 4 ? log2_of(access->bytes) : 2);
}

#endif
