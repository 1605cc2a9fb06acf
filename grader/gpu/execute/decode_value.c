/* Decodes instructions that compute or move values. */
#include <stdio.h>
#include <string.h>

#include "gpu/execute/decode.h"
#include "gpu/execute/half.h"
#include "gpu/execute/operations.h"

/* --- arithmetic ------------------------------------------------------------------------------- */

static bool is_mode(unsigned modifier)
{
    return modifier == PTX_MOD_rn || modifier == PTX_MOD_rz || modifier == PTX_MOD_rm ||
           modifier == PTX_MOD_rp || modifier == PTX_MOD_ftz || modifier == PTX_MOD_sat ||
           modifier == PTX_MOD_relu || modifier == PTX_MOD_approx || modifier == PTX_MOD_full;
}

uint32_t decode_mode_of(const struct ptx_instruction *in)
{
    uint32_t mode = MODE_DEFAULT;
    mode |= ptx_has(in, PTX_MOD_rz) ? MODE_ZERO : 0;
    mode |= ptx_has(in, PTX_MOD_rm) ? MODE_DOWN : 0;
    mode |= ptx_has(in, PTX_MOD_rp) ? MODE_UP : 0;
    mode |= ptx_has(in, PTX_MOD_ftz) ? MODE_FTZ : 0;
    return mode;
}

/* Returns whether the modifier with index MODIFIER is part of the row's name in alu.def. Modes are
 * not part of the name, except .approx of div, and .sat and .relu of integers. */
static bool names_row(const struct decoder *d, unsigned modifier)
{
    return !is_mode(modifier) || (modifier == PTX_MOD_approx && d->in->opcode == PTX_OP_div) ||
           ((modifier == PTX_MOD_sat || modifier == PTX_MOD_relu) &&
            ptx_type_class(decode_type_of(d)) != 'F');
}

/* Writes the row's name in alu.def: the mnemonic without its modes, then the type, such as
 * "mul_wide_s32". */
static void row_name(const struct decoder *d, const char *type, char *name, size_t size)
{
    int n = snprintf(name, size, "%s", ptx_opcodes[d->in->opcode].name);
    for (unsigned i = 0; i < d->in->modifier_count && (size_t)n < size; i++)
        if (names_row(d, d->in->modifiers[i]))
            n += snprintf(name + n, size - (size_t)n, "_%s",
                          ptx_modifier_name((enum ptx_modifier)d->in->modifiers[i]));
    if ((size_t)n < size)
        snprintf(name + n, size - (size_t)n, "_%s", type);
}

const char *decode_width_type(unsigned bytes)
{
    return bytes == 2 ? "b16" : bytes == 4 ? "b32" : "b64";
}

static void use_row(struct decoder *d, const char *name)
{
    const struct alu_row *row = alu_find(name);
    if (!row || d->in->operand_count != row->sources + 1u) {
        decode_unsupported(d);
        return;
    }
    d->out->run = row->run;
    d->out->source_count = row->sources;
    d->out->dst = decode_destination(d, &d->in->operands[0], row->bytes[0]);
    for (unsigned i = 0; i < row->sources; i++)
        d->out->src[i] =
            decode_source(d, &d->in->operands[i + 1], decode_type_of(d), row->bytes[i + 1]);
}

/* Returns whether the CPU computes the instruction's result by one operation, which also flushes
 * it. Other instructions may only change bits, as abs and neg do. */
static bool is_one_operation(enum ptx_opcode opcode)
{
    return opcode == PTX_OP_add || opcode == PTX_OP_sub || opcode == PTX_OP_mul ||
           opcode == PTX_OP_mad || opcode == PTX_OP_fma;
}

/* If the instruction has modes, makes fp_run() call the row's function, because fp_run() rounds,
 * flushes and saturates. Integer instructions have no modes. */
