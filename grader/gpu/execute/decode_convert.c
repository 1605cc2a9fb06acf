/* Decodes conversions: of values between types, and of addresses between state spaces. */
#include "gpu/execute/decode.h"
#include "gpu/execute/float8.h"
#include "gpu/execute/half.h"
#include "gpu/execute/operations.h"
#include "gpu/memory/memory.h"

/* --- values ----------------------------------------------------------------------------------- */

/* Returns whether cvt converts FROM to TO. cvt packs two f32 into one register, but unpacks only
 * 8-bit floats. A TF32 number is a valid f32, so it needs no conversion back. */
static bool is_supported(enum ptx_type to, enum ptx_type from)
{
    if (to == PTX_tf32 || from == PTX_tf32)
        return to == PTX_tf32 && from == PTX_f32;
    if (float8_is(to))
        return from == PTX_f32 || from == PTX_f16x2;
    if (float8_is(from))
        return to == PTX_f16x2;
    if (half_is_packed(to) || half_is_packed(from))
        return half_is_packed(to) && from == PTX_f32;
    return ptx_type_class(to) != 'P' && ptx_type_class(to) != 'B' && ptx_type_class(from) != 'P' &&
           ptx_type_class(from) != 'B';
}

/* Returns whether the integer type TO can hold every value of the integer type FROM. */
static bool holds_all(enum ptx_type to, enum ptx_type from)
{
    unsigned to_bytes = ptx_type_bytes(to), from_bytes = ptx_type_bytes(from);
    if (ptx_type_class(to) == ptx_type_class(from))
        return to_bytes >= from_bytes;
    return ptx_type_class(to) == 'S' && to_bytes > from_bytes;
}

/* Returns whether the float type TO cannot hold every value of the float type FROM. */
static bool loses(enum ptx_type to, enum ptx_type from)
{
    return to != from && (half_is(to) || (to == PTX_f32 && from == PTX_f64));
}

static bool allows(enum ptx_type to, enum ptx_type from, enum ptx_modifier word)
{
    bool is_bf16 = (half_is(to) && !half_is_f16(to)) || from == PTX_bf16;
    if (to == PTX_tf32 || word == PTX_MOD_rna)
        return to == PTX_tf32 && word == PTX_MOD_rna;
    if (float8_is(to) || float8_is(from))
        return word == PTX_MOD_rn || word == PTX_MOD_relu ||
               (word == PTX_MOD_satfinite && float8_is(to));
    switch (word) {
    case PTX_MOD_rm:
    case PTX_MOD_rp:
        if (half_is_packed(to))
            return false;
        /* fall through */
    case PTX_MOD_rn:
    case PTX_MOD_rz:
        return ptx_type_is_float(to) && (!ptx_type_is_float(from) || loses(to, from));
    case PTX_MOD_ftz:
        return (from == PTX_f32 || (to == PTX_f32 && ptx_type_is_float(from))) &&
               !half_is_packed(to);
    case PTX_MOD_sat:
        if (is_bf16 || half_is_packed(to))
            return false;
        return ptx_type_is_float(to) || ptx_type_is_float(from) || !holds_all(to, from);
    case PTX_MOD_relu:
        return half_is(to) && from == PTX_f32;
    case PTX_MOD_satfinite:
        return false;
    default: /* .rni, .rzi, .rmi, .rpi */
        return ptx_type_is_float(from) && (!ptx_type_is_float(to) || to == from);
    }
}

static uint8_t integer_rounding(const struct ptx_instruction *in)
{
    return ptx_has(in, PTX_MOD_rni)   ? 'n'
           : ptx_has(in, PTX_MOD_rzi) ? 'z'
           : ptx_has(in, PTX_MOD_rmi) ? 'm'
           : ptx_has(in, PTX_MOD_rpi) ? 'p'
                                      : 0;
}

