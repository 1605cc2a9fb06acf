/* Decoding: PTX instructions, with names and types, to struct inst, with functions and slots.
 *
 * It happens once for each kernel. Registers and the special registers that a kernel uses get slots
 * in the warp's register memory; immediates and addresses of variables become 32 equal lanes in the
 * kernel's constants, so that at run time every operand is just 32 values somewhere. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emulator/analyse/flow.h"
#include "emulator/analyse/lines.h"
#include "emulator/execute/machine.h"

#define SLOT_ALIGN 64u /* a cache line, and the widest vector registers */

struct constant {
    uint64_t value;
    uint32_t offset;
    unsigned bytes;
};

struct decoder {
    struct kernel *kernel;
    const struct ptx_instruction *in; /* the one being decoded */
    struct inst *out;
    uint32_t pc;
    uint32_t *slots;    /* slot offset of each PTX register */
    uint32_t *meet;     /* see analyse_reconvergence() */
    bool *is_reduction; /* see analyse_reductions() */
    struct constant *constants;
    uint32_t constant_count, constant_room;
    uint32_t constants_used; /* bytes of the kernel's constants */
    symbol_fn *symbol;
    void *context;
    bool failed;
    char *error;
    size_t error_size;
};

__attribute__((format(printf, 2, 3))) static void fail(struct decoder *d, const char *format, ...)
{
    if (d->failed)
        return;
    d->failed = true;
    char mnemonic[80];
    int n = snprintf(d->error, d->error_size, "PTX line %u: instruction '%s': ", d->in->line,
                     ptx_mnemonic(d->in, mnemonic, sizeof mnemonic));
    if (n < 0 || (size_t)n >= d->error_size)
        return;
    va_list args;
    va_start(args, format);
    vsnprintf(d->error + n, d->error_size - (size_t)n, format, args);
    va_end(args);
}

static void unsupported(struct decoder *d)
{
    fail(d, "this form is not supported");
}

/* --- slots -------------------------------------------------------------------------------------- */

static uint32_t take_slot(uint32_t *used, unsigned bytes)
{
    uint32_t size = bytes ? bytes * WARP : (uint32_t)sizeof(uint32_t);
    uint32_t align = bytes ? SLOT_ALIGN : (uint32_t)sizeof(uint32_t);
    uint32_t offset = (*used + align - 1) / align * align;
    *used = offset + size;
    return offset;
}


/* One more element in a growing array; NULL when memory is out. */
static void *grow(struct decoder *d, void *array, uint32_t count, uint32_t *room, size_t size)
{
    if (count < *room)
        return array;
    uint32_t wanted = *room ? *room * 2 : 32;
    void *bigger = realloc(array, wanted * size);
    if (!bigger) {
        fail(d, "out of memory");
        return array;
    }
    *room = wanted;
    return bigger;
}

static void fill_constant(struct decoder *d, const struct constant *constant)
{
    struct kernel *k = d->kernel;
    uint32_t size = constant->offset + (constant->bytes ? constant->bytes * WARP : 4);
    if (size > k->constant_room) {
        uint32_t room = 2 * size + 4096;
        uint8_t *bigger = aligned_alloc(SLOT_ALIGN, room / SLOT_ALIGN * SLOT_ALIGN);
        if (!bigger) {
            fail(d, "out of memory");
            return;
        }
        if (k->constants)
            memcpy(bigger, k->constants, k->constant_room);
        free(k->constants);
        k->constants = bigger;
        k->constant_room = room / SLOT_ALIGN * SLOT_ALIGN;
    }
    unsigned bytes = constant->bytes ? constant->bytes : 4;
    for (unsigned l = 0; l < (constant->bytes ? WARP : 1); l++)
        memcpy(k->constants + constant->offset + l * bytes, &constant->value, bytes);
}

#define REMEMBERED 256 /* how far back an equal constant is looked for */

/* 32 lanes of VALUE (or one word, of a predicate), shared by the operands that need the same. */
static struct slot constant_slot(struct decoder *d, uint64_t value, unsigned bytes)
{
    struct slot slot = {.constant = true, .bytes = (uint8_t)bytes};
    if (bytes < 8)
        value &= ((uint64_t)1 << (bytes ? 8 * bytes : 32)) - 1;
    for (uint32_t i = d->constant_count, n = 0; i-- > 0 && n < REMEMBERED; n++) {
        if (d->constants[i].value == value && d->constants[i].bytes == bytes) {
            slot.offset = d->constants[i].offset;
            return slot;
        }
    }
    d->constants = grow(d, d->constants, d->constant_count, &d->constant_room,
                        sizeof *d->constants);
    if (d->failed)
        return slot;
    struct constant *constant = &d->constants[d->constant_count++];
    *constant = (struct constant){value, take_slot(&d->constants_used, bytes), bytes};
    fill_constant(d, constant);
    slot.offset = constant->offset;
    return slot;
}

