/* Executes texture and surface instructions: tex, tld4, suld, sust.
 *
 * The x coordinate of a surface is in bytes. A request counts the distinct sectors that it touches,
 * as a load from global memory does. An H100 differs: it splits a request into parts of 4 or 8
 * lanes and counts the sectors of each part. It also stores a texel near its neighbours in both
 * directions, but the emulator stores a CUDA array row after row. */
#include <stdlib.h>
#include <string.h>

#include "gpu/execute/operations.h"
#include "gpu/execute/state.h"
#include "gpu/execute/texture.h"
#include "gpu/execute/texture_sectors.h"
#include "gpu/memory/memory.h"

/* --- which texture ---------------------------------------------------------------------------- */

static uint32_t lane_word(const struct warp *warp, struct slot slot, unsigned lane)
{
    return ((const uint32_t *)(const void *)slot_at(warp, slot))[lane];
}

/* Returns the texture or surface whose handle LANE holds, and sets *TEXELS to its bytes. If the
 * handle is bad, reports a fault and returns NULL. */
static const struct emu_texture *find_texture(struct warp *warp, const struct inst *inst,
                                              unsigned lane, bool surface, uint8_t **texels)
{
    struct launch *launch = warp->cta->launch;
    uint64_t handle = ((const uint64_t *)(const void *)slot_at(warp, inst->texture.handle))[lane];
    const struct emu_texture *texture =
        handle - 1 < launch->texture_count ? &launch->textures[handle - 1] : NULL;
    *texels = NULL;
    if (texture && texture->width && (!surface || texture->is_surface) &&
        (surface || texture->cube || !inst->texture.cube))
        *texels = mem_range(launch->memory, texture->addr, emu_texture_bytes(texture));
    if (*texels)
        return texture;
    warp_fault(warp, OBS_BAD_TEXTURE, lane, NULL);
    launch_stop(launch, EMU_ILLEGAL_ADDRESS);
    return NULL;
}

/* --- counting --------------------------------------------------------------------------------- */

/* Begins a new request. Returns the set for the request's sectors, or NULL if sectors are not
 * counted. */
static struct texture_sectors *begin_request(const struct warp *warp)
{
    struct worker *worker = warp->cta->worker;
    if (!worker->launch->is_counted)
        return NULL;
    if (!worker->sectors)
        worker->sectors = calloc(1, sizeof *worker->sectors);
    if (worker->sectors)
        texture_sectors_begin(worker->sectors);
    else
        launch_stop(worker->launch, EMU_INTERNAL);
    return worker->sectors;
}

static void end_request(const struct warp *warp, const struct texture_sectors *sectors)
{
    if (sectors)
        warp->cta->worker->profile[warp->pc].sectors += sectors->count;
}

/* --- textures --------------------------------------------------------------------------------- */

static const uint32_t *lane_words(const struct warp *warp, struct slot slot)
{
    return (const uint32_t *)(const void *)slot_at(warp, slot);
}

static struct texture_points points_of(const struct warp *warp, const struct inst *inst)
{
    struct texture_points points = {.is_integer = inst->texture.is_integer,
                                    .dims = inst->texture.dims,
                                    .sectors = begin_request(warp)};
    unsigned first = inst->texture.layered;
    if (first)
        points.layer = lane_words(warp, inst->src[0]);
    for (unsigned d = 0; d < points.dims; d++)
        points.at[d] = lane_words(warp, inst->src[first + d]);
    const struct slot *more = &inst->texture.vector[4];
    if (inst->texture.way == PTX_MOD_level)
        points.level = lane_words(warp, more[0]);
    for (unsigned k = 0; k < 2 * points.dims && inst->texture.way == PTX_MOD_grad; k++)
        points.steps[k / points.dims][k % points.dims] = lane_words(warp, more[k]);
    return points;
}

LANES_INLINE void write_results(const struct warp *warp, const struct inst *inst, uint32_t lanes,
                                uint32_t value[4][WARP])
{
    for (unsigned k = 0; k < 4; k++) {
        if (inst->texture.vector[k].offset == NO_SLOT)
            continue;
        uint32_t *to = (uint32_t *)(void *)slot_at(warp, inst->texture.vector[k]);
        for (unsigned l = 0; l < WARP; l++)
            to[l] = lanes >> l & 1 ? value[k][l] : to[l];
    }
}

/* Returns the lanes of TODO that have the same texture handle as the first lane of TODO. */
LANES_INLINE uint32_t same_texture(const struct warp *warp, const struct inst *inst, uint32_t todo)
{
    const uint64_t *handles = (const uint64_t *)(const void *)slot_at(warp, inst->texture.handle);
    uint64_t wanted = handles[__builtin_ctz(todo)];
    uint32_t lanes = 0;
    for (unsigned l = 0; l < WARP; l++)
        lanes |= (uint32_t)(handles[l] == wanted) << l;
    return lanes & todo;
}

