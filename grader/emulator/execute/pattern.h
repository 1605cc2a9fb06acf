/* Patterns: what an access's 32 addresses look like, seen from the first lane's.
 *
 * An instruction in a loop repeats its pattern again and again, only moved: the lanes of a row of a
 * matrix, a broadcast, a stride. A worker keeps the latest pattern of each instruction, so that a
 * comparison finds out at once what would otherwise be searched for in 32 addresses: how far they
 * reach, how they are aligned and, by the observers, how many sectors or banks they meet. */
#ifndef EXECUTE_PATTERN_H
#define EXECUTE_PATTERN_H

#include <stdbool.h>
#include <stdint.h>

#include "emulator/observe/observer.h"
#include "emulator/ptx/module.h"

#define PATTERNS       64u /* places, by pc; those that share one take turns */
#define PATTERN_NOONE  UINT32_MAX
#define PATTERN_WINDOW 128 /* bytes */

struct pattern {
    uint32_t pc; /* whose it is */
    uint32_t mask;
    uint8_t space, bytes;
    uint8_t place;     /* of the first lane's address in its 128 bytes: whole lines do not matter */
    uint32_t bits;     /* all deltas ORed */
    int32_t low, high; /* the least and the greatest delta */
    bool
        is_window; /* all in 32 words that lie side by side, from the lowest on: which of them, in word */
    _Alignas(64) int32_t delta[32]; /* a lane's address - the first lane's */
    _Alignas(64) uint32_t word[32];
    struct mem_block
        *block; /* that an access from this place hit: any instruction's, to try first */
};

/* The low bits of the first address that must stay for the pattern to be worth as much: where in a line
 * it begins; in shared memory, whose banks are a circle, only where in a lane's width. */
static inline __attribute__((always_inline)) uint64_t pattern_fixed(const struct pattern *pattern,
                                                                    const struct obs_access *access)
{
    if (pattern->low == pattern->high)
        return 0;
    return access->space != PTX_SHARED ? 127 : access->bytes > 4 ? access->bytes - 1u : 3;
}

/* The pattern of an access, found again or new; NULL if its addresses lie too far apart for one. */
static inline __attribute__((always_inline)) const struct pattern *
pattern_find(struct pattern *pattern, struct obs_access *access)
{
    const uint64_t *addr = access->addr;
    uint64_t other = 0, wide = 0;
    bool same = pattern->pc == access->pc && pattern->mask == access->mask &&
                pattern->space == access->space &&
                !((pattern->place ^ addr[0]) & pattern_fixed(pattern, access));
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
    pattern->pc = wide ? PATTERN_NOONE : access->pc;
    pattern->mask = access->mask;
    pattern->space = access->space;
    pattern->place = (uint8_t)(addr[0] & 127);
    pattern->bits = bits;
    pattern->low = low;
    pattern->high = high;
    pattern->is_window = !wide && !(bits & 3) && high - low < PATTERN_WINDOW;
    for (unsigned l = 0; l < 32; l++)
        pattern->word[l] = (uint32_t)(pattern->delta[l] - low) / 4;
    return wide ? NULL : pattern;
}

#endif