static void use_modes(struct decoder *d)
{
    bool is_float = ptx_type_class(decode_type_of(d)) == 'F';
    bool saturate = ptx_has(d->in, PTX_MOD_sat);
    uint32_t mode = decode_mode_of(d->in);
    if (!is_float) {
        for (unsigned i = 0; i < d->in->modifier_count; i++)
            if (!names_row(d, d->in->modifiers[i]))
                decode_unsupported(d);
        return;
    }
    bool approximate = ptx_has(d->in, PTX_MOD_approx) || ptx_has(d->in, PTX_MOD_full);
    if (ptx_has(d->in, PTX_MOD_relu)) /* only 16-bit floats have .relu */
        decode_unsupported(d);
    if (decode_type_of(d) == PTX_f64 &&
        (saturate || ptx_has(d->in, PTX_MOD_ftz) || (approximate && d->in->opcode != PTX_OP_rsqrt)))
        decode_unsupported(d);
    if (mode == MODE_DEFAULT && !saturate)
        return;
    d->out->mode = mode;
    d->out->fp.inner = d->out->run;
    d->out->fp.flush = (mode & MODE_FTZ) == MODE_FTZ && decode_type_of(d) == PTX_f32 &&
                       !is_one_operation(d->in->opcode);
    d->out->fp.saturate = saturate;
    d->out->run = fp_run;
}

/* Handles the modes of arithmetic on 16-bit floats, which always rounds to nearest. Only f16 has
 * .ftz and .sat, but ex2 of bf16 always has .ftz. */
static void use_half_modes(struct decoder *d)
{
    bool is_f16 = half_is_f16(decode_type_of(d)), is_ex2 = d->in->opcode == PTX_OP_ex2;
    bool ftz = ptx_has(d->in, PTX_MOD_ftz), saturate = ptx_has(d->in, PTX_MOD_sat);
    bool relu = ptx_has(d->in, PTX_MOD_relu);
    bool fits = is_ex2 ? is_f16 != ftz : is_f16 || !(ftz || saturate);
    bool is_fma = d->in->opcode == PTX_OP_fma;
    if (!fits || (decode_mode_of(d->in) & MODE_ZERO) || (relu && (saturate || !is_fma)))
        decode_unsupported(d);
    d->out->half.ftz = ftz;
    d->out->half.saturate = saturate;
    d->out->half.relu = relu;
}

static void decode_half(struct decoder *d)
{
    char name[80];
    enum ptx_type type = decode_type_of(d);
    unsigned bytes = ptx_type_bytes(type);
    row_name(d, half_is_f16(type) ? "f16" : "bf16", name, sizeof name);
    const struct half_row *row = half_find(name);
    if (!row || d->in->operand_count != row->sources + 1u) {
        decode_unsupported(d);
        return;
    }
    d->out->run = half_run;
    d->out->half.row = row;
    d->out->half.type = (uint8_t)type;
    d->out->source_count = row->sources;
    d->out->dst = decode_destination(d, &d->in->operands[0], bytes);
    for (unsigned i = 0; i < row->sources; i++)
        d->out->src[i] = decode_source(d, &d->in->operands[i + 1], type, bytes);
    use_half_modes(d);
}

/* Returns whether the instruction is rcp.approx.ftz.f64 or rsqrt.approx.ftz.f64. They have separate
 * rows in alu.def, because their results are only rough approximations, which programs then
 * refine. */
static bool is_gross(const struct decoder *d)
{
    return decode_type_of(d) == PTX_f64 && ptx_has(d->in, PTX_MOD_approx) &&
           ptx_has(d->in, PTX_MOD_ftz);
}

void decode_alu(struct decoder *d)
{
    char name[80];
    if (half_is(decode_type_of(d))) {
        decode_half(d);
        return;
    }
    if (is_gross(d)) {
        snprintf(name, sizeof name, "%s_gross_f64", ptx_opcodes[d->in->opcode].name);
        use_row(d, name);
        return;
    }
    row_name(d, ptx_type_name(decode_type_of(d)), name, sizeof name);
    use_row(d, name);
    use_modes(d);
}