LANES_INLINE void fetch_lanes(struct warp *warp, const struct inst *inst, uint32_t mask,
                              bool gathers)
{
    struct texture_points points = points_of(warp, inst);
    uint8_t *texels;
    for (uint32_t todo = mask; todo;) {
        unsigned first = (unsigned)__builtin_ctz(todo);
        const struct emu_texture *texture = find_texture(warp, inst, first, false, &texels);
        if (!texture)
            return;
        uint32_t lanes = same_texture(warp, inst, todo), value[4][WARP];
        if (gathers)
            texture_gather(texture, texels, &points, lanes, inst->texture.component, value);
        else
            texture_fetch(texture, texels, &points, lanes, value);
        write_results(warp, inst, lanes, value);
        slot_set_predicate(warp, inst->texture.resident, ALL_LANES, lanes);
        todo &= ~lanes;
    }
    end_request(warp, points.sectors);
}

LANES_CLONES void texture_run(struct warp *warp, const struct inst *inst, uint32_t mask)
{
    fetch_lanes(warp, inst, mask, false);
}

LANES_CLONES void gather_run(struct warp *warp, const struct inst *inst, uint32_t mask)
{
    fetch_lanes(warp, inst, mask, true);
}

/* --- surfaces --------------------------------------------------------------------------------- */

static int64_t clamped(int64_t value, int64_t most)
{
    return value < 0 ? 0 : value > most ? most : value;
}

/* Returns the bytes that LANE reads or writes, and adds their sectors to SECTORS. Returns NULL if
 * the bytes are outside the surface, where reads return 0 and writes are dropped, or if the launch
 * has been stopped. */
static uint8_t *surface_bytes(struct warp *warp, const struct inst *inst, unsigned lane,
                              struct texture_sectors *sectors)
{
    uint8_t *texels;
    const struct emu_texture *surface = find_texture(warp, inst, lane, true, &texels);
    if (!surface)
        return NULL;
    unsigned first = inst->texture.layered;
    int64_t size = inst->texture.bytes * inst->texture.count, at[3] = {0, 0, 0};
    const int64_t most[3] = {(int64_t)surface->width * surface->channels * surface->bits / 8 - size,
                             (int64_t)surface->height - 1, (int64_t)surface->depth - 1};
    for (unsigned d = 0; d < inst->texture.dims; d++)
        at[d] = (int32_t)lane_word(warp, inst->src[first + d], lane);
    if (first)
        at[2] = (int32_t)lane_word(warp, inst->src[0], lane);
    for (unsigned d = 0; d < 3; d++) {
        if (inst->texture.outside == PTX_MOD_clamp)
            at[d] = clamped(at[d], most[d]);
        if (at[d] >= 0 && at[d] <= most[d])
            continue;
        if (inst->texture.outside == PTX_MOD_trap) {
            warp_fault(warp, OBS_OUTSIDE_SURFACE, lane, NULL);
            launch_stop(warp->cta->launch, EMU_TRAP);
        }
        return NULL;
    }
    uint64_t offset =
        (uint64_t)at[2] * surface->slice + (uint64_t)at[1] * surface->pitch + (uint64_t)at[0];
    if (sectors)
        texture_sectors_touch(sectors, surface->addr + offset, (uint64_t)size);
    return texels + offset;
}

void surface_load_run(struct warp *warp, const struct inst *inst, uint32_t mask)
{
    struct texture_sectors *sectors = begin_request(warp);
    for (unsigned l = 0; l < WARP; l++) {
        if (!(mask >> l & 1))
            continue;
        const uint8_t *bytes = surface_bytes(warp, inst, l, sectors);
        for (unsigned k = 0; k < inst->texture.count; k++) {
            struct slot slot = inst->texture.vector[k];
            uint64_t value = 0;
            if (bytes)
                memcpy(&value, bytes + k * inst->texture.bytes, inst->texture.bytes);
            if (slot.offset != NO_SLOT)
                memcpy(slot_at(warp, slot) + l * slot.bytes, &value, slot.bytes);
        }
    }
    end_request(warp, sectors);
}

void surface_store_run(struct warp *warp, const struct inst *inst, uint32_t mask)
{
    struct texture_sectors *sectors = begin_request(warp);
    for (unsigned l = 0; l < WARP; l++) {
        uint8_t *bytes = mask >> l & 1 ? surface_bytes(warp, inst, l, sectors) : NULL;
        for (unsigned k = 0; bytes && k < inst->texture.count; k++) {
            struct slot slot = inst->texture.vector[k];
            memcpy(bytes + k * inst->texture.bytes, slot_at(warp, slot) + l * slot.bytes,
                   inst->texture.bytes);
        }
    }
    end_request(warp, sectors);
}