static const struct slot no_slot = {.offset = NO_SLOT};

static struct slot register_slot(const struct decoder *d, uint32_t index)
{
    enum ptx_type type = d->kernel->function->registers[index].type;
    return (struct slot){.offset = d->slots[index], .bytes = (uint8_t)ptx_type_bytes(type)};
}

static struct slot special_slot(struct decoder *d, uint32_t special)
{
    struct kernel *k = d->kernel;
    unsigned bytes = ptx_special_bytes((enum ptx_special)special);
    if (k->special[special] == NO_SLOT)
        k->special[special] = take_slot(&k->register_bytes, bytes);
    return (struct slot){.offset = k->special[special], .bytes = (uint8_t)bytes};
}

/* A variable's address in its own state space. */
static uint64_t variable_address(struct decoder *d, const struct ptx_variable *variable)
{
    switch (variable->space) {
    case PTX_SHARED:
        if (variable->size)
            return variable->offset;
        /* dynamic shared memory lies behind the static */
        return (d->kernel->function->shared_bytes + 15u) & ~15u;
    case PTX_LOCAL:
    case PTX_PARAM:
        return variable->offset;
    default:
        return d->symbol(d->context, variable);
    }
}

static uint64_t immediate_bits(struct decoder *d, const struct ptx_operand *op, enum ptx_type type)
{
    if (type == PTX_f32 && op->is_f64) { /* written as a decimal fraction */
        double wide;
        memcpy(&wide, &op->value, sizeof wide);
        float narrow = (float)wide;
        uint32_t bits;
        memcpy(&bits, &narrow, sizeof bits);
        return bits;
    }
    if ((op->is_f32 && type == PTX_f64) || (op->is_f32 && ptx_type_bytes(type) == 2))
        unsupported(d);
    return (uint64_t)op->value;
}

/* --- operands ----------------------------------------------------------------------------------- */

/* Any operand that is read, BYTES wide in each lane. */
static struct slot source(struct decoder *d, const struct ptx_operand *op, enum ptx_type type,
                          unsigned bytes)
{
    struct slot slot = no_slot;
    switch (op->kind) {
    case PTX_REGISTER:
        slot = register_slot(d, op->index);
        break;
    case PTX_SPECIAL_REGISTER:
        if (ptx_special_is_dynamic((enum ptx_special)op->index))
            unsupported(d);
        slot = special_slot(d, op->index);
        break;
    case PTX_IMMEDIATE:
        slot = constant_slot(d, immediate_bits(d, op, type), bytes);
        break;
    case PTX_VARIABLE:
        slot = constant_slot(d, variable_address(d, op->variable) + (uint64_t)op->value, bytes);
        break;
    default:
        fail(d, "an operand must be a register, a number or a name");
    }
    if (slot.bytes != bytes)
        fail(d, "an operand has %u bits where %u are needed", 8u * slot.bytes, 8u * bytes);
    return slot;
}

static struct slot predicate_source(struct decoder *d, const struct ptx_operand *op)
{
    struct slot slot = no_slot;
    if (op->kind == PTX_IMMEDIATE)
        return constant_slot(d, op->value ? ALL_LANES : 0, 0);
    if (op->kind != PTX_PREDICATE)
        fail(d, "an operand must be a predicate");
    else
        slot = register_slot(d, op->index);
    slot.negated = op->negated;
    return slot;
}

static struct slot destination(struct decoder *d, const struct ptx_operand *op, unsigned bytes)
{
    if (op->kind != PTX_REGISTER) {
        fail(d, "the destination must be a register");
        return no_slot;
    }
    struct slot slot = register_slot(d, op->index);
    if (slot.bytes != bytes)
        fail(d, "the destination has %u bits where %u are needed", 8u * slot.bytes, 8u * bytes);
    return slot;
}

static struct slot predicate_destination(struct decoder *d, const struct ptx_operand *op)
{
    if (op->kind == PTX_SINK)
        return no_slot;
    if (op->kind != PTX_PREDICATE || op->negated) {
        fail(d, "the destination must be a predicate");
        return no_slot;
    }
    return register_slot(d, op->index);
}

/* --- arithmetic --------------------------------------------------------------------------------- */

static enum ptx_type type_of(const struct decoder *d)
{
    return (enum ptx_type)d->in->types[0];
}

static bool is_mode(unsigned modifier)
{
    return modifier == PTX_MOD_rn || modifier == PTX_MOD_rz || modifier == PTX_MOD_rm ||
           modifier == PTX_MOD_rp || modifier == PTX_MOD_ftz || modifier == PTX_MOD_sat ||
           modifier == PTX_MOD_approx || modifier == PTX_MOD_full;
}

