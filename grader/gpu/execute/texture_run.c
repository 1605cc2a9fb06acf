/* Executes texture and surface instructions: tex, tld4, suld, sust.
 *
 * Observers see each read of a texel, and each access to a surface, as an access to global memory
 * with is_texture set. A filtered fetch reads several texels.
 *
 * The x coordinate of a surface is in bytes. A request counts the distinct sectors that it touches,
 * as a load from global memory does. An H100 differs in two ways. It splits a request into parts of
 * 4 or 8 lanes and counts the sectors of each part. And in its CUDA arrays, a texel is near its
 * neighbours in both directions, but the emulator stores an array row after row. */
#include <stdlib.h>
#include <string.h>

#include "gpu/execute/access_find.h"
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

/* --- counting and reporting ------------------------------------------------------------------- */

struct texture_request {
    const struct warp *warp;
    /* the set of the request's sectors, or NULL if sectors are not counted */
    struct texture_sectors *sectors;
};

static struct texture_request begin_request(const struct warp *warp)
{
    struct worker *worker = warp->cta->worker;
    if (!worker->launch->is_counted)
        return (struct texture_request){warp, NULL};
    if (!worker->sectors)
        worker->sectors = calloc(1, sizeof *worker->sectors);
    if (worker->sectors)
        texture_sectors_begin(worker->sectors);
    else
        launch_stop(worker->launch, EMU_INTERNAL);
    return (struct texture_request){warp, worker->sectors};
}

static void end_request(const struct texture_request *request)
{
    if (request->sectors)
        request->warp->cta->worker->profile[request->warp->pc].sectors += request->sectors->count;
}

/* Adds the sectors of all lanes to the request's set. Neighbouring lanes often touch the same
 * sectors. */
LANES_INLINE void touch_sectors(struct texture_sectors *sectors, const struct obs_access *access)
{
    const uint64_t *addr = access->addr;
    uint64_t more = access->bytes - 1u;
    uint32_t fresh = 1;
    for (unsigned l = 1; l < WARP; l++)
        fresh |= (uint32_t)(((addr[l] ^ addr[l - 1]) | ((addr[l] + more) ^ (addr[l - 1] + more))) >=
                            TEXTURE_SECTOR)
                 << l;
    for (; fresh; fresh &= fresh - 1)
        texture_sectors_touch(sectors, addr[__builtin_ctz(fresh)], access->bytes);
}

/* Reports the access of LANES to the observers. The caller has set kind, bytes and addresses. */
LANES_CLONES static void report_request(const struct texture_request *request,
                                        struct obs_access *access, uint32_t lanes)
{
    if (!lanes)
        return;
    uint64_t active = access->addr[__builtin_ctz(lanes)];
    for (unsigned l = 0; l < WARP; l++)
        access->addr[l] = lanes >> l & 1 ? access->addr[l] : active;
    if (request->sectors)
        touch_sectors(request->sectors, access);
    access->pc = request->warp->pc;
    access->mask = lanes;
    access->space = PTX_GLOBAL;
    access->is_texture = true;
    access->warp = request->warp->index;
    access->cta = request->warp->cta->linear;
    report_to_observers(request->warp->cta->worker, access);
}

LANES_CLONES void texture_report_read(const struct texture_request *request, uint64_t start,
                                      const uint64_t *at, uint32_t lanes, unsigned bytes,
                                      unsigned element)
{
    struct obs_access access;
    for (unsigned l = 0; l < WARP; l++)
        access.addr[l] = start + at[l];
    access.kind = OBS_LOAD;
    access.bytes = (uint8_t)bytes;
    access.element = (uint8_t)element;
    access.dense = access.is_bulk = access.repeats = false;
    report_request(request, &access, lanes);
}

/* --- textures --------------------------------------------------------------------------------- */

static const uint32_t *lane_words(const struct warp *warp, struct slot slot)
{
    return (const uint32_t *)(const void *)slot_at(warp, slot);
}

