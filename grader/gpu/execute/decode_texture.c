/* Texture and surface instructions: tex, tld4, suld, sust.
 *
 *   tex.2d.v4.f32.f32 {d, d, d, d}, [handle, {x, y}];      suld.b.2d.b32.trap {d}, [handle, {x, y}];
 *   tex.level.2d….f32 …, [handle, {x, y}], level;          tex.grad.2d….f32 …, {dx, dx}, {dy, dy};
 *   tex.2d.v4.f32.f32 {d, d, d, d}|p, …
 *
 * A layer comes before the coordinates; a surface's x counts bytes. Only requests are counted: on a GPU
 * they take another way than loads and stores. */
#include <string.h>

#include "gpu/execute/decode.h"
#include "gpu/execute/operations.h"
#include "gpu/execute/state.h"
#include "gpu/execute/texture.h"
#include "gpu/memory/memory.h"

/* --- decoding ---------------------------------------------------------------------------------------- */

static bool is_one(const struct decoder *d, enum ptx_modifier plain, enum ptx_modifier layered)
{
    return ptx_has(d->in, plain) || ptx_has(d->in, layered);
}

/* The handle and the coordinates between the brackets. */
static void decode_point(struct decoder *d, const struct ptx_operand *op)
{
    struct inst *out = d->out;
    bool cube = is_one(d, PTX_MOD_cube, PTX_MOD_acube);
    bool layered = is_one(d, PTX_MOD_a1d, PTX_MOD_a2d) || ptx_has(d->in, PTX_MOD_acube);
    unsigned dims = is_one(d, PTX_MOD_1d, PTX_MOD_a1d)   ? 1
                    : is_one(d, PTX_MOD_2d, PTX_MOD_a2d) ? 2
                    : cube || ptx_has(d->in, PTX_MOD_3d) ? 3
                                                         : 0;
    if (op->kind != PTX_ADDRESS || op->variable || op->index == PTX_NONE || op->value || !dims) {
        decode_fail(d, "only texture and surface objects are supported");
        return;
    }
    unsigned used = dims + layered;
    if (op->count < used || op->count > 4) {
        decode_fail(d, "%u coordinates where %u are needed", op->count, used);
        return;
    }
    out->texture.handle = decode_register_slot(d, op->index);
    if (out->texture.handle.bytes != 8)
        decode_fail(d, "a texture or surface object has 64 bits");
    out->texture.dims = (uint8_t)dims;
    out->texture.layered = layered;
    out->texture.cube = cube;
    for (unsigned i = 0; i < used; i++)
        out->src[i] = decode_source(d, &op->elements[i], PTX_b32, 4);
}

static void put_part(struct decoder *d, const struct ptx_operand *op)
{
    struct slot slot = decode_source(d, op, PTX_b32, 4);
    d->kernel->vectors[d->kernel->vector_count++] = slot;
}

/* The level, or the steps in each dimension, behind the results. */
static void decode_level(struct decoder *d)
{
    unsigned dims = d->out->texture.dims, needed = ptx_has(d->in, PTX_MOD_level)  ? 1
                                                   : ptx_has(d->in, PTX_MOD_grad) ? 2
                                                                                  : 0;
    if (d->failed)
        return;
    if (d->in->operand_count != 2 + needed) {
        decode_fail(d, "%u operands behind the coordinates where %u are needed",
                    d->in->operand_count - 2u, needed);
        return;
    }
    d->out->texture.way = needed == 2 ? PTX_MOD_grad : needed ? PTX_MOD_level : 0;
    if (needed == 1)
        put_part(d, &d->in->operands[2]);
    for (unsigned i = 0; i < 2 && needed == 2; i++) {
        const struct ptx_operand *op = &d->in->operands[2 + i];
        if (op->kind != PTX_VECTOR || op->count < dims) {
            decode_unsupported(d);
            return;
        }
        for (unsigned k = 0; k < dims; k++)
            put_part(d, &op->elements[k]);
    }
}

void decode_texture(struct decoder *d)
{
    struct inst *out = d->out;
    const struct ptx_operand *to = &d->in->operands[0];
    bool tells = to->kind == PTX_PAIR; /* whether the texels are there: here they always are */
    decode_vector(d, tells ? &to->elements[0] : to, decode_type_of(d), 4, true, false);
    struct slot *results = out->mem.vector;
    unsigned count = out->mem.count;
    memset(&out->texture, 0, sizeof out->texture);
    out->texture.vector = results;
    out->texture.resident = tells ? decode_predicate_destination(d, &to->elements[1]) : no_slot;
    out->texture.is_integer =
        d->in->type_count == 2 && ptx_type_class((enum ptx_type)d->in->types[1]) == 'S';
    out->texture.component = ptx_has(d->in, PTX_MOD_g)   ? 1
                             : ptx_has(d->in, PTX_MOD_b) ? 2
                             : ptx_has(d->in, PTX_MOD_a) ? 3
                                                         : 0;
    out->run = d->in->opcode == PTX_OP_tld4 ? gather_run : texture_run;
    bool coords_known =
        d->in->type_count == 2 && (d->in->types[1] == PTX_f32 ||
                                   (d->in->types[1] == PTX_s32 && d->in->opcode != PTX_OP_tld4));
    if (count != 4 || !ptx_has(d->in, PTX_MOD_v4) || !coords_known ||
        (out->texture.is_integer && is_one(d, PTX_MOD_cube, PTX_MOD_acube)))
        decode_unsupported(d);
    else
        decode_point(d, &d->in->operands[1]);
    decode_level(d);
}