static uint32_t mode_of(const struct ptx_instruction *in)
{
    uint32_t mode = MODE_DEFAULT;
    mode |= ptx_has(in, PTX_MOD_rz) ? MODE_ZERO : 0;
    mode |= ptx_has(in, PTX_MOD_rm) ? MODE_DOWN : 0;
    mode |= ptx_has(in, PTX_MOD_rp) ? MODE_UP : 0;
    mode |= ptx_has(in, PTX_MOD_ftz) ? MODE_FTZ : 0;
    return mode;
}

/* "mul_wide_s32": the mnemonic without its modes, as alu.def spells it. */
static void row_name(const struct decoder *d, const char *type, char *name, size_t size)
{
    int n = snprintf(name, size, "%s", ptx_opcodes[d->in->opcode].name);
    for (unsigned i = 0; i < d->in->modifier_count && (size_t)n < size; i++)
        if (!is_mode(d->in->modifiers[i]))
            n += snprintf(name + n, size - (size_t)n, "_%s",
                          ptx_modifier_name((enum ptx_modifier)d->in->modifiers[i]));
    if ((size_t)n < size)
        snprintf(name + n, size - (size_t)n, "_%s", type);
}

static const char *width_type(unsigned bytes)
{
    return bytes == 2 ? "b16" : bytes == 4 ? "b32" : "b64";
}

static void use_row(struct decoder *d, const char *name)
{
    const struct alu_row *row = alu_find(name);
    if (!row || d->in->operand_count != row->sources + 1u) {
        unsupported(d);
        return;
    }
    d->out->run = row->run;
    d->out->source_count = row->sources;
    d->out->dst = destination(d, &d->in->operands[0], row->bytes[0]);
    for (unsigned i = 0; i < row->sources; i++)
        d->out->src[i] = source(d, &d->in->operands[i + 1], type_of(d), row->bytes[i + 1]);
}

/* Rounding, flushing and saturation wrap the row's function; integers have none of them. */
static void use_modes(struct decoder *d)
{
    bool is_float = ptx_type_class(type_of(d)) == 'F';
    bool saturate = ptx_has(d->in, PTX_MOD_sat);
    uint32_t mode = mode_of(d->in);
    if (!is_float) {
        for (unsigned i = 0; i < d->in->modifier_count; i++)
            if (is_mode(d->in->modifiers[i]))
                unsupported(d);
        return;
    }
    if (type_of(d) == PTX_f64 && (saturate || ptx_has(d->in, PTX_MOD_ftz)))
        unsupported(d);
    if (mode == MODE_DEFAULT && !saturate)
        return;
    d->out->mode = mode;
    d->out->fp.inner = d->out->run;
    d->out->fp.saturate = saturate;
    d->out->run = fp_run;
}

static void decode_alu(struct decoder *d)
{
    char name[80];
    row_name(d, ptx_type_name(type_of(d)), name, sizeof name);
    use_row(d, name);
    use_modes(d);
}

/* slct.b32.s32, whatever the 32-bit type of its values is called */
static void decode_slct(struct decoder *d)
{
    char name[80];
    if (d->in->type_count != 2) {
        unsupported(d);
        return;
    }
    snprintf(name, sizeof name, "slct_%s_%s", width_type(ptx_type_bytes(type_of(d))),
             ptx_type_name((enum ptx_type)d->in->types[1]));
    use_row(d, name);
    if (ptx_has(d->in, PTX_MOD_ftz) && d->in->types[1] != PTX_f32)
        unsupported(d); /* flushing changes no sign, so there is nothing else to do */
}

static void decode_predicate_logic(struct decoder *d)
{
    unsigned sources = d->in->opcode == PTX_OP_not || d->in->opcode == PTX_OP_mov ? 1 : 2;
    if (d->in->operand_count != sources + 1) {
        unsupported(d);
        return;
    }
    d->out->run = predicate_find((enum ptx_opcode)d->in->opcode);
    d->out->dst = predicate_destination(d, &d->in->operands[0]);
    for (unsigned i = 0; i < sources; i++)
        d->out->src[i] = predicate_source(d, &d->in->operands[i + 1]);
}

static void decode_selp(struct decoder *d)
{
    unsigned bytes = ptx_type_bytes(type_of(d));
    d->out->run = select_find(bytes);
    d->out->dst = destination(d, &d->in->operands[0], bytes);
    d->out->src[0] = source(d, &d->in->operands[1], type_of(d), bytes);
    d->out->src[1] = source(d, &d->in->operands[2], type_of(d), bytes);
    d->out->src[2] = predicate_source(d, &d->in->operands[3]);
}

