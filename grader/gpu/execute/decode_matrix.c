/* Decodes matrix instructions, which a warp's lanes execute together (see matrix.c). */
#include <string.h>

#include "gpu/execute/decode.h"
#include "gpu/execute/operations.h"
#include "gpu/lanes.h"
#include "gpu/observe/view.h"

#define T(type) (1u << PTX_##type)
#define BYTES   (T(u8) | T(s8))
#define NIBBLES (T(u4) | T(s4))
#define FLOAT8  (T(e4m3) | T(e5m2))

/* A shape m x n x k, and the types (T() masks) that the factors a and b can have in wmma and in
 * mma. */
struct shape {
    uint8_t word; /* an enum ptx_modifier */
    uint8_t m, n;
    uint16_t k;
    uint32_t wmma, mma;
};

static const struct shape shapes[] = {
    {PTX_MOD_m16n16k16, 16, 16, 16, T(f16) | T(bf16) | BYTES, 0},
    {PTX_MOD_m32n8k16, 32, 8, 16, T(f16) | T(bf16) | BYTES, 0},
    {PTX_MOD_m8n32k16, 8, 32, 16, T(f16) | T(bf16) | BYTES, 0},
    {PTX_MOD_m16n16k8, 16, 16, 8, T(tf32), 0},
    {PTX_MOD_m8n8k4, 8, 8, 4, T(f64), T(f16) | T(f64)},
    {PTX_MOD_m16n8k4, 16, 8, 4, 0, T(tf32) | T(f64)},
    {PTX_MOD_m16n8k8, 16, 8, 8, 0, T(f16) | T(bf16) | T(tf32) | T(f64)},
    {PTX_MOD_m16n8k16, 16, 8, 16, 0, T(f16) | T(bf16) | T(f64) | BYTES | FLOAT8},
    {PTX_MOD_m8n8k16, 8, 8, 16, 0, BYTES},
    {PTX_MOD_m16n8k32, 16, 8, 32, 0, BYTES | NIBBLES | FLOAT8},
    {PTX_MOD_m8n8k32, 8, 8, 32, NIBBLES, NIBBLES},
    {PTX_MOD_m16n8k64, 16, 8, 64, 0, NIBBLES},
    {PTX_MOD_m8n8k128, 8, 8, 128, T(b1), T(b1)},
    {PTX_MOD_m16n8k128, 16, 8, 128, 0, T(b1)},
    {PTX_MOD_m16n8k256, 16, 8, 256, 0, T(b1)},
};

/* Returns the shape that the instruction names, or NULL if it does not name exactly one shape, or
 * .sync.aligned is missing. */
static const struct shape *find_shape(const struct ptx_instruction *in)
{
    const struct shape *found = NULL;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        if (!ptx_has(in, (enum ptx_modifier)shapes[i].word))
            continue;
        if (found)
            return NULL;
        found = &shapes[i];
    }
    return ptx_has(in, PTX_MOD_sync) && ptx_has(in, PTX_MOD_aligned) ? found : NULL;
}

/* Writes to BY_COLUMN, for each modifier .row or .col in order, whether it is .col. Returns the
 * number of these modifiers. */
static unsigned find_layouts(const struct ptx_instruction *in, bool by_column[2])
{
    unsigned count = 0;
    for (unsigned i = 0; i < in->modifier_count; i++) {
        if (in->modifiers[i] != PTX_MOD_row && in->modifiers[i] != PTX_MOD_col)
            continue;
        if (count < 2)
            by_column[count] = in->modifiers[i] == PTX_MOD_col;
        count++;
    }
    return count;
}

static void decode_registers(struct decoder *d, const struct ptx_operand *op, unsigned width,
                             unsigned registers, bool is_written)
{
    unsigned count = op->kind == PTX_VECTOR ? op->count : 1;
    if (count != registers) {
        decode_fail(d, "this matrix needs %u registers in each lane", registers);
        return;
    }
    decode_vector(d, op, width == 8 ? PTX_b64 : PTX_b32, width, is_written, false);
    for (unsigned i = 0; i < registers && !d->failed; i++)
        if (d->out->mem.vector[i].offset == NO_SLOT)
            decode_fail(d, "a matrix operand cannot use '_' in place of a register");
}

/* Decodes the registers that hold a lane's part of a matrix with NUMBERS elements. For wmma, a
 * factor of f16 always takes eight registers; a smaller matrix is repeated in them. */
static void decode_part(struct decoder *d, const struct ptx_operand *op, enum ptx_type type,
                        unsigned numbers, bool is_written, bool is_factor)
{
    unsigned width = type == PTX_f64 ? 8 : 4;
    unsigned registers = numbers / WARP * ptx_type_bits(type) / 8 / width;
    if (type == PTX_f16 && is_factor && d->in->opcode != PTX_OP_mma)
        registers = 8;
    decode_registers(d, op, width, registers, is_written);
}

/* --- wmma.load and wmma.store ----------------------------------------------------------------- */

/* Sets the shape and element size of a matrix. Numbers of less than 8 bits are moved in 32-bit
 * words, and each word counts as one element. */
