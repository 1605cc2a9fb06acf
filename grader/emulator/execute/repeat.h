/* Accesses that repeat: the same lanes with the same pattern as the time before, worth as many sectors or banks.
 * Then one address is looked at instead of 32, and observers that agree are only told that it happened again. */
#ifndef EXECUTE_REPEAT_H
#define EXECUTE_REPEAT_H

#include "emulator/execute/machine.h"

/* Where the generic addresses of a space begin. */
LANES_INLINE uint64_t window_of(uint8_t space)
{
    return space == PTX_SHARED ? MEM_SHARED_WINDOW : space == PTX_LOCAL ? MEM_LOCAL_WINDOW : 0;
}

/* Do the lanes' addresses lie to each other as they do in the pattern? */
LANES_INLINE bool lies_as_before(const void *base, unsigned width, const struct pattern *pattern,
                                 uint32_t mask, unsigned lead)
{
    const uint32_t *a32 = base;
    const uint64_t *a64 = base;
    uint64_t other = 0;
    uint32_t other32 = 0;
    if (width == 4 && mask == ALL_LANES)
        for (unsigned l = 0; l < WARP; l++)
            other32 |= (a32[l] - a32[0]) ^ (uint32_t)pattern->delta[l];
    else if (width == 4)
        for (unsigned l = 0; l < WARP; l++)
            other32 |= mask >> l & 1 ? (a32[l] - a32[lead]) ^ (uint32_t)pattern->delta[l] : 0;
    else if (mask == ALL_LANES)
        for (unsigned l = 0; l < WARP; l++)
            other |= (a64[l] - a64[0]) ^ (uint64_t)(int64_t)pattern->delta[l];
    else
        for (unsigned l = 0; l < WARP; l++)
            other |=
                mask >> l & 1 ? (a64[l] - a64[lead]) ^ (uint64_t)(int64_t)pattern->delta[l] : 0;
    return !other && !other32;
}

/* Whether an access at base + offset, whose lanes lie to each other as in the pattern and whose first active one is
 * LEAD, is worth as much and within bounds; WIDTH bytes of each lane in BASE. FIRST is then the first lane's address
 * in its space. */
LANES_INLINE bool is_in_place(const struct pattern *pattern, const void *base, unsigned width,
                              uint64_t offset, bool is_generic, unsigned lead, uint64_t *first)
{
    *first = width == 4 ? (uint32_t)(((const uint32_t *)base)[lead] + (uint32_t)offset)
                        : ((const uint64_t *)base)[lead] + offset;
    if (is_generic)
        *first -= window_of(pattern->space);
    return *first - pattern->begin <= pattern->room &&
           !((pattern->place ^ *first) & pattern->fixed);
}

/* Where the first lane's bytes then lie. */
LANES_INLINE uint8_t *repeat_start(const struct warp *warp, const struct pattern *pattern,
                                   uint64_t first)
{
    if (pattern->host)
        return pattern->host + (first - pattern->begin);
    return (pattern->space == PTX_LOCAL ? warp->local : warp->cta->shared) + first;
}

#endif