/* --- comparison --------------------------------------------------------------------------------- */

static bool is_combination(unsigned modifier)
{
    return modifier == PTX_MOD_and || modifier == PTX_MOD_or || modifier == PTX_MOD_xor;
}

/* The comparison's name, such as "lt_s32"; untyped bits compare as unsigned. */
static void comparison_name(struct decoder *d, enum ptx_type type, char *name, size_t size)
{
    const char *word = "";
    for (unsigned i = 0; i < d->in->modifier_count; i++) {
        unsigned modifier = d->in->modifiers[i];
        if (is_combination(modifier))
            d->out->set.combine = modifier == PTX_MOD_and ? '&' : modifier == PTX_MOD_or ? '|' : '^';
        else if (modifier != PTX_MOD_ftz)
            word = ptx_modifier_name((enum ptx_modifier)modifier);
    }
    char class = ptx_type_class(type);
    bool only_equal = strcmp(word, "eq") == 0 || strcmp(word, "ne") == 0;
    if (class == 'B' && !only_equal)
        unsupported(d);
    snprintf(name, size, "%s_%c%u", word, class == 'B' ? 'u' : class - 'A' + 'a',
             8 * ptx_type_bytes(type));
}

static void decode_comparison(struct decoder *d, enum ptx_type type)
{
    char name[40];
    comparison_name(d, type, name, sizeof name);
    d->out->set.compare = compare_find(name);
    if (!d->out->set.compare || (type == PTX_f64 && ptx_has(d->in, PTX_MOD_ftz)) ||
        d->in->operand_count != 3u + !!d->out->set.combine) {
        unsupported(d);
        return;
    }
    unsigned bytes = ptx_type_bytes(type);
    d->out->mode = mode_of(d->in);
    d->out->src[0] = source(d, &d->in->operands[1], type, bytes);
    d->out->src[1] = source(d, &d->in->operands[2], type, bytes);
    if (d->out->set.combine)
        d->out->src[2] = predicate_source(d, &d->in->operands[3]);
}

static void predicate_pair(struct decoder *d, struct slot *second)
{
    const struct ptx_operand *op = &d->in->operands[0];
    bool pair = op->kind == PTX_PAIR;
    d->out->dst = predicate_destination(d, pair ? &op->elements[0] : op);
    *second = pair ? predicate_destination(d, &op->elements[1]) : no_slot;
}

static void decode_setp(struct decoder *d)
{
    predicate_pair(d, &d->out->set.second);
    d->out->run = setp_run;
    decode_comparison(d, type_of(d));
}

static void decode_set(struct decoder *d)
{
    if (d->in->type_count != 2) {
        unsupported(d);
        return;
    }
    d->out->run = set_run;
    d->out->set.is_float = type_of(d) == PTX_f32;
    d->out->dst = destination(d, &d->in->operands[0], 4);
    decode_comparison(d, (enum ptx_type)d->in->types[1]);
}

static void decode_testp(struct decoder *d)
{
    char name[40];
    unsigned bytes = ptx_type_bytes(type_of(d));
    comparison_name(d, type_of(d), name, sizeof name);
    predicate_pair(d, &d->out->set.second);
    d->out->run = setp_run;
    d->out->set.compare = compare_find(name);
    d->out->src[0] = source(d, &d->in->operands[1], type_of(d), bytes);
    d->out->src[1] = d->out->src[0];
    if (!d->out->set.compare)
        unsupported(d);
}

/* --- moves and conversion ----------------------------------------------------------------------- */

/* The parts of {a, b, c, d}; NEEDED bytes wide, or at least that if a load extends them. */
static void decode_vector(struct decoder *d, const struct ptx_operand *op, enum ptx_type type,
                          unsigned needed, bool is_load, bool extends)
{
    struct kernel *k = d->kernel;
    uint32_t count = op->kind == PTX_VECTOR ? op->count : 1;
    d->out->mem.vector = &k->vectors[k->vector_count];
    d->out->mem.count = (uint8_t)count;
    for (uint32_t i = 0; i < count && !d->failed; i++) {
        const struct ptx_operand *part = op->kind == PTX_VECTOR ? &op->elements[i] : op;
        struct slot slot = no_slot;
        if (part->kind == PTX_REGISTER && extends) {
            slot = register_slot(d, part->index);
            if (slot.bytes < needed)
                fail(d, "a register has %u bits where %u are needed", 8u * slot.bytes, 8u * needed);
        } else if (part->kind != PTX_SINK || !is_load) {
            slot = is_load ? destination(d, part, needed) : source(d, part, type, needed);
        }
        k->vectors[k->vector_count++] = slot;
    }
}