static void set_elements(struct inst *out, enum ptx_type type, unsigned rows, unsigned columns,
                         bool is_factor)
{
    unsigned bits = ptx_type_bits(type), in_word = bits < 8 ? 32 / bits : 1;
    out->mem.bytes = bits < 8 ? 4 : (uint8_t)(bits / 8);
    out->mem.type = (uint8_t)type;
    out->mem.rows = (uint8_t)rows;
    out->mem.columns = (uint8_t)(columns / in_word);
    out->mem.pack = !is_factor ? 2 : bits < 8 || bits >= 32 ? 1 : (uint8_t)(32 / bits);
}

static bool has_type(const struct shape *shape, enum ptx_type type, bool is_factor)
{
    uint32_t sums = (shape->wmma & T(f16) ? T(f16) : 0) |
                    (shape->wmma & (T(f16) | T(bf16) | T(tf32)) ? T(f32) : 0) |
                    (shape->wmma & T(f64)) | (shape->wmma & (BYTES | NIBBLES | T(b1)) ? T(s32) : 0);
    return (is_factor ? shape->wmma : sums) >> type & 1;
}

void decode_matrix(struct decoder *d)
{
    const struct ptx_instruction *in = d->in;
    enum ptx_type type = decode_type_of(d);
    bool is_load = in->opcode != PTX_OP_wmma_store_d, by_column[2];
    bool is_a = in->opcode == PTX_OP_wmma_load_a, is_b = in->opcode == PTX_OP_wmma_load_b;
    const struct shape *shape = find_shape(in);
    if (!shape || !has_type(shape, type, is_a || is_b) || find_layouts(in, by_column) != 1 ||
        (ptx_type_bits(type) < 8 && by_column[0] != is_b)) {
        decode_unsupported(d);
        return;
    }
    unsigned rows = is_b ? shape->n : shape->m, columns = is_a || is_b ? shape->k : shape->n;
    /* the default distance between rows, or between columns if the matrix is stored by column */
    unsigned apart = by_column[0] != is_b ? rows : columns;
    decode_address(d, &in->operands[is_load], ptx_space_of(in));
    decode_part(d, &in->operands[!is_load], type, rows * columns, is_load, is_a || is_b);
    d->out->run = is_load ? matrix_load_run : matrix_store_run;
    set_elements(d->out, type, rows, columns, is_a || is_b);
    d->out->mem.event = is_load ? OBS_LOAD : OBS_STORE;
    d->out->mem.variant = by_column[0] != is_b;
    d->out->src[0] = in->operand_count == 3 ? decode_source(d, &in->operands[2], PTX_u32, 4)
                                            : decode_constant_slot(d, apart, 4);
}

/* --- products --------------------------------------------------------------------------------- */

/* Finds the types of d, a, b and c. If a and b are f16, wmma states only the types of d and c. */
static bool find_types(const struct ptx_instruction *in, uint8_t *types)
{
    bool is_short = in->type_count == 2 && in->opcode == PTX_OP_wmma_mma;
    if (in->type_count != 4 && !is_short)
        return false;
    types[0] = in->types[0];
    types[1] = is_short ? PTX_f16 : in->types[1];
    types[2] = is_short ? PTX_f16 : in->types[2];
    types[3] = in->types[is_short ? 1 : 3];
    return is_short || types[1] != PTX_f16 || in->opcode == PTX_OP_mma;
}

static bool is_half_or_float(uint8_t type)
{
    return type == PTX_f16 || type == PTX_f32;
}

/* Returns whether the instruction can have these types of d, a, b and c. */
static bool types_match(const struct ptx_instruction *in, const struct shape *shape,
                        const uint8_t *types)
{
    uint32_t a = 1u << types[1], b = 1u << types[2], allowed = shape->mma;
    bool same = types[0] == types[3];
    if (in->opcode == PTX_OP_wmma_mma)
        allowed = shape->wmma;
    if (!(a & allowed) || (a != b && !((a | b) & ~BYTES) == 0 && !((a | b) & ~NIBBLES) == 0 &&
                           !((a | b) & ~FLOAT8) == 0))
        return false;
    if (a & T(f16) && (in->opcode == PTX_OP_wmma_mma || shape->k == 4))
        return is_half_or_float(types[0]) && is_half_or_float(types[3]) &&
               (in->opcode == PTX_OP_wmma_mma || types[0] == PTX_f32 || same);
    /* other types of this shape are refused, because their results were not measured on a GPU */
    if (a & FLOAT8 && shape->k == 16)
        return a & T(e4m3) && same && types[0] == PTX_f32;
    if (a & (T(f16) | FLOAT8))
        return same && is_half_or_float(types[0]);
    return same && types[0] == (a & (T(bf16) | T(tf32)) ? PTX_f32 : a & T(f64) ? PTX_f64 : PTX_s32);
}

