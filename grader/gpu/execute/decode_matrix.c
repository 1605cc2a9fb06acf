/* Decoding of matrix instructions (wmma), which a warp's lanes execute together: see matrix.c. */
#include <string.h>

#include "gpu/execute/decode.h"
#include "gpu/execute/operations.h"
#include "gpu/lanes.h"
#include "gpu/observe/view.h"

struct shape {
    uint8_t word; /* enum ptx_modifier */
    uint8_t m, n, k;
};

static const struct shape shapes[] = {
    {PTX_MOD_m16n16k16, 16, 16, 16},
    {PTX_MOD_m32n8k16, 32, 8, 16},
    {PTX_MOD_m8n32k16, 8, 32, 16},
    {PTX_MOD_m8n8k4, 8, 8, 4},
};

/* Returns the shape that the instruction names. NULL: it does not name exactly one, the shape does
 * not fit TYPE, or .sync.aligned is missing. */
static const struct shape *find_shape(const struct ptx_instruction *in, enum ptx_type type)
{
    const struct shape *found = NULL;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        if (!ptx_has(in, (enum ptx_modifier)shapes[i].word))
            continue;
        if (found)
            return NULL;
        found = &shapes[i];
    }
    if (!found || (found->word == PTX_MOD_m8n8k4) != (type == PTX_f64))
        return NULL;
    return ptx_has(in, PTX_MOD_sync) && ptx_has(in, PTX_MOD_aligned) ? found : NULL;
}

/* Reads the modifiers .row and .col in their order. Returns their number. */
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

/* Decodes the registers that hold a lane's part of a matrix with NUMBERS elements. A factor of f16
 * always takes eight registers, in which a smaller matrix is repeated. */
static void decode_part(struct decoder *d, const struct ptx_operand *op, enum ptx_type type,
                        unsigned numbers, bool is_written, bool is_factor)
{
    unsigned bytes = ptx_type_bytes(type), width = bytes == 8 ? 8 : 4;
    unsigned registers = type == PTX_f16 && is_factor ? 8 : numbers / WARP * bytes / width;
    if (op->kind != PTX_VECTOR || op->count != registers) {
        decode_fail(d, "this matrix needs %u registers in each lane", registers);
        return;
    }
    decode_vector(d, op, width == 8 ? PTX_b64 : PTX_b32, width, is_written, false);
    for (unsigned i = 0; i < registers && !d->failed; i++)
        if (d->out->mem.vector[i].offset == NO_SLOT)
            decode_fail(d, "a matrix operand cannot use '_' in place of a register");
}

static void decode_access(struct decoder *d)
{
    const struct ptx_instruction *in = d->in;
    bool is_load = in->opcode != PTX_OP_wmma_store_d, by_column[2];
    bool is_a = in->opcode == PTX_OP_wmma_load_a, is_b = in->opcode == PTX_OP_wmma_load_b;
    const struct shape *shape = find_shape(in, decode_type_of(d));
    if (!shape || find_layouts(in, by_column) != 1) {
        decode_unsupported(d);
        return;
    }
    unsigned rows = is_b ? shape->n : shape->m, columns = is_a || is_b ? shape->k : shape->n;
    unsigned apart =
        by_column[0] != is_b ? rows : columns; /* the default distance between rows or columns */
    decode_address(d, &in->operands[is_load], ptx_space_of(in));
    decode_part(d, &in->operands[!is_load], decode_type_of(d), rows * columns, is_load,
                is_a || is_b);
    d->out->run = is_load ? matrix_load_run : matrix_store_run;
    d->out->mem.bytes = (uint8_t)ptx_type_bytes(decode_type_of(d));
    d->out->mem.type = (uint8_t)decode_type_of(d);
    d->out->mem.event = is_load ? OBS_LOAD : OBS_STORE;
    d->out->mem.variant = by_column[0] != is_b;
    d->out->mem.rows = (uint8_t)rows;
    d->out->mem.columns = (uint8_t)columns;
    d->out->src[0] = in->operand_count == 3 ? decode_source(d, &in->operands[2], PTX_u32, 4)
                                            : decode_constant_slot(d, apart, 4);
}

/* Finds the types of d, a, b and c; false: their combination is not supported. If a and b are f16,
 * the instruction names only the types of d and c. */
static bool find_types(const struct ptx_instruction *in, uint8_t *types)
{
    bool is_half = in->type_count == 2;
    if (in->type_count != 2 && in->type_count != 4)
        return false;
    types[0] = in->types[0];
    types[1] = is_half ? PTX_f16 : in->types[1];
    types[2] = is_half ? PTX_f16 : in->types[2];
    types[3] = in->types[is_half ? 1 : 3];
    if (is_half)
        return (types[0] == PTX_f16 || types[0] == PTX_f32) &&
               (types[3] == PTX_f16 || types[3] == PTX_f32);
    bool are_bytes =
        (types[1] == PTX_s8 || types[1] == PTX_u8) && (types[2] == PTX_s8 || types[2] == PTX_u8);
    bool same = types[0] == types[3] && (types[1] == types[2] || are_bytes);
    return same && types[0] == (are_bytes              ? PTX_s32
                                : types[1] == PTX_bf16 ? PTX_f32
                                : types[1] == PTX_f64  ? PTX_f64
                                                       : PTX_TYPE_COUNT);
}

static void decode_multiply(struct decoder *d)
{
    const struct ptx_instruction *in = d->in;
    struct inst *out = d->out;
    uint8_t types[4], count[4];
    bool by_column[2], saturates = ptx_has(in, PTX_MOD_satfinite);
    const struct shape *shape = find_shape(in, decode_type_of(d));
    if (!shape || find_layouts(in, by_column) != 2 || !find_types(in, types) ||
        (saturates && types[0] != PTX_s32) || (ptx_has(in, PTX_MOD_rn) && types[0] != PTX_f64)) {
        decode_unsupported(d);
        return;
    }
    unsigned numbers[] = {shape->m * shape->n, shape->m * shape->k, shape->k * shape->n,
                          shape->m * shape->n};
    struct slot *vector = &d->kernel->vectors[d->kernel->vector_count];
    for (unsigned i = 0; i < 4; i++) {
        decode_part(d, &in->operands[i], (enum ptx_type)types[i], numbers[i], i == 0,
                    i == 1 || i == 2);
        count[i] = out->mem.count;
    }
    out->run = matrix_multiply_run;
    out->kind = KIND_MEET;
    out->warp.op = saturates ? PTX_MOD_satfinite : 0;
    out->warp.members = decode_constant_slot(d, ALL_LANES, 4);
    out->warp.second = no_slot;
    out->warp.vector = vector;
    memcpy(out->warp.count, count, sizeof count);
    memcpy(out->warp.types, types, sizeof types);
    out->warp.m = shape->m;
    out->warp.n = shape->n;
    out->warp.k = shape->k;
}

void decode_matrix(struct decoder *d)
{
    if (d->in->opcode == PTX_OP_wmma_mma)
        decode_multiply(d);
    else
        decode_access(d);
}
