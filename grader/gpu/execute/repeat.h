/* Finds repeated accesses. An access repeats the instruction's previous access if it has the same
 * lanes and the same pattern (pattern.h), and so the same number of sectors or bank conflicts. For
 * a repeat, one address is checked instead of 32, and an observer can choose to receive only the
 * number of repeats. Without observers, a weaker condition is enough: all lanes access the same
 * block of memory as before. */
#ifndef GPU_EXECUTE_REPEAT_H
#define GPU_EXECUTE_REPEAT_H

#include "gpu/execute/state.h"
#include "gpu/memory/memory.h"

/* Returns the generic address at which the state space begins. */
LANES_INLINE uint64_t window_of(uint8_t space)
{
    return space == PTX_SHARED ? MEM_SHARED_WINDOW : space == PTX_LOCAL ? MEM_LOCAL_WINDOW : 0;
}

/* Returns whether the lanes' addresses have the same deltas as the pattern. */
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

/* Does the same, but skips the comparison if an earlier access in the same stretch has made it (see
 * kin.c). */
LANES_INLINE bool lies_as_kin(const struct worker *worker, const struct inst *inst,
                              struct pattern *pattern, const void *base, uint32_t mask,
                              unsigned lead)
{
    const struct pattern *kin = &worker->patterns[inst->mem.kin];
    bool is_near = kin->stretch == worker->stretches;
    if (is_near && kin->serial == pattern->kin) {
        pattern->stretch = worker->stretches;
        return true;
    }
    if (!lies_as_before(base, inst->mem.base.bytes, pattern, mask, lead))
        return false;
    pattern->stretch = worker->stretches;
    pattern->kin = is_near ? kin->serial : 0;
    return true;
}

/* Returns whether an access whose first lane's address is FIRST, with the pattern's deltas, has the
 * same cost as the pattern and is within bounds. */
LANES_INLINE bool is_placed(const struct pattern *pattern, uint64_t first)
{
    return first - pattern->begin <= pattern->room && !((pattern->place ^ first) & pattern->fixed);
}

/* Does the same for an access at base + offset. LEAD is the first active lane. Each lane's value in
 * BASE has WIDTH bytes. Sets *FIRST to LEAD's address in its state space. */
LANES_INLINE bool is_in_place(const struct pattern *pattern, const void *base, unsigned width,
                              uint64_t offset, bool is_generic, unsigned lead, uint64_t *first)
{
    *first = width == 4 ? (uint32_t)(((const uint32_t *)base)[lead] + (uint32_t)offset)
                        : ((const uint64_t *)base)[lead] + offset;
    if (is_generic)
        *first -= window_of(pattern->space);
    return is_placed(pattern, *first);
}

/* Returns a host pointer to the first lane's bytes. is_in_place() must have returned true and set
 * FIRST. */
LANES_INLINE uint8_t *repeat_start(const struct warp *warp, const struct pattern *pattern,
                                   uint64_t first)
{
    if (pattern->host)
        return pattern->host + (first - pattern->begin);
    return (pattern->space == PTX_LOCAL ? warp->local : warp->cta->shared) + first;
}

/* Finds the lanes' bytes without comparing their deltas. This works only if there are no observers
 * and all lanes are in the pattern's block of memory. Lane l's bytes are at the result + AT[l];
 * lanes outside MASK get the first active lane's bytes. Returns NULL if a condition is not met.
 * Also returns NULL after PATTERN_STRAYS such accesses, so that the caller computes a new pattern:
 * some loops begin to repeat a pattern only later. */
LANES_INLINE uint8_t *find_apart(const struct warp *warp, bool is_load, struct pattern *pattern,
                                 const void *base, unsigned width, uint64_t offset, bool is_generic,
                                 uint32_t mask, uint64_t *at)
{
    if (!pattern->ready || warp->cta->worker->listeners[!is_load] ||
        pattern->strays >= PATTERN_STRAYS)
        return NULL;
    const uint32_t *a32 = base;
    const uint64_t *a64 = base;
    uint64_t least = pattern->begin + (uint64_t)(int64_t)pattern->low;
    uint64_t reach = pattern->room + (uint64_t)((int64_t)pattern->high - pattern->low);
    uint64_t begin = least + (is_generic ? window_of(pattern->space) : 0), bits = 0, beyond = 0;
    for (unsigned l = 0; l < WARP; l++)
        at[l] = (width == 4 ? (uint32_t)(a32[l] + (uint32_t)offset) : a64[l] + offset) - begin;
    if (mask != ALL_LANES) {
        uint64_t first = at[__builtin_ctz(mask)];
        for (unsigned l = 0; l < WARP; l++)
            at[l] = mask >> l & 1 ? at[l] : first;
    }
    for (unsigned l = 0; l < WARP; l++) {
        bits |= at[l] + least;
        beyond |= at[l] > reach;
    }
    if (beyond || bits & (pattern->bytes - 1u))
        return NULL;
    for (unsigned l = 0; l < WARP && pattern->stride; l++)
        at[l] += (uint64_t)l * pattern->stride;
    pattern->strays++;
    return repeat_start(warp, pattern, pattern->begin) + pattern->low;
}

#endif