/* Returns whether the modifiers of the instruction fit its types. */
static bool modifiers_match(const struct ptx_instruction *in, const struct shape *shape,
                            const uint8_t *types)
{
    bool by_column[2], is_bits = types[1] == PTX_b1, is_integer = types[0] == PTX_s32 && !is_bits;
    bool is_xor = ptx_has(in, PTX_MOD_xor), is_and = ptx_has(in, PTX_MOD_and);
    if (find_layouts(in, by_column) != 2)
        return false;
    bool is_free = in->opcode == PTX_OP_mma ? types[1] == PTX_f16 && shape->k == 4
                                            : ptx_type_bits((enum ptx_type)types[1]) >= 8;
    if (!is_free && (by_column[0] || !by_column[1]))
        return false;
    return is_bits == ptx_has(in, PTX_MOD_popc) && is_bits == (is_xor != is_and) &&
           !(is_xor && is_and) && (is_integer || !ptx_has(in, PTX_MOD_satfinite)) &&
           (types[0] == PTX_f64 || !ptx_has(in, PTX_MOD_rn));
}

/* Returns the modifier that changes how the product is computed, or 0. */
static uint8_t variant_of(const struct ptx_instruction *in)
{
    return ptx_has(in, PTX_MOD_satfinite) ? PTX_MOD_satfinite
           : ptx_has(in, PTX_MOD_and)     ? PTX_MOD_and
                                          : 0;
}

static void decode_parts(struct decoder *d, const struct shape *shape, const uint8_t *types)
{
    struct inst *out = d->out;
    uint8_t count[4];
    bool by_column[2], is_quad = types[1] == PTX_f16 && shape->k == 4;
    unsigned numbers[] = {shape->m * shape->n, shape->m * shape->k, shape->k * shape->n,
                          shape->m * shape->n};
    struct slot *vector = &d->kernel->vectors[d->kernel->vector_count];
    for (unsigned i = 0; i < 4 && !d->failed; i++) {
        decode_part(d, &d->in->operands[i], (enum ptx_type)types[i], numbers[i] * (is_quad ? 4 : 1),
                    i == 0, i == 1 || i == 2);
        count[i] = out->mem.count;
    }
    if (d->failed)
        return;
    find_layouts(d->in, by_column);
    out->warp.vector = vector;
    memcpy(out->warp.count, count, sizeof count);
    memcpy(out->warp.types, types, 4);
    out->warp.layout = is_quad ? (uint8_t)(1 | by_column[0] << 1 | by_column[1] << 2) : 0;
}

void decode_product(struct decoder *d)
{
    struct inst *out = d->out;
    uint8_t types[4];
    const struct shape *shape = find_shape(d->in);
    if (!shape || !find_types(d->in, types) || !types_match(d->in, shape, types) ||
        !modifiers_match(d->in, shape, types)) {
        decode_unsupported(d);
        return;
    }
    decode_parts(d, shape, types);
    out->run = matrix_multiply_run;
    out->kind = KIND_MEET;
    out->members = decode_constant_slot(d, ALL_LANES, 4);
    out->warp.op = variant_of(d->in);
    out->warp.second = no_slot;
    out->warp.m = shape->m;
    out->warp.n = shape->n;
    out->warp.k = shape->k;
}

/* --- ldmatrix, stmatrix, movmatrix ------------------------------------------------------------ */

static bool is_whole(const struct ptx_instruction *in)
{
    return ptx_has(in, PTX_MOD_sync) && ptx_has(in, PTX_MOD_aligned) && ptx_has(in, PTX_MOD_m8n8);
}

void decode_rows(struct decoder *d)
{
    const struct ptx_instruction *in = d->in;
    bool is_load = in->opcode == PTX_OP_ldmatrix;
    bool x1 = ptx_has(in, PTX_MOD_x1), x2 = ptx_has(in, PTX_MOD_x2), x4 = ptx_has(in, PTX_MOD_x4);
    if (!is_whole(in) || x1 + x2 + x4 != 1) {
        decode_unsupported(d);
        return;
    }
    decode_address(d, &in->operands[is_load], ptx_space_of(in));
    if (d->out->mem.space != PTX_SHARED && d->out->mem.space != PTX_GENERIC)
        decode_unsupported(d);
    decode_registers(d, &in->operands[!is_load], 4, x4 ? 4 : x2 ? 2 : 1, is_load);
    d->out->run = rows_run;
    d->out->kind = KIND_MEET;
    d->out->members = decode_constant_slot(d, ALL_LANES, 4);
    d->out->mem.bytes = 2;
    d->out->mem.type = PTX_b16;
    d->out->mem.event = is_load ? OBS_LOAD : OBS_STORE;
    d->out->mem.variant = ptx_has(in, PTX_MOD_trans);
}

void decode_transposition(struct decoder *d)
{
    if (!is_whole(d->in) || !ptx_has(d->in, PTX_MOD_trans)) {
        decode_unsupported(d);
        return;
    }
    d->out->run = transpose_run;
    d->out->kind = KIND_MEET;
    d->out->members = decode_constant_slot(d, ALL_LANES, 4);
    d->out->dst = decode_destination(d, &d->in->operands[0], 4);
    d->out->src[0] = decode_source(d, &d->in->operands[1], PTX_b32, 4);
}