static void decode_pack(struct decoder *d)
{
    const struct ptx_operand *to = &d->in->operands[0], *from = &d->in->operands[1];
    bool pack = from->kind == PTX_VECTOR;
    const struct ptx_operand *parts = pack ? from : to, *whole = pack ? to : from;
    unsigned bytes = ptx_type_bytes(type_of(d));
    if (whole->kind == PTX_VECTOR || bytes % parts->count || bytes / parts->count < 2) {
        unsupported(d);
        return;
    }
    unsigned part = bytes / parts->count;
    d->out->run = pack ? pack_run : unpack_run;
    if (pack)
        d->out->dst = destination(d, whole, bytes);
    else
        d->out->src[0] = source(d, whole, type_of(d), bytes);
    d->out->mem.bytes = (uint8_t)part;
    decode_vector(d, parts, part == 2 ? PTX_b16 : PTX_b32, part, !pack, false);
}

static void decode_mov(struct decoder *d)
{
    const struct ptx_operand *to = &d->in->operands[0], *from = &d->in->operands[1];
    unsigned bytes = ptx_type_bytes(type_of(d));
    if (type_of(d) == PTX_pred) {
        decode_predicate_logic(d);
    } else if (to->kind == PTX_VECTOR || from->kind == PTX_VECTOR) {
        decode_pack(d);
    } else if (from->kind == PTX_SPECIAL_REGISTER &&
               ptx_special_is_dynamic((enum ptx_special)from->index)) {
        d->out->run = read_special_run;
        d->out->read.special = from->index;
        d->out->dst = destination(d, to, ptx_special_bytes((enum ptx_special)from->index));
    } else {
        char name[16];
        snprintf(name, sizeof name, "mov_%s", width_type(bytes));
        use_row(d, name);
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

static void decode_cvt(struct decoder *d)
{
    const struct ptx_operand *to = &d->in->operands[0], *from = &d->in->operands[1];
    enum ptx_type from_type = (enum ptx_type)d->in->types[1];
    if (d->in->type_count != 2 || !cvt_is_supported(type_of(d), from_type) ||
        to->kind != PTX_REGISTER) {
        unsupported(d);
        return;
    }
    d->out->run = cvt_run;
    d->out->mode = mode_of(d->in);
    d->out->cvt.to = (uint8_t)type_of(d);
    d->out->cvt.from = (uint8_t)from_type;
    d->out->cvt.round = integer_rounding(d->in);
    d->out->cvt.saturate = ptx_has(d->in, PTX_MOD_sat);
    d->out->dst = register_slot(d, to->index);
    d->out->src[0] = from->kind == PTX_REGISTER
                         ? register_slot(d, from->index)
                         : source(d, from, from_type, ptx_type_bytes(from_type));
    bool to_float = ptx_type_class(type_of(d)) == 'F', from_float = ptx_type_class(from_type) == 'F';
    unsigned to_bytes = ptx_type_bytes(type_of(d)), from_bytes = ptx_type_bytes(from_type);
    if (d->out->dst.bytes < to_bytes || (to_float && d->out->dst.bytes != to_bytes) ||
        d->out->src[0].bytes < from_bytes || (from_float && d->out->src[0].bytes != from_bytes))
        fail(d, "an operand is narrower than its type");
    if (from_float && !to_float && !d->out->cvt.round)
        unsupported(d);
}

/* Generic addresses of shared and local memory are windows; the other spaces are mapped as is. */
static void decode_cvta(struct decoder *d)
{
    enum ptx_space space = ptx_space_of(d->in);
    unsigned bytes = ptx_type_bytes(type_of(d));
    uint64_t window = space == PTX_SHARED  ? MEM_SHARED_WINDOW
                      : space == PTX_LOCAL ? MEM_LOCAL_WINDOW
                                           : 0;
    bool back = ptx_has(d->in, PTX_MOD_to);
    if (space == PTX_GENERIC || space == PTX_PARAM || d->in->operand_count != 2) {
        unsupported(d);
        return;
    }
    d->out->run = alu_find(bytes == 8 ? "add_u64" : "add_u32")->run;
    d->out->dst = destination(d, &d->in->operands[0], bytes);
    d->out->src[0] = source(d, &d->in->operands[1], type_of(d), bytes);
    d->out->src[1] = constant_slot(d, back ? 0 - window : window, bytes);
}

/* --- memory ------------------------------------------------------------------------------------- */

static void decode_address(struct decoder *d, const struct ptx_operand *op, enum ptx_space space)
{
    struct inst *out = d->out;
    if (op->kind != PTX_ADDRESS) {
        fail(d, "an operand must be an address");
        return;
    }
    out->mem.base = no_slot;
    out->mem.offset = op->value;
    if (op->index != PTX_NONE) {
        out->mem.base = register_slot(d, op->index);
        if (out->mem.base.bytes < 4)
            fail(d, "an address of fewer than 32 bits");
    }
    if (op->variable) {
        out->mem.offset += (int64_t)variable_address(d, op->variable);
        if (space == PTX_GENERIC) /* the name says which space it is in */
            space = op->variable->space;
    }
    out->mem.space = (uint8_t)space;
}

static unsigned vector_width(const struct ptx_instruction *in)
{
    return ptx_has(in, PTX_MOD_v4) ? 4 : ptx_has(in, PTX_MOD_v2) ? 2 : 1;
}

static bool is_strong(const struct ptx_instruction *in)
{
    return ptx_has(in, PTX_MOD_volatile) || ptx_has(in, PTX_MOD_relaxed) ||
           ptx_has(in, PTX_MOD_acquire);
}

static void decode_load_store(struct decoder *d, bool is_load)
{
    const struct ptx_operand *address = &d->in->operands[is_load];
    const struct ptx_operand *values = &d->in->operands[!is_load];
    unsigned bytes = ptx_type_bytes(type_of(d)), width = vector_width(d->in);
    decode_address(d, address, ptx_space_of(d->in));
    d->out->run = is_load ? load_run : store_run;
    d->out->mem.bytes = (uint8_t)bytes;
    d->out->mem.type = (uint8_t)type_of(d);
    d->out->mem.event = is_load ? OBS_LOAD : OBS_STORE;
    d->out->observes = is_load && is_strong(d->in);
    decode_vector(d, values, type_of(d), bytes, is_load, true);
    if (d->out->mem.count != width || bytes * width > 16)
        unsupported(d);
    if (!is_load && d->out->mem.space == PTX_PARAM)
        unsupported(d);
}

static bool atomic_is_legal(uint8_t op, enum ptx_type type)
{
    bool bits = ptx_type_class(type) == 'B', is_float = ptx_type_class(type) == 'F';
    switch (op) {
    case PTX_MOD_add:
        return !bits;
    case PTX_MOD_min:
    case PTX_MOD_max:
        return !bits && !is_float;
    case PTX_MOD_inc:
    case PTX_MOD_dec:
        return type == PTX_u32;
    default:
        return bits;
    }
}

static uint8_t atomic_operation(const struct ptx_instruction *in)
{
    for (unsigned i = 0; i < in->modifier_count; i++)
        if (in->modifiers[i] >= PTX_MOD_and && in->modifiers[i] <= PTX_MOD_cas)
            return in->modifiers[i];
    return PTX_MOD_COUNT;
}

/* A reduction is an atomic without a destination. */
static void decode_atomic(struct decoder *d)
{
    bool is_red = d->in->opcode == PTX_OP_red;
    const struct ptx_operand *op = d->in->operands;
    unsigned bytes = ptx_type_bytes(type_of(d));
    uint8_t operation = atomic_operation(d->in);
    unsigned operands = 2u + !is_red + (operation == PTX_MOD_cas);
    if (d->in->operand_count != operands || !atomic_is_legal(operation, type_of(d))) {
        unsupported(d);
        return;
    }
    d->out->run = atomic_run;
    d->out->dst = no_slot;
    if (!is_red && op[0].kind != PTX_SINK)
        d->out->dst = destination(d, &op[0], bytes);
    op += !is_red;
    decode_address(d, &op[0], ptx_space_of(d->in));
    d->out->src[0] = source(d, &op[1], type_of(d), bytes);
    d->out->src[1] = no_slot;
    if (operation == PTX_MOD_cas)
        d->out->src[1] = source(d, &op[2], type_of(d), bytes);
    d->out->mem.count = 1;
    d->out->mem.bytes = (uint8_t)bytes;
    d->out->mem.type = (uint8_t)type_of(d);
    d->out->mem.op = operation;
    bool reduces = is_red || d->is_reduction[d->pc];
    d->out->mem.event = reduces ? OBS_REDUCTION : OBS_ATOMIC;
    d->out->observes = !reduces;
}

/* --- lanes and control -------------------------------------------------------------------------- */

static void decode_shfl(struct decoder *d)
{
    const struct ptx_operand *op = &d->in->operands[0];
    bool pair = op->kind == PTX_PAIR;
    d->out->run = shfl_run;
    d->out->dst = destination(d, pair ? &op->elements[0] : op, 4);
    d->out->warp.second = pair ? predicate_destination(d, &op->elements[1]) : no_slot;
    for (unsigned i = 0; i < 4; i++)
        d->out->src[i] = source(d, &d->in->operands[i + 1], PTX_b32, 4);
    d->out->warp.op = d->in->modifiers[d->in->modifier_count - 1];
    if (!ptx_has(d->in, PTX_MOD_sync) || d->out->warp.op == PTX_MOD_sync)
        unsupported(d);
}

static void decode_vote(struct decoder *d)
{
    bool ballot = ptx_has(d->in, PTX_MOD_ballot);
    const struct ptx_operand *op = d->in->operands;
    d->out->run = vote_run;
    d->out->dst = ballot ? destination(d, &op[0], 4) : predicate_destination(d, &op[0]);
    d->out->src[0] = predicate_source(d, &op[1]);
    d->out->src[1] = source(d, &op[2], PTX_b32, 4);
    d->out->warp.op = d->in->modifiers[d->in->modifier_count ? d->in->modifier_count - 1 : 0];
    if (!ptx_has(d->in, PTX_MOD_sync) || ballot != (type_of(d) == PTX_b32) ||
        d->out->warp.op == PTX_MOD_sync)
        unsupported(d);
}

static void nothing_run(struct warp *warp, const struct inst *inst, uint32_t mask)
{
    (void)warp;
    (void)inst;
    (void)mask;
}

static void decode_barrier(struct decoder *d)
{
    if (!ptx_has(d->in, PTX_MOD_sync)) {
        unsupported(d);
        return;
    }
    bool warp = ptx_has(d->in, PTX_MOD_warp);
    d->out->kind = warp ? KIND_WARP_SYNC : KIND_BARRIER;
    d->out->aligned = d->in->opcode == PTX_OP_bar || ptx_has(d->in, PTX_MOD_aligned);
    d->out->source_count = d->in->operand_count;
    if (warp && d->in->operand_count != 1)
        unsupported(d);
    for (unsigned i = 0; i < d->in->operand_count; i++)
        d->out->src[i] = source(d, &d->in->operands[i], PTX_b32, 4);
}

static void decode_branch(struct decoder *d)
{
    if (d->in->operands[0].kind != PTX_LABEL) {
        fail(d, "the operand must be a label");
        return;
    }
    d->out->kind = KIND_BRANCH;
    d->out->branch.target = (uint32_t)d->in->operands[0].value;
    d->out->branch.meet = d->meet[d->pc];
}

static void decode_control(struct decoder *d)
{
    switch (d->in->opcode) {
    case PTX_OP_bra:
        decode_branch(d);
        break;
    case PTX_OP_ret:
    case PTX_OP_exit:
        d->out->kind = KIND_EXIT;
        break;
    case PTX_OP_trap:
        d->out->kind = KIND_TRAP;
        break;
    case PTX_OP_bar:
    case PTX_OP_barrier:
        decode_barrier(d);
        break;
    case PTX_OP_activemask:
        d->out->run = activemask_run;
        d->out->dst = destination(d, &d->in->operands[0], 4);
        break;
    default: /* fences: memory is always in order here; nanosleep: waiting is the scheduler's */
        d->out->run = nothing_run;
        d->out->observes = d->in->opcode == PTX_OP_nanosleep;
    }
}

/* --- functions ---------------------------------------------------------------------------------- */

static void check_operand_count(struct decoder *d)
{
    const char *letters = ptx_opcodes[d->in->opcode].operands, *optional = strchr(letters, '?');
    size_t most = strlen(letters) - !!optional;
    size_t least = optional ? (size_t)(optional - letters) : most;
    if (d->in->operand_count < least || d->in->operand_count > most)
        fail(d, "%u operands where %zu are needed", d->in->operand_count, least);
}

static void decode_typed(struct decoder *d)
{
    switch (d->in->opcode) {
    case PTX_OP_mov:
        decode_mov(d);
        break;
    case PTX_OP_cvt:
        decode_cvt(d);
        break;
    case PTX_OP_cvta:
        decode_cvta(d);
        break;
    case PTX_OP_ld:
    case PTX_OP_ldu:
        decode_load_store(d, true);
        break;
    case PTX_OP_st:
        decode_load_store(d, false);
        break;
    case PTX_OP_atom:
    case PTX_OP_red:
        decode_atomic(d);
        break;
    case PTX_OP_setp:
        decode_setp(d);
        break;
    case PTX_OP_set:
        decode_set(d);
        break;
    case PTX_OP_testp:
        decode_testp(d);
        break;
    case PTX_OP_selp:
        decode_selp(d);
        break;
    case PTX_OP_slct:
        decode_slct(d);
        break;
    case PTX_OP_shfl:
        decode_shfl(d);
        break;
    case PTX_OP_vote:
        decode_vote(d);
        break;
    case PTX_OP_activemask:
    case PTX_OP_nanosleep:
        decode_control(d);
        break;
    default:
        if (type_of(d) == PTX_pred)
            decode_predicate_logic(d);
        else
            decode_alu(d);
    }
}

static void decode_instruction(struct decoder *d, uint32_t pc)
{
    d->pc = pc;
    d->in = &d->kernel->function->code[pc];
    d->out = &d->kernel->code[pc];
    *d->out = (struct inst){.guard = NO_SLOT, .dst = no_slot, .mode = MODE_DEFAULT};
    check_operand_count(d);
    if (d->failed)
        return;
    if (d->in->guard != PTX_NONE) {
        d->out->guard = d->slots[d->in->guard];
        d->out->guard_negated = d->in->guard_negated;
    }
    if (d->in->type_count)
        decode_typed(d);
    else
        decode_control(d);
}

static bool allocate(struct decoder *d)
{
    struct kernel *k = d->kernel;
    const struct ptx_function *f = k->function;
    size_t n = (size_t)f->code_count + 1;
    k->code_count = f->code_count;
    k->code = calloc(n, sizeof *k->code);
    k->vectors = malloc(n * 8 * sizeof *k->vectors);
    k->params = calloc((size_t)f->param_count + 1, sizeof *k->params);
    d->slots = malloc(((size_t)f->register_count + 1) * sizeof *d->slots);
    d->meet = malloc(n * sizeof *d->meet);
    d->is_reduction = calloc(n, sizeof *d->is_reduction);
    return k->code && k->vectors && k->params && d->slots && d->meet && d->is_reduction &&
           analyse_reconvergence(f, d->meet) && analyse_reductions(f, d->is_reduction);
}

static void place_registers(struct decoder *d)
{
    struct kernel *k = d->kernel;
    for (uint32_t i = 0; i < k->function->register_count; i++)
        d->slots[i] =
            take_slot(&k->register_bytes, ptx_type_bytes(k->function->registers[i].type));
    for (uint32_t i = 0; i < PTX_SPECIAL_COUNT; i++)
        k->special[i] = NO_SLOT;
    uint32_t i = 0;
    for (const struct ptx_variable *p = k->function->params; p; p = p->next)
        k->params[i++] = (struct emu_param){(uint32_t)p->offset, (uint32_t)p->size};
}

/* "a.cu:12: " in front of an error of the parser, which stopped behind the last .loc it read. */
static void explain_parse_error(const struct ptx_module *module, const struct ptx_function *f,
                                char *error, size_t size)
{
    const struct ptx_loc *loc = f->loc_count ? &f->locs[f->loc_count - 1] : NULL;
    struct ptx_name path = ptx_file_path(module, loc ? loc->file : 0);
    if (path.length)
        snprintf(error, size, "%.*s:%u: %s", (int)path.length, path.text, loc->line, f->error);
    else
        snprintf(error, size, "%s", f->error);
}

static void explain_decode_error(const struct decoder *d, char *error, size_t size)
{
    struct source_line line = analyse_line(d->kernel->function, d->pc);
    struct ptx_name path = ptx_file_path(d->kernel->module, line.file);
    char text[256];
    snprintf(text, sizeof text, "%s", error);
    if (path.length)
        snprintf(error, size, "%.*s:%u: %s", (int)path.length, path.text, line.line, text);
}

struct kernel *kernel_decode(const struct ptx_module *module, const struct ptx_function *function,
                             symbol_fn *symbol, void *context, char *error, size_t error_size)
{
    if (function->error) {
        explain_parse_error(module, function, error, error_size);
        return NULL;
    }
    struct kernel *kernel = calloc(1, sizeof *kernel);
    struct decoder d = {.kernel = kernel, .symbol = symbol, .context = context};
    d.error = error;
    d.error_size = error_size;
    snprintf(error, error_size, "out of memory");
    if (!kernel)
        return NULL;
    kernel->module = module;
    kernel->function = function;
    d.failed = !allocate(&d);
    if (!d.failed) {
        place_registers(&d);
        for (uint32_t pc = 0; pc < function->code_count && !d.failed; pc++)
            decode_instruction(&d, pc);
        if (d.failed)
            explain_decode_error(&d, error, error_size);
        kernel->code[function->code_count] = (struct inst){.kind = KIND_EXIT, .guard = NO_SLOT};
    }
    kernel->register_bytes = (kernel->register_bytes + SLOT_ALIGN - 1) / SLOT_ALIGN * SLOT_ALIGN;
    free(d.slots);
    free(d.meet);
    free(d.is_reduction);
    free(d.constants);
    if (!d.failed)
        return kernel;
    kernel_free(kernel);
    return NULL;
}

void kernel_free(struct kernel *kernel)
{
    if (!kernel)
        return;
    free(kernel->code);
    free(kernel->constants);
    free(kernel->vectors);
    free(kernel->params);
    free(kernel);
}