void decode_cvt(struct decoder *d)
{
    const struct ptx_operand *to = &d->in->operands[0], *from = &d->in->operands[1];
    enum ptx_type from_type = (enum ptx_type)d->in->types[1];
    bool to_float8 = float8_is(decode_type_of(d));
    bool packed = (half_is_packed(decode_type_of(d)) || to_float8) && from_type == PTX_f32;
    if (d->in->type_count != 2 || !is_supported(decode_type_of(d), from_type) ||
        to->kind != PTX_REGISTER || d->in->operand_count != 2u + packed) {
        decode_unsupported(d);
        return;
    }
    for (unsigned i = 0; i < d->in->modifier_count; i++)
        if (!allows(decode_type_of(d), from_type, (enum ptx_modifier)d->in->modifiers[i]))
            decode_unsupported(d);
    bool from_float8 = float8_is(from_type);
    if (((to_float8 || from_float8) && !ptx_has(d->in, PTX_MOD_rn)) ||
        (to_float8 && !ptx_has(d->in, PTX_MOD_satfinite)) ||
        (decode_type_of(d) == PTX_tf32 && !ptx_has(d->in, PTX_MOD_rna)))
        decode_unsupported(d);
    d->out->run = cvt_run;
    d->out->mode = decode_mode_of(d->in);
    d->out->cvt.to = (uint8_t)decode_type_of(d);
    d->out->cvt.from = (uint8_t)from_type;
    d->out->cvt.round = integer_rounding(d->in);
    d->out->cvt.saturate = ptx_has(d->in, PTX_MOD_sat);
    d->out->cvt.relu = ptx_has(d->in, PTX_MOD_relu);
    if (packed)
        d->out->src[1] = decode_source(d, &d->in->operands[2], from_type, 4);
    d->out->dst = decode_register_slot(d, to->index);
    d->out->src[0] = from->kind == PTX_REGISTER
                         ? decode_register_slot(d, from->index)
                         : decode_source(d, from, from_type, ptx_type_bytes(from_type));
    bool to_float = ptx_type_class(decode_type_of(d)) == 'F',
         from_float = ptx_type_class(from_type) == 'F';
    unsigned to_bytes = ptx_type_bytes(decode_type_of(d)), from_bytes = ptx_type_bytes(from_type);
    if (d->out->dst.bytes < to_bytes || (to_float && d->out->dst.bytes != to_bytes) ||
        d->out->src[0].bytes < from_bytes || (from_float && d->out->src[0].bytes != from_bytes) ||
        d->out->dst.bytes > 8 || d->out->src[0].bytes > 8)
        decode_fail(d, "an operand's size does not match its type");
    if (from_float && !to_float && !d->out->cvt.round)
        decode_unsupported(d);
}

/* --- addresses -------------------------------------------------------------------------------- */

/* Decodes cvta.param. A kernel's parameters get generic addresses only if the kernel contains this
 * instruction. */
static void decode_parameter_address(struct decoder *d, unsigned bytes)
{
    d->out->run = parameter_run;
    d->out->dst = decode_destination(d, &d->in->operands[0], bytes);
    d->out->src[0] = decode_source(d, &d->in->operands[1], decode_type_of(d), bytes);
    d->out->read.back = ptx_has(d->in, PTX_MOD_to);
    d->kernel->takes_param_addresses = true;
    if (!d->image->function->is_kernel) /* a device function's parameters are in its frame */
        decode_unsupported(d);
}

/* Decodes mapa d, a, rank and getctarank d, a. The address a is generic or in the shared window. */
void decode_cluster_address(struct decoder *d)
{
    bool maps = d->in->opcode == PTX_OP_mapa;
    unsigned bytes = ptx_type_bytes(decode_type_of(d));
    d->out->run = maps ? map_run : rank_run;
    d->out->mem.space = (uint8_t)ptx_space_of(d->in);
    d->out->dst = decode_destination(d, &d->in->operands[0], maps ? bytes : 4);
    d->out->src[0] = decode_source(d, &d->in->operands[1], decode_type_of(d), bytes);
    if (maps)
        d->out->src[1] = decode_source(d, &d->in->operands[2], PTX_u32, 4);
}

/* Decodes isspacep.shared p, a and the same for other state spaces. */
void decode_in_space(struct decoder *d)
{
    d->out->run = in_space_run;
    d->out->read.special = ptx_space_of(d->in);
    d->out->dst = decode_predicate_destination(d, &d->in->operands[0]);
    d->out->src[0] = decode_source(d, &d->in->operands[1], PTX_u64, 8);
    if (d->in->modifier_count != 1)
        decode_unsupported(d);
}

/* Decodes cvta. Shared and local memory are windows in the generic address space. In another state
 * space, an address and its generic address are equal. */
void decode_cvta(struct decoder *d)
{
    enum ptx_space space = ptx_space_of(d->in);
    unsigned bytes = ptx_type_bytes(decode_type_of(d));
    uint64_t window = space == PTX_SHARED  ? MEM_SHARED_WINDOW
                      : space == PTX_LOCAL ? MEM_LOCAL_WINDOW
                                           : 0;
    bool back = ptx_has(d->in, PTX_MOD_to);
    if (space == PTX_GENERIC) {
        decode_unsupported(d);
        return;
    }
    if (space == PTX_PARAM) {
        decode_parameter_address(d, bytes);
        return;
    }
    d->out->run = alu_find(bytes == 8 ? "add_u64" : "add_u32")->run;
    d->out->dst = decode_destination(d, &d->in->operands[0], bytes);
    d->out->src[0] = decode_source(d, &d->in->operands[1], decode_type_of(d), bytes);
    d->out->src[1] = decode_constant_slot(d, back ? 0 - window : window, bytes);
}