/* Decodes instructions such as dp4a.u32.s32, in which each factor has its own type. */
void decode_dot(struct decoder *d)
{
    char name[80], types[16];
    if (d->in->type_count != 2) {
        decode_unsupported(d);
        return;
    }
    snprintf(types, sizeof types, "%s_%s", ptx_type_name(decode_type_of(d)),
             ptx_type_name((enum ptx_type)d->in->types[1]));
    row_name(d, types, name, sizeof name);
    use_row(d, name);
}

static uint8_t product_part(const struct decoder *d)
{
    return ptx_has(d->in, PTX_MOD_hi) ? 'h' : ptx_has(d->in, PTX_MOD_lo) ? 'l' : 0;
}

/* Decodes add.cc, addc and similar instructions. The carry is a register in the function's frame,
 * so it is not passed to a called function. */
void decode_carry(struct decoder *d)
{
    enum ptx_type type = decode_type_of(d);
    unsigned bytes = ptx_type_bytes(type), opcode = d->in->opcode;
    bool multiplies = opcode == PTX_OP_mad || opcode == PTX_OP_madc;
    bool subtracts = opcode == PTX_OP_sub || opcode == PTX_OP_subc;
    bool reads = opcode == PTX_OP_addc || opcode == PTX_OP_subc || opcode == PTX_OP_madc;
    bool writes = ptx_has(d->in, PTX_MOD_cc);
    uint8_t part = product_part(d);
    bool is_word = type == PTX_u32 || type == PTX_s32 || type == PTX_u64 || type == PTX_s64;
    if (!is_word || multiplies != (part != 0) || d->in->modifier_count != (part != 0) + writes) {
        decode_unsupported(d);
        return;
    }
    d->out->run = bytes == 4 ? carry_run_32 : carry_run_64;
    d->out->carry.part = part;
    d->out->carry.is_signed = ptx_type_class(type) == 'S';
    d->out->carry.subtracts = subtracts;
    d->out->carry.from = reads ? d->carry : decode_constant_slot(d, 0, 0);
    d->out->carry.to = writes ? d->carry : no_slot;
    d->out->source_count = (uint8_t)(d->in->operand_count - 1);
    d->out->dst = decode_destination(d, &d->in->operands[0], bytes);
    for (unsigned i = 0; i < d->out->source_count; i++)
        d->out->src[i] = decode_source(d, &d->in->operands[i + 1], type, bytes);
}

/* Decodes add, sub and mad, which may set the carry. */
void decode_sum(struct decoder *d)
{
    if (ptx_has(d->in, PTX_MOD_cc))
        decode_carry(d);
    else
        decode_alu(d);
}

static bool is_signed_type(const struct decoder *d, unsigned i)
{
    return d->in->types[i] == PTX_s32;
}

/* Decodes video instructions. vadd4.u32.s32.u32 names the types of the parts of d, a and b; vset
 * names only the types of a and b. */
void decode_video(struct decoder *d)
{
    bool sets = d->in->opcode == PTX_OP_vset2 || d->in->opcode == PTX_OP_vset4;
    unsigned skipped = !sets, words = 0;
    for (unsigned i = 0; i < d->in->type_count; i++)
        if (d->in->types[i] != PTX_u32 && d->in->types[i] != PTX_s32)
            decode_unsupported(d);
    for (unsigned i = 0; i < d->in->modifier_count; i++)
        words += d->in->modifiers[i] != PTX_MOD_add;
    if (d->in->type_count != 2 + skipped || words > 1 || (sets && !words)) {
        decode_unsupported(d);
        return;
    }
    for (unsigned i = 0; i < d->in->modifier_count; i++)
        if (d->in->modifiers[i] != PTX_MOD_add)
            d->out->video.compare = d->in->modifiers[i];
    d->out->run = video_run;
    d->out->video.op = (uint8_t)d->in->opcode;
    d->out->video.bits = d->in->opcode >= PTX_OP_vadd4 ? 8 : 16;
    d->out->video.d_signed = !sets && is_signed_type(d, 0);
    d->out->video.a_signed = is_signed_type(d, skipped);
    d->out->video.b_signed = is_signed_type(d, skipped + 1);
    d->out->video.saturates = ptx_has(d->in, PTX_MOD_sat);
    d->out->video.adds = ptx_has(d->in, PTX_MOD_add);
    d->out->source_count = 3;
    d->out->dst = decode_destination(d, &d->in->operands[0], 4);
    for (unsigned i = 0; i < 3; i++)
        d->out->src[i] = decode_source(d, &d->in->operands[i + 1], PTX_u32, 4);
}