static struct texture_points points_of(const struct warp *warp, const struct inst *inst,
                                       const struct texture_request *request)
{
    struct texture_points points = {
        .is_integer = inst->texture.is_integer, .dims = inst->texture.dims, .request = request};
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
    struct texture_request request = begin_request(warp);
    struct texture_points points = points_of(warp, inst, &request);
    uint8_t *texels;
    for (uint32_t todo = mask; todo;) {
        unsigned first = (unsigned)__builtin_ctz(todo);
        const struct emu_texture *texture = find_texture(warp, inst, first, false, &texels);
        if (!texture)
            return;
        uint32_t lanes = same_texture(warp, inst, todo), value[4][WARP];
        if (!gathers && texture_filters(texture, &points))
            warp->cta->worker->profile[warp->pc].means += (unsigned)__builtin_popcount(lanes);
        if (gathers)
            texture_gather(texture, texels, &points, lanes, inst->texture.component, value);
        else
            texture_fetch(texture, texels, &points, lanes, value);
        write_results(warp, inst, lanes, value);
        slot_set_predicate(warp, inst->texture.resident, ALL_LANES, lanes);
        todo &= ~lanes;
    }
    end_request(&request);
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

/* Returns the bytes that LANE reads or writes, and sets *ADDR to their address. Returns NULL if the
 * bytes are outside the surface, where reads return 0 and writes are dropped, or if the launch has
 * been stopped. */
static uint8_t *surface_bytes(struct warp *warp, const struct inst *inst, unsigned lane,
                              uint64_t *addr)
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
    *addr = surface->addr + offset;
    return texels + offset;
}

/* Finds the bytes of the lanes in MASK, and reports the access to the observers. */
static void find_surface(struct warp *warp, const struct inst *inst, uint32_t mask,
                         enum obs_access_kind kind, uint8_t *bytes[WARP])
{
    struct texture_request request = begin_request(warp);
    struct obs_access access = {.kind = (uint8_t)kind,
                                .bytes = inst->texture.bytes * inst->texture.count,
                                .element = inst->texture.bytes};
    uint32_t lanes = 0;
    for (unsigned l = 0; l < WARP; l++) {
        bytes[l] = mask >> l & 1 ? surface_bytes(warp, inst, l, &access.addr[l]) : NULL;
        lanes |= (uint32_t)(bytes[l] != NULL) << l;
        access.addr[l] -= access.addr[l] % access.bytes; /* observers expect aligned addresses */
    }
    for (unsigned k = 0; kind == OBS_STORE && k < inst->texture.count; k++)
        access.value[k] = slot_at(warp, inst->texture.vector[k]);
    access.value_bytes = inst->texture.vector[0].bytes;
    report_request(&request, &access, lanes);
    end_request(&request);
}

void surface_load_run(struct warp *warp, const struct inst *inst, uint32_t mask)
{
    uint8_t *bytes[WARP];
    find_surface(warp, inst, mask, OBS_LOAD, bytes);
    for (unsigned l = 0; l < WARP; l++) {
        if (!(mask >> l & 1))
            continue;
        for (unsigned k = 0; k < inst->texture.count; k++) {
            struct slot slot = inst->texture.vector[k];
            uint64_t value = 0;
            if (bytes[l])
                memcpy(&value, bytes[l] + k * inst->texture.bytes, inst->texture.bytes);
            if (slot.offset != NO_SLOT)
                memcpy(slot_at(warp, slot) + l * slot.bytes, &value, slot.bytes);
        }
    }
}

void surface_store_run(struct warp *warp, const struct inst *inst, uint32_t mask)
{
    uint8_t *bytes[WARP];
    find_surface(warp, inst, mask, OBS_STORE, bytes);
    for (unsigned l = 0; l < WARP; l++) {
        for (unsigned k = 0; bytes[l] && k < inst->texture.count; k++) {
            struct slot slot = inst->texture.vector[k];
            memcpy(bytes[l] + k * inst->texture.bytes, slot_at(warp, slot) + l * slot.bytes,
                   inst->texture.bytes);
        }
    }
}
