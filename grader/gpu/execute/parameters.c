/* Provides fast paths for loads and stores of parameters at fixed offsets. Observers do not see
 * these accesses, and the parameters always exist, so no address must be looked up or checked. They
 * must be fast, because every kernel begins with several such accesses, and every function call
 * makes some. */
#include "gpu/execute/access.h"
#include "gpu/execute/access_values.h"

LANES_CLONES bool parameter_load(const struct warp *warp, const struct inst *inst, uint32_t mask)
{
    const struct emu_launch *request = &warp->cta->launch->request;
    struct slot slot = inst->mem.vector[0];
    uint64_t at = (uint64_t)inst->mem.offset;
    unsigned bytes = inst->mem.bytes;
    if (inst->mem.base.offset != NO_SLOT || inst->mem.count != 1 || slot.offset == NO_SLOT ||
        slot.bytes != bytes || bytes < 4 || at % bytes || at > request->param_bytes ||
        bytes > request->param_bytes - at)
        return false;
    uint64_t value = 0;
    memcpy(&value, (const uint8_t *)request->params + at, bytes);
    uint32_t *d32 = (uint32_t *)(void *)slot_at(warp, slot);
    uint64_t *d64 = (uint64_t *)(void *)slot_at(warp, slot);
    for (unsigned l = 0; l < WARP && bytes == 4; l++)
        d32[l] = mask >> l & 1 ? (uint32_t)value : d32[l];
    for (unsigned l = 0; l < WARP && bytes == 8; l++)
        d64[l] = mask >> l & 1 ? value : d64[l];
    return true;
}

/* Writes to HOST, for each lane, a pointer to a parameter or result of a device function. Returns
 * false if the offset is not fixed, not aligned or out of range. */
LANES_INLINE bool find_in_frame(const struct warp *warp, const struct inst *inst, uint8_t **host)
{
    const struct frame *frame = warp->frame;
    uint64_t size = frame->image->frame_bytes, at = (uint64_t)inst->mem.offset;
    unsigned bytes = inst->mem.bytes * inst->mem.count;
    if (inst->mem.base.offset != NO_SLOT || at & (bytes - 1u) || at > size || bytes > size - at)
        return false;
    for (unsigned l = 0; l < WARP; l++)
        host[l] = frame->params + l * size + at;
    return true;
}

LANES_CLONES bool frame_load(const struct warp *warp, const struct inst *inst, uint32_t mask)
{
    uint8_t *host[WARP];
    bool found = find_in_frame(warp, inst, host);
    if (found)
        load_elements(warp, inst, host, mask, false);
    return found;
}

LANES_CLONES bool frame_store(const struct warp *warp, const struct inst *inst, uint32_t mask)
{
    uint8_t *host[WARP];
    bool found = find_in_frame(warp, inst, host);
    if (found)
        store_elements(warp, inst, host, mask);
    return found;
}