/* Decodes instructions such as slct.b32.s32. Only the width of the first type matters. slct.ftz has
 * separate rows in alu.def, because it compares negative denormals as zero. */
void decode_slct(struct decoder *d)
{
    char name[80];
    if (d->in->type_count != 2) {
        decode_unsupported(d);
        return;
    }
    snprintf(name, sizeof name, "slct%s_%s_%s", ptx_has(d->in, PTX_MOD_ftz) ? "_ftz" : "",
             decode_width_type(ptx_type_bytes(decode_type_of(d))),
             ptx_type_name((enum ptx_type)d->in->types[1]));
    use_row(d, name);
}

static void decode_predicate_logic(struct decoder *d)
{
    unsigned sources = d->in->opcode == PTX_OP_not || d->in->opcode == PTX_OP_mov ? 1 : 2;
    if (d->in->operand_count != sources + 1) {
        decode_unsupported(d);
        return;
    }
    d->out->run = predicate_find((enum ptx_opcode)d->in->opcode);
    d->out->dst = decode_predicate_destination(d, &d->in->operands[0]);
    for (unsigned i = 0; i < sources; i++)
        d->out->src[i] = decode_predicate_source(d, &d->in->operands[i + 1]);
}

void decode_selp(struct decoder *d)
{
    unsigned bytes = ptx_type_bytes(decode_type_of(d));
    d->out->run = select_find(bytes);
    d->out->dst = decode_destination(d, &d->in->operands[0], bytes);
    d->out->src[0] = decode_source(d, &d->in->operands[1], decode_type_of(d), bytes);
    d->out->src[1] = decode_source(d, &d->in->operands[2], decode_type_of(d), bytes);
    d->out->src[2] = decode_predicate_source(d, &d->in->operands[3]);
}

/* Decodes and, or, xor and not. The operands are predicates or untyped bits. */
void decode_logic(struct decoder *d)
{
    if (decode_type_of(d) == PTX_pred)
        decode_predicate_logic(d);
    else
        decode_alu(d);
}

/* --- comparison ------------------------------------------------------------------------------- */

static bool is_combination(unsigned modifier)
{
    return modifier == PTX_MOD_and || modifier == PTX_MOD_or || modifier == PTX_MOD_xor;
}

/* Writes the comparison's name, such as "lt_s32", and sets set.combine. Untyped bits (.b32) compare
 * as unsigned. */
static void comparison_name(struct decoder *d, enum ptx_type type, char *name, size_t size)
{
    const char *word = "";
    for (unsigned i = 0; i < d->in->modifier_count; i++) {
        unsigned modifier = d->in->modifiers[i];
        if (is_combination(modifier))
            d->out->set.combine = modifier == PTX_MOD_and  ? '&'
                                  : modifier == PTX_MOD_or ? '|'
                                                           : '^';
        else if (modifier != PTX_MOD_ftz)
            word = ptx_modifier_name((enum ptx_modifier)modifier);
    }
    char class = ptx_type_class(type);
    bool only_equal = strcmp(word, "eq") == 0 || strcmp(word, "ne") == 0;
    if (class == 'B' && !only_equal)
        decode_unsupported(d);
    /* 16-bit floats are compared as f64 */
    unsigned bits = half_is(type) ? 64 : 8 * ptx_type_bytes(type);
    snprintf(name, size, "%s_%c%u", word, class == 'B' ? 'u' : class - 'A' + 'a', bits);
}

