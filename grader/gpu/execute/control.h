/* Executes the instructions that change which lanes of a path run. */
#ifndef GPU_EXECUTE_CONTROL_H
#define GPU_EXECUTE_CONTROL_H

#include "gpu/execute/operations.h"
#include "gpu/execute/state.h"

/* Returns the lanes for which the instruction's guard predicate is true. */
LANES_INLINE uint32_t guarded_lanes(const struct warp *warp, const struct inst *in)
{
    if (in->guard == NO_SLOT)
        return ALL_LANES;
    uint32_t guard = *(const uint32_t *)(const void *)(warp->bank[BANK_REGISTERS] + in->guard);
    return in->guard_negated ? ~guard : guard;
}

/* Returns whether the members mask of each lane in LANES contains the lane itself and no lane of
 * ABSENT. */
static inline bool mask_is_good(const struct warp *warp, struct slot slot, uint32_t lanes,
                                uint32_t absent)
{
    const uint32_t *members = (const uint32_t *)(const void *)slot_at(warp, slot);
    uint32_t wrong = 0;
    if (!absent && lanes_all_set(members)) /* the usual case */
        return true;
    for (unsigned l = 0; l < WARP; l++)
        wrong |= ((~members[l] >> l & 1) | (uint32_t)((members[l] & absent) != 0)) << l;
    return !(wrong & lanes);
}

/* Executes IN, the instruction at the path's pc. MASK are the lanes whose guard is true; it can be
 * 0. IN is of any kind except KIND_LANES, and PROFILE is its profile. */
void control_run(struct warp *warp, struct path *path, const struct inst *in, uint32_t mask,
                 struct profile *profile);

/* Checks the lanes that wait for each other, for example at bar.warp.sync. If all of them have
 * arrived, lets them continue. Returns whether a path continues. */
bool control_release_syncs(struct warp *warp);

#endif
