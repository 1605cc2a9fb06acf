/* Decodes texture and surface instructions: tex, tld4, suld, sust.
 *
 *   tex.2d.v4.f32.f32 {d, d, d, d}, [handle, {x, y}];     suld.b.2d.b32.trap {d}, [handle, {x, y}];
 *   tex.level.2d….f32 …, [handle, {x, y}], level;         tex.grad.2d….f32 …, {dx, dx}, {dy, dy};
 *   tex.2d.v4.f32.f32 {d, d, d, d}|p, …
 *
 * In a layered texture or surface, the index of the layer comes before the coordinates. */
#include <string.h>

#include "gpu/execute/decode.h"
#include "gpu/execute/operations.h"

static bool is_one(const struct decoder *d, enum ptx_modifier plain, enum ptx_modifier layered)
{
    return ptx_has(d->in, plain) || ptx_has(d->in, layered);
}

/* Decodes the handle and the coordinates between the brackets. */
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
        decode_fail(d, "there are %u coordinates where %u are needed", op->count, used);
        return;
    }
    out->texture.handle = decode_register_slot(d, op->index);
    if (out->texture.handle.bytes != 8)
        decode_fail(d, "a texture or surface object must have 64 bits");
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

/* Decodes the operands after the coordinates: the level, or the gradients, which are the steps of
 * the coordinates in x and in y. */
static void decode_level(struct decoder *d)
{
    unsigned dims = d->out->texture.dims, needed = ptx_has(d->in, PTX_MOD_level)  ? 1
                                                   : ptx_has(d->in, PTX_MOD_grad) ? 2
                                                                                  : 0;
    if (d->failed)
        return;
    if (d->in->operand_count != 2 + needed) {
        decode_fail(d, "the coordinates are followed by %u operands where %u are needed",
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
    /* p says whether all texels are resident; in the emulator they always are */
    bool tells = to->kind == PTX_PAIR;
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

void decode_surface(struct decoder *d)
{
    bool is_load = d->in->opcode == PTX_OP_suld;
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