void decode_surface(struct decoder *d, bool is_load)
{
    struct inst *out = d->out;
    unsigned bytes = ptx_type_bytes(decode_type_of(d));
    unsigned width = ptx_has(d->in, PTX_MOD_v4) ? 4 : ptx_has(d->in, PTX_MOD_v2) ? 2 : 1;
    decode_vector(d, &d->in->operands[!is_load], decode_type_of(d), bytes, is_load, true);
    struct slot *values = out->mem.vector;
    unsigned count = out->mem.count;
    memset(&out->texture, 0, sizeof out->texture);
    out->texture.vector = values;
    out->texture.count = (uint8_t)count;
    out->texture.bytes = (uint8_t)bytes;
    out->texture.outside = ptx_has(d->in, PTX_MOD_clamp)  ? PTX_MOD_clamp
                           : ptx_has(d->in, PTX_MOD_zero) ? PTX_MOD_zero
                                                          : PTX_MOD_trap;
    out->run = is_load ? surface_load_run : surface_store_run;
    if (count != width || bytes * width > 16 || !ptx_has(d->in, PTX_MOD_b))
        decode_unsupported(d);
    else
        decode_point(d, &d->in->operands[is_load]);
}

/* --- running: which texture ---------------------------------------------------------------------------- */

static uint32_t lane_word(const struct warp *warp, struct slot slot, unsigned lane)
{
    return ((const uint32_t *)(const void *)slot_at(warp, slot))[lane];
}

/* The object that LANE names, and its bytes; NULL and a fault if there is none. */
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

/* --- running: textures ------------------------------------------------------------------------------------ */

static const uint32_t *lane_words(const struct warp *warp, struct slot slot)
{
    return (const uint32_t *)(const void *)slot_at(warp, slot);
}

static struct texture_points points_of(const struct warp *warp, const struct inst *inst)
{
    struct texture_points points = {.is_integer = inst->texture.is_integer,
                                    .dims = inst->texture.dims};
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

/* The lanes of TODO that name the same texture as its first. */
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
}

LANES_CLONES void texture_run(struct warp *warp, const struct inst *inst, uint32_t mask)
{
    fetch_lanes(warp, inst, mask, false);
}

LANES_CLONES void gather_run(struct warp *warp, const struct inst *inst, uint32_t mask)
{
    fetch_lanes(warp, inst, mask, true);
}

/* --- running: surfaces ------------------------------------------------------------------------------------ */

static int64_t clamped(int64_t value, int64_t most)
{
    return value < 0 ? 0 : value > most ? most : value;
}

/* The bytes that LANE reads or writes. NULL: it is outside, and the instruction ignores that (or has
 * been stopped). */
static uint8_t *surface_bytes(struct warp *warp, const struct inst *inst, unsigned lane)
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
    return texels + (uint64_t)at[2] * surface->slice + (uint64_t)at[1] * surface->pitch + at[0];
}

void surface_load_run(struct warp *warp, const struct inst *inst, uint32_t mask)
{
    for (unsigned l = 0; l < WARP; l++) {
        if (!(mask >> l & 1))
            continue;
        const uint8_t *bytes = surface_bytes(warp, inst, l);
        for (unsigned k = 0; k < inst->texture.count; k++) {
            struct slot slot = inst->texture.vector[k];
            uint64_t value = 0;
            if (bytes)
                memcpy(&value, bytes + k * inst->texture.bytes, inst->texture.bytes);
            if (slot.offset != NO_SLOT)
                memcpy(slot_at(warp, slot) + l * slot.bytes, &value, slot.bytes);
        }
    }
}

void surface_store_run(struct warp *warp, const struct inst *inst, uint32_t mask)
{
    for (unsigned l = 0; l < WARP; l++) {
        uint8_t *bytes = mask >> l & 1 ? surface_bytes(warp, inst, l) : NULL;
        for (unsigned k = 0; bytes && k < inst->texture.count; k++) {
            struct slot slot = inst->texture.vector[k];
            memcpy(bytes + k * inst->texture.bytes, slot_at(warp, slot) + l * slot.bytes,
                   inst->texture.bytes);
        }
    }
}