static bool may_flush(enum ptx_type type)
{
    return type == PTX_f32 || half_is_f16(type);
}

/* Returns the comparison, or NULL if it is not supported. */
static const struct compare_row *decode_comparison(struct decoder *d, enum ptx_type type)
{
    char name[40];
    comparison_name(d, type, name, sizeof name);
    const struct compare_row *row = compare_find(name);
    if (!row || (!may_flush(type) && ptx_has(d->in, PTX_MOD_ftz)) ||
        d->in->operand_count != 3u + !!d->out->set.combine) {
        decode_unsupported(d);
        return NULL;
    }
    unsigned bytes = ptx_type_bytes(type);
    d->out->set.compare = row->compare;
    d->out->mode = decode_mode_of(d->in);
    d->out->set.half = half_is(type) ? (uint8_t)type : 0;
    d->out->set.ftz = ptx_has(d->in, PTX_MOD_ftz);
    d->out->src[0] = decode_source(d, &d->in->operands[1], type, bytes);
    d->out->src[1] = decode_source(d, &d->in->operands[2], type, bytes);
    if (d->out->set.combine)
        d->out->src[2] = decode_predicate_source(d, &d->in->operands[3]);
    return row;
}

void decode_predicate_pair(struct decoder *d, struct slot *second)
{
    const struct ptx_operand *op = &d->in->operands[0];
    bool pair = op->kind == PTX_PAIR;
    d->out->dst = decode_predicate_destination(d, pair ? &op->elements[0] : op);
    *second = pair ? decode_predicate_destination(d, &op->elements[1]) : no_slot;
}

void decode_setp(struct decoder *d)
{
    decode_predicate_pair(d, &d->out->set.second);
    const struct compare_row *row = decode_comparison(d, decode_type_of(d));
    bool is_plain = d->out->set.second.offset == NO_SLOT && d->out->mode == MODE_DEFAULT &&
                    !d->out->set.half && !d->out->set.combine;
    d->out->run = row && is_plain ? row->run : setp_run;
}

/* Sets *YES to the bits that `set` writes for true. Returns false if `set` cannot compare FROM with
 * a result of type TO. A comparison of 16-bit floats has a result of the same type or an integer; a
 * comparison of other types has a 32-bit result. */
static bool set_result(enum ptx_type to, enum ptx_type from, uint32_t *yes)
{
    bool is_float = ptx_type_class(to) == 'F', is_wide = ptx_type_bytes(to) == 4;
    *yes = !is_float         ? ~0u
           : to == PTX_f32   ? 0x3f800000u
           : half_is_f16(to) ? 0x3c003c00u
                             : 0x3f803f80u;
    if (half_is(from))
        return is_float ? to == from : is_wide || !half_is_packed(from);
    return is_wide && !half_is(to);
}

void decode_set(struct decoder *d)
{
    enum ptx_type to = decode_type_of(d), from = (enum ptx_type)d->in->types[1];
    if (d->in->type_count != 2 || !set_result(to, from, &d->out->set.yes)) {
        decode_unsupported(d);
        return;
    }
    d->out->run = set_run;
    d->out->dst = decode_destination(d, &d->in->operands[0], ptx_type_bytes(to));
    decode_comparison(d, from);
}

void decode_testp(struct decoder *d)
{
    char name[40];
    unsigned bytes = ptx_type_bytes(decode_type_of(d));
    comparison_name(d, decode_type_of(d), name, sizeof name);
    const struct compare_row *row = compare_find(name);
    if (!row) {
        decode_unsupported(d);
        return;
    }
    decode_predicate_pair(d, &d->out->set.second);
    d->out->run = setp_run;
    d->out->set.compare = row->compare;
    d->out->src[0] = decode_source(d, &d->in->operands[1], decode_type_of(d), bytes);
    d->out->src[1] = d->out->src[0];
}

