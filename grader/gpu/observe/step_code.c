/* Describes a kernel's instructions for the program that reads a recording (the reader): which
 * registers an instruction writes, and how to compute their values. */
#include <stdlib.h>

#include "gpu/analyse/operands.h"
#include "gpu/observe/step_model.h"

static void add_dest(void *context, uint32_t reg)
{
    struct step_code *code = context;
    if (code->dest_count < STEP_DESTS)
        code->dest[code->dest_count++] = code->base + reg;
}

/* Returns whether OP is a register, or a constant that is valid for TYPE. If so, stores it in
 * *INTO. */
static bool read_operand(const struct ptx_operand *op, uint32_t base, enum ptx_type type,
                         struct step_operand *into)
{
    *into = (struct step_operand){STEP_NONE, (uint64_t)op->value};
    if (op->kind == PTX_REGISTER)
        into->reg = base + op->index;
    return op->kind == PTX_REGISTER ||
           (op->kind == PTX_IMMEDIATE && !(op->is_f64 && type == PTX_f32) &&
            !(op->is_f32 && type != PTX_f32));
}

static bool is_word_type(enum ptx_type type)
{
    return type == PTX_s32 || type == PTX_u32 || type == PTX_b32;
}

/* Returns the operation of setp: a > b is b < a, and a >= b is b <= a. */
static uint8_t comparison(const struct ptx_instruction *in)
{
    static const struct {
        enum ptx_modifier name;
        uint8_t of_unsigned, of_signed;
    } rows[] = {
        {PTX_MOD_eq, STEP_EQUAL, STEP_EQUAL},         {PTX_MOD_ne, STEP_DIFFERS, STEP_DIFFERS},
        {PTX_MOD_lt, STEP_LESS_U, STEP_LESS_S},       {PTX_MOD_gt, STEP_LESS_U, STEP_LESS_S},
        {PTX_MOD_lo, STEP_LESS_U, STEP_UNKNOWN},      {PTX_MOD_hi, STEP_LESS_U, STEP_UNKNOWN},
        {PTX_MOD_le, STEP_AT_MOST_U, STEP_AT_MOST_S}, {PTX_MOD_ge, STEP_AT_MOST_U, STEP_AT_MOST_S},
        {PTX_MOD_ls, STEP_AT_MOST_U, STEP_UNKNOWN},   {PTX_MOD_hs, STEP_AT_MOST_U, STEP_UNKNOWN},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (ptx_has(in, rows[i].name) && is_word_type(in->types[0]) && in->operand_count == 3)
            return in->types[0] == PTX_s32 ? rows[i].of_signed : rows[i].of_unsigned;
    return STEP_UNKNOWN;
}

static bool compares_backwards(const struct ptx_instruction *in)
{
    return in->opcode == PTX_OP_setp && (ptx_has(in, PTX_MOD_gt) || ptx_has(in, PTX_MOD_ge) ||
                                         ptx_has(in, PTX_MOD_hi) || ptx_has(in, PTX_MOD_hs));
}

static bool is_whole_number(enum ptx_type type)
{
    return ptx_type_class(type) == 'S' || ptx_type_class(type) == 'U';
}

static bool converts_whole_numbers(const struct ptx_instruction *in)
{
    return in->opcode == PTX_OP_cvt && in->type_count == 2 && in->operand_count == 2 &&
           !ptx_has(in, PTX_MOD_sat) && is_whole_number(in->types[0]) &&
           is_whole_number(in->types[1]);
}

/* Returns the operation of a conversion between integers, and sets its second operand. Extending to
 * 8 bytes is a multiplication by 1. Extending an unsigned integer of 1 or 2 bytes, or truncating to
 * 2 bytes, is an AND. */
static uint8_t conversion(const struct ptx_instruction *in, struct step_operand *second)
{
    unsigned wide = ptx_type_bytes(in->types[0]), narrow = ptx_type_bytes(in->types[1]);
    bool is_signed = ptx_type_class(in->types[1]) == 'S';
    *second = (struct step_operand){STEP_NONE, 1};
    if (wide == 8 && narrow == 4)
        return is_signed ? STEP_WIDE_S : STEP_WIDE_U;
    if (wide == 4 && narrow >= 4)
        return STEP_COPY;
    if (wide > 4 || wide == 1 || (is_signed && narrow < wide))
        return STEP_UNKNOWN;
    second->value = narrow == 1 ? 0xff : 0xffff;
    return STEP_AND;
}

/* Returns the operation of an integer multiplication. */
static uint8_t multiplication(const struct ptx_instruction *in)
{
    enum ptx_type type = in->types[0];
    if (ptx_has(in, PTX_MOD_wide))
        return type == PTX_u32   ? STEP_WIDE_U
               : type == PTX_s32 ? STEP_WIDE_S
               : type == PTX_u16 ? STEP_MUL /* of integers of 2 bytes, which the model extends */
                                 : STEP_UNKNOWN;
    if (ptx_has(in, PTX_MOD_hi))
        return type == PTX_u32 ? STEP_HIGH_U : type == PTX_s32 ? STEP_HIGH_S : STEP_UNKNOWN;
    return ptx_has(in, PTX_MOD_lo) && is_word_type(type) ? STEP_MUL : STEP_UNKNOWN;
}

/* Returns the operation that computes the instruction's result, or STEP_UNKNOWN if the reader of
 * the recording cannot compute it. */
static uint8_t arithmetic(const struct ptx_instruction *in)
{
    enum ptx_type type = in->types[0];
    bool is_word = is_word_type(type), is_float = type == PTX_f32;
    bool is_whole = is_word || type == PTX_s64 || type == PTX_u64 || type == PTX_b64;
    bool is_plain = !ptx_has(in, PTX_MOD_sat) && !ptx_has(in, PTX_MOD_cc) &&
                    !ptx_has(in, PTX_MOD_ftz) && !ptx_has(in, PTX_MOD_rz) &&
                    !ptx_has(in, PTX_MOD_rm) && !ptx_has(in, PTX_MOD_rp);
    if (!is_plain)
        return STEP_UNKNOWN;
    switch (in->opcode) {
    case PTX_OP_add:
        return is_whole ? STEP_ADD : is_float ? STEP_FADD : STEP_UNKNOWN;
    case PTX_OP_sub:
        return is_whole ? STEP_SUB : is_float ? STEP_FSUB : STEP_UNKNOWN;
    case PTX_OP_mul:
        return is_float ? STEP_FMUL : multiplication(in);
    case PTX_OP_mad:
        return is_word && ptx_has(in, PTX_MOD_lo) ? STEP_MAD : STEP_UNKNOWN;
    case PTX_OP_fma:
        return is_float ? STEP_FMA : STEP_UNKNOWN;
    case PTX_OP_mov:
        return ptx_type_bytes(type) >= 4 ? STEP_COPY : STEP_UNKNOWN;
    case PTX_OP_cvta:
        return STEP_COPY;
    case PTX_OP_and:
        return is_whole || type == PTX_b16 ? STEP_AND : STEP_UNKNOWN;
    case PTX_OP_or:
        return is_whole ? STEP_OR : STEP_UNKNOWN;
    case PTX_OP_xor:
        return is_whole ? STEP_XOR : STEP_UNKNOWN;
    case PTX_OP_shl:
        return is_whole ? STEP_SHL : STEP_UNKNOWN;
    case PTX_OP_shr:
        return !is_word ? STEP_UNKNOWN : type == PTX_s32 ? STEP_SAR : STEP_SHR;
    case PTX_OP_cvt:
        return !is_float || in->type_count < 2 ? STEP_UNKNOWN
               : in->types[1] == PTX_u32       ? STEP_UNSIGNED
               : in->types[1] == PTX_s32       ? STEP_SIGNED
                                               : STEP_UNKNOWN;
    default:
        return STEP_UNKNOWN;
    }
}

static void describe_arithmetic(const struct ptx_instruction *in, struct step_code *code)
{
    bool converts = converts_whole_numbers(in);
    bool inverts = in->opcode == PTX_OP_not && in->type_count && ptx_type_bytes(in->types[0]) >= 4;
    code->op = code->dest_count != 1 || !in->type_count ? STEP_UNKNOWN
               : in->opcode == PTX_OP_setp              ? comparison(in)
               : converts                               ? conversion(in, &code->source[1])
               : inverts                                ? STEP_XOR
                                                        : arithmetic(in);
    for (unsigned i = 1; i < in->operand_count && i <= 3 && code->op != STEP_UNKNOWN; i++) {
        if (read_operand(&in->operands[i], code->base, in->types[0], &code->source[i - 1]))
            code->source_count++;
        else
            code->op = STEP_UNKNOWN;
    }
    if (inverts)
        code->source[1] = (struct step_operand){STEP_NONE, UINT64_MAX};
    code->source_count += converts || inverts;
    if (compares_backwards(in)) {
        struct step_operand first = code->source[0];
        code->source[0] = code->source[1];
        code->source[1] = first;
    }
}

static void describe_address(const struct ptx_operand *op, struct step_code *code)
{
    bool is_simple = op->kind == PTX_ADDRESS && op->index != PTX_NONE && !op->count;
    code->address = is_simple ? code->base + op->index : STEP_NONE;
    code->offset = op->value;
}

/* Describes the values that a load or store moves. Returns false if there are more than four
 * values, or if they are not in registers. */
static bool describe_values(const struct ptx_operand *op, bool is_load, enum ptx_type type,
                            struct step_code *code)
{
    unsigned count = op->kind == PTX_VECTOR ? op->count : 1;
    if (count > STEP_SOURCES)
        return false;
    for (unsigned k = 0; k < count; k++) {
        const struct ptx_operand *part = op->kind == PTX_VECTOR ? &op->elements[k] : op;
        if (is_load ? part->kind != PTX_REGISTER
                    : !read_operand(part, code->base, type, &code->source[k]))
            return false;
    }
    code->source_count = (uint8_t)(is_load ? 0 : count);
    return true;
}

static void describe_memory(const struct launch_view *launch, uint32_t pc,
                            const struct ptx_instruction *in, struct step_code *code)
{
    struct view_instruction view = view_instruction(launch, pc);
    bool is_load = view.kind == VIEW_LOAD, is_store = view.kind == VIEW_STORE;
    enum ptx_type type = in->type_count ? in->types[in->type_count - 1] : PTX_b32;
    code->address = STEP_NONE;
    code->is_atomic = view.kind == VIEW_ATOMIC;
    code->sweeps = view.kind == VIEW_COPY || view.kind == VIEW_MBARRIER ||
                   view.kind == VIEW_MATRIX || view.kind == VIEW_CALL ||
                   (in->opcode >= PTX_OP_cp_async && in->opcode <= PTX_OP_cp_async_wait_all);
    if (in->operand_count < 2 || !(is_load || is_store || code->is_atomic))
        return;
    unsigned at = is_load || in->opcode == PTX_OP_atom ? 1 : 0;
    describe_address(&in->operands[at], code);
    code->element = (uint8_t)ptx_type_bytes(type);
    code->is_signed = ptx_type_class(type) == 'S';
    code->adds = code->is_atomic && ptx_has(in, PTX_MOD_add) &&
                 in->operands[at + 1].kind != PTX_VECTOR && (type == PTX_u32 || type == PTX_s32);
    if ((code->is_atomic && !code->adds) || code->element > 8 ||
        !describe_values(&in->operands[code->adds ? at + 1 : 1 - at], is_load, type, code)) {
        code->adds = false;
        return;
    }
    code->is_load = is_load;
    code->is_store = is_store;
    code->op = is_load                               ? STEP_LOAD
               : code->adds && code->dest_count == 1 ? STEP_FETCH
                                                     : STEP_UNKNOWN;
}

static void describe(const struct launch_view *launch, uint32_t pc,
                     const struct ptx_instruction *in, struct step_code *code)
{
    operands_written(in, add_dest, code);
    code->is_barrier = in->opcode >= PTX_OP_bar && in->opcode <= PTX_OP_barrier_cluster_wait;
    code->is_call = view_instruction(launch, pc).kind == VIEW_CALL ||
                    view_instruction(launch, pc).kind == VIEW_RETURN;
    describe_arithmetic(in, code);
    if (code->op == STEP_UNKNOWN) {
        code->source_count = 0;
        describe_memory(launch, pc, in, code);
    }
}

/* Stores the width in bytes of each register of all functions in WIDTHS, unless WIDTHS is NULL.
 * Returns the number of registers. */
static uint32_t find_widths(const struct launch_view *launch, uint32_t *widths)
{
    uint32_t count = 0, first, end, index;
    for (uint32_t n = 0; n < launch->function_count; n++) {
        view_range(launch, n, &first, &end);
        const struct ptx_function *f = view_function(launch, first, &index);
        for (uint32_t i = 0; i < f->register_count && widths; i++)
            widths[count + i] = ptx_type_bytes(f->registers[i].type);
        count += f->register_count;
    }
    return count;
}

struct step_code *step_describe(const struct launch_view *launch, uint32_t **widths,
                                uint32_t *count)
{
    struct step_code *code = calloc((size_t)launch->code_count + 1, sizeof *code);
    uint32_t base = 0, first, end, index;
    *count = find_widths(launch, NULL);
    *widths = calloc((size_t)*count + 1, sizeof **widths);
    if (!code || !*widths) {
        free(code);
        free(*widths);
        return NULL;
    }
    find_widths(launch, *widths);
    for (uint32_t n = 0; n < launch->function_count; n++) {
        view_range(launch, n, &first, &end);
        const struct ptx_function *f = view_function(launch, first, &index);
        for (uint32_t pc = first; pc <= end && pc < launch->code_count; pc++) {
            code[pc] = (struct step_code){.function = n, .base = base, .address = STEP_NONE};
            if (pc < end)
                describe(launch, pc, &f->code[pc - first], &code[pc]);
        }
        base += f->register_count;
    }
    return code;
}