/* --- moves and conversion --------------------------------------------------------------------- */

static void decode_pack(struct decoder *d)
{
    const struct ptx_operand *to = &d->in->operands[0], *from = &d->in->operands[1];
    bool pack = from->kind == PTX_VECTOR;
    const struct ptx_operand *parts = pack ? from : to, *whole = pack ? to : from;
    unsigned bytes = ptx_type_bytes(decode_type_of(d));
    if (whole->kind == PTX_VECTOR || bytes % parts->count) {
        decode_unsupported(d);
        return;
    }
    unsigned part = bytes / parts->count;
    d->out->run = pack ? pack_run : unpack_run;
    if (pack)
        d->out->dst = decode_destination(d, whole, bytes);
    else
        d->out->src[0] = decode_source(d, whole, decode_type_of(d), bytes);
    d->out->mem.bytes = (uint8_t)part;
    decode_vector(d, parts, part == 1 ? PTX_b8 : part == 2 ? PTX_b16 : PTX_b32, part, !pack, false);
}

static void decode_wide_part(struct decoder *d, const struct ptx_operand *op, bool is_written)
{
    if (op->kind == PTX_VECTOR)
        decode_vector(d, op, PTX_b64, 8, is_written, false);
    else
        decode_halves(d, op, is_written);
    if (d->out->mem.count != 2)
        decode_unsupported(d);
}

/* Decodes mov.b128 %rq1, {%rd1, %rd2}, mov.b128 {%rd1, %rd2}, %rq1 and mov.b128 %rq1, %rq2, which
 * move two 64-bit halves. */
static void decode_wide_mov(struct decoder *d)
{
    decode_wide_part(d, &d->in->operands[1], false);
    struct slot *values = d->out->mem.vector;
    decode_wide_part(d, &d->in->operands[0], true);
    d->out->mem.vector = values;
    d->out->run = wide_mov_run;
}

/* Decodes the address of a device function's local variable. The address depends on the depth of
 * calls, so the kernel computes it from the address of the frame's local memory. */
static void decode_local_address(struct decoder *d, unsigned bytes)
{
    const struct ptx_operand *from = &d->in->operands[1];
    if (bytes != 8) {
        decode_unsupported(d);
        return;
    }
    d->out->run = alu_find("add_u64")->run;
    d->out->dst = decode_destination(d, &d->in->operands[0], 8);
    d->out->src[0] = (struct slot){.offset = d->image->local_slot, .bytes = 8};
    d->out->src[1] = decode_constant_slot(d, from->variable->offset + (uint64_t)from->value, 8);
}

void decode_mov(struct decoder *d)
{
    const struct ptx_operand *to = &d->in->operands[0], *from = &d->in->operands[1];
    unsigned bytes = ptx_type_bytes(decode_type_of(d));
    if (decode_type_of(d) == PTX_pred) {
        decode_predicate_logic(d);
    } else if (decode_type_of(d) == PTX_b128) {
        decode_wide_mov(d);
    } else if (to->kind == PTX_VECTOR || from->kind == PTX_VECTOR) {
        decode_pack(d);
    } else if (from->kind == PTX_SPECIAL_REGISTER &&
               ptx_special_is_dynamic((enum ptx_special)from->index)) {
        d->out->run = read_special_run;
        d->kernel->reads_clock = true;
        d->out->read.special = from->index;
        d->out->dst = decode_destination(d, to, ptx_special_bytes((enum ptx_special)from->index));
    } else if (from->kind == PTX_VARIABLE && from->variable->space == PTX_LOCAL &&
               d->image->local_slot != NO_SLOT) {
        decode_local_address(d, bytes);
    } else {
        char name[16];
        snprintf(name, sizeof name, "mov_%s", decode_width_type(bytes));
        use_row(d, name);
    }
}
