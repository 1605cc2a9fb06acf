/* Decodes loads, stores, atomics, cache policies and alloca. */
#include "gpu/execute/decode.h"

#include "gpu/analyse/flags.h"
#include "gpu/execute/half.h"
#include "gpu/execute/operations.h"
#include "gpu/observe/view.h"

/* Finds the bounds of the shared array that the address points into. An array without a size has no
 * upper bound. */
static void find_limits(struct decoder *d, const struct ptx_operand *op)
{
    const struct ptx_variable *v = op->variable            ? op->variable
                                   : op->index != PTX_NONE ? d->origins[op->index]
                                                           : NULL;
    if (!v || v->space != PTX_SHARED)
        return;
    d->out->mem.low = (uint32_t)decode_variable_address(d, v);
    d->out->mem.high = v->size ? d->out->mem.low + (uint32_t)v->size : UINT32_MAX;
}

void decode_address(struct decoder *d, const struct ptx_operand *op, enum ptx_space space)
{
    struct inst *out = d->out;
    if (op->kind != PTX_ADDRESS || op->count) {
        decode_fail(d, "an operand must be an address");
        return;
    }
    out->mem.base = no_slot;
    out->mem.offset = op->value;
    out->mem.low = out->mem.high = 0;
    if (op->index != PTX_NONE) {
        out->mem.base = decode_register_slot(d, op->index);
        if (out->mem.base.bytes != 4 && out->mem.base.bytes != 8)
            decode_fail(d, "an address must have 32 or 64 bits");
    }
    if (op->variable) {
        out->mem.offset += (int64_t)decode_variable_address(d, op->variable);
        /* the variable's state space is more specific than SPACE */
        if (space == PTX_GENERIC || space == PTX_PARAM)
            space = op->variable->space;
    } else if (space == PTX_PARAM && !d->image->function->is_kernel) {
        space = PTX_FRAME;
    }
    if (space == PTX_LOCAL && op->variable && d->image->local_slot != NO_SLOT)
        out->mem.base = (struct slot){.offset = d->image->local_slot, .bytes = 8};
    else if (out->mem.base.offset == NO_SLOT && space != PTX_PARAM && space != PTX_FRAME)
        out->mem.base = decode_constant_slot(d, 0, 8);
    out->mem.space = (uint8_t)space;
    find_limits(d, op);
}

unsigned decode_vector_width(const struct ptx_instruction *in)
{
    return ptx_has(in, PTX_MOD_v4) ? 4 : ptx_has(in, PTX_MOD_v2) ? 2 : 1;
}

/* Returns whether the instruction has COUNT operands. An instruction with a cache hint has a 64-bit
 * cache policy after them. Policies have no effect in the emulator. */
static bool has_operands(struct decoder *d, unsigned count)
{
    bool hinted = ptx_has(d->in, PTX_MOD_L2_cache_hint);
    if (d->in->operand_count != count + hinted)
        return false;
    if (hinted)
        decode_source(d, &d->in->operands[count], PTX_b64, 8);
    return true;
}

static bool is_strong(const struct ptx_instruction *in)
{
    return ptx_has(in, PTX_MOD_mmio) || ptx_has(in, PTX_MOD_volatile) ||
           ptx_has(in, PTX_MOD_relaxed) || ptx_has(in, PTX_MOD_acquire) ||
           ptx_has(in, PTX_MOD_release);
}

static bool is_same_address(const struct ptx_instruction *a, const struct ptx_instruction *b)
{
    const struct ptx_operand *x = &a->operands[1], *y = &b->operands[1];
    return a->opcode == b->opcode && x->kind == PTX_ADDRESS && y->kind == PTX_ADDRESS &&
           x->variable == y->variable && x->index == y->index && x->value == y->value;
}

/* Returns whether the instruction only waits until the word has another value. The compiler may
 * have moved the first look at the word out of the loop. The result of an atomic that is used as
 * data, such as a place in an array, is no signal. */
static bool polls(const struct decoder *d)
{
    const struct ptx_function *f = d->image->function;
    for (uint32_t pc = 0; pc < f->code_count; pc++) {
        unsigned use = is_same_address(&f->code[pc], d->in) ? analyse_flag(f, pc) : 0;
        if (use & FLAG_POLLED_THERE && !(use & FLAG_GUESSED) &&
            (d->out->mem.event == OBS_LOAD || use & FLAG_COMPARED))
            return true;
    }
    return false;
}

/* Returns how the instruction takes part in signals (see signals.c). */
static uint8_t signals_of(const struct decoder *d)
{
    bool is_load = d->out->mem.event == OBS_LOAD, is_store = d->out->mem.event == OBS_STORE;
    uint8_t given = !is_load && (!is_store || is_strong(d->in)) ? SIGNAL_GIVEN : 0;
    return d->out->observes && polls(d) ? given | SIGNAL_POLLED : given;
}

static bool has_registers_of_its_width(const struct inst *inst)
{
    for (unsigned k = 0; k < inst->mem.count; k++)
        if (inst->mem.vector[k].offset != NO_SLOT && inst->mem.vector[k].bytes != inst->mem.bytes)
            return false;
    return true;
}

static enum moves moves_of(const struct inst *inst, bool strong)
{
    struct slot slot = inst->mem.vector[0];
    if (strong && inst->mem.bytes * inst->mem.count == 16 && has_registers_of_its_width(inst))
        return MOVES_WHOLE;
    bool is_plain = inst->mem.count == 1 && slot.offset != NO_SLOT && slot.bytes == inst->mem.bytes;
    return is_plain && slot.bytes == 4   ? MOVES_WORDS
           : is_plain && slot.bytes == 8 ? MOVES_LONGS
                                         : MOVES_OTHERS;
}

/* Returns the function that executes a load. A load that polls needs more than the fast functions
 * do; so does a load whose bytes depend on the frame or lane. */
static lane_fn *load_of(const struct inst *inst)
{
    bool is_special = inst->observes || inst->mem.space == PTX_PARAM ||
                      inst->mem.space == PTX_FRAME || inst->mem.space == PTX_LOCAL;
    return is_special                       ? load_run
           : inst->mem.moves == MOVES_WORDS ? load_words_run
           : inst->mem.moves == MOVES_LONGS ? load_longs_run
                                            : load_run;
}

static void decode_load_store(struct decoder *d, bool is_load)
{
    const struct ptx_operand *address = &d->in->operands[is_load];
    const struct ptx_operand *values = &d->in->operands[!is_load];
    bool is_wide = decode_type_of(d) == PTX_b128; /* decoded as two 64-bit halves */
    unsigned bytes = is_wide ? 8 : ptx_type_bytes(decode_type_of(d));
    unsigned width = decode_vector_width(d->in) * (is_wide ? 2 : 1);
    decode_address(d, address, ptx_space_of(d->in));
    d->out->mem.kin = d->kernel->code_count;
    d->out->mem.bytes = (uint8_t)bytes;
    d->out->mem.type = (uint8_t)decode_type_of(d);
    d->out->mem.event = is_load ? OBS_LOAD : OBS_STORE;
    d->out->observes = is_load && (is_strong(d->in) || d->polls[d->pc - d->image->start]);
    d->out->signals = signals_of(d);
    if (is_wide)
        decode_halves(d, values, is_load);
    else
        decode_vector(d, values, decode_type_of(d), bytes, is_load, true);
    d->out->mem.moves = (uint8_t)moves_of(d->out, is_strong(d->in));
    d->out->run = is_load ? load_of(d->out) : store_run;
    if (d->out->mem.count != width || bytes * width > 16 || !has_operands(d, 2))
        decode_unsupported(d);
    if (!is_load && d->out->mem.space == PTX_PARAM) /* a kernel's parameters are read-only */
        decode_unsupported(d);
}

void decode_load(struct decoder *d)
{
    decode_load_store(d, true);
}

void decode_store(struct decoder *d)
{
    decode_load_store(d, false);
}

static bool atomic_is_legal(uint8_t op, enum ptx_type type)
{
    bool bits = ptx_type_class(type) == 'B', is_float = ptx_type_class(type) == 'F';
    if (type == PTX_b16 && op != PTX_MOD_cas)
        return false;
    if (type == PTX_b128 && op != PTX_MOD_cas && op != PTX_MOD_exch)
        return false;
    switch (op) {
    case PTX_MOD_add:
        /* PTX has only .u64, because .s64 would give the same bits */
        return !bits && type != PTX_s64;
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

uint8_t decode_operation(const struct ptx_instruction *in)
{
    for (unsigned i = 0; i < in->modifier_count; i++)
        if (in->modifiers[i] >= PTX_MOD_and && in->modifiers[i] <= PTX_MOD_cas)
            return in->modifiers[i];
    return PTX_MOD_COUNT;
}

/* Returns whether PTX has this atomic for vectors of WIDTH elements. Only additions of floats of
 * fewer than 64 bits have vectors. Each element is a separate atomic addition. */
static bool atomic_has_width(uint8_t op, enum ptx_type type, unsigned width)
{
    return width == 1 || (op == PTX_MOD_add && ptx_type_class(type) == 'F' && type != PTX_f64);
}

/* Decodes the operand FROM and the destination TO, which receives the old value. TO may be NULL. */
static void decode_atomic_values(struct decoder *d, const struct ptx_operand *to,
                                 const struct ptx_operand *from)
{
    enum ptx_type type = decode_type_of(d);
    unsigned bytes = ptx_type_bytes(type), width = decode_vector_width(d->in);
    decode_vector(d, from, type, bytes, false, false);
    struct slot *values = d->out->mem.vector;
    bool fits = d->out->mem.count == width;
    if (to && to->kind != PTX_SINK)
        decode_vector(d, to, type, bytes, true, false);
    else
        for (unsigned k = 0; k < width; k++)
            d->kernel->vectors[d->kernel->vector_count++] = no_slot;
    if (!fits || d->out->mem.count != width)
        decode_unsupported(d);
    d->out->mem.vector = values;
}

/* Does the same as decode_atomic_values(), for 128-bit operands, each of which is two halves. For
 * cas, the operand after FROM is the new value. */
static void decode_wide_atomic_values(struct decoder *d, const struct ptx_operand *to,
                                      const struct ptx_operand *from, bool swaps_if_equal)
{
    decode_halves(d, from, false);
    struct slot *values = d->out->mem.vector;
    decode_halves(d, to, true);
    if (swaps_if_equal)
        decode_halves(d, &from[1], false);
    d->out->mem.vector = values;
}

/* Decodes an atomic or a reduction, which is an atomic without a destination. */
void decode_atomic(struct decoder *d)
{
    bool is_red = d->in->opcode == PTX_OP_red;
    const struct ptx_operand *op = d->in->operands;
    bool is_wide = decode_type_of(d) == PTX_b128;
    unsigned bytes = is_wide ? 8 : ptx_type_bytes(decode_type_of(d));
    uint8_t operation = decode_operation(d->in);
    unsigned operands = 2u + !is_red + (operation == PTX_MOD_cas);
    if (!has_operands(d, operands) || !atomic_is_legal(operation, decode_type_of(d)) ||
        !atomic_has_width(operation, decode_type_of(d), decode_vector_width(d->in)) ||
        ptx_has(d->in, PTX_MOD_noftz) != half_is(decode_type_of(d))) {
        decode_unsupported(d);
        return;
    }
    d->out->run = atomic_run;
    if (is_wide)
        decode_wide_atomic_values(d, op, &op[2], operation == PTX_MOD_cas);
    else
        decode_atomic_values(d, is_red ? NULL : op, &op[1 + !is_red]);
    op += !is_red;
    decode_address(d, &op[0], ptx_space_of(d->in));
    d->out->src[0] = no_slot;
    if (operation == PTX_MOD_cas && !is_wide)
        d->out->src[0] = decode_source(d, &op[2], decode_type_of(d), bytes);
    d->out->mem.bytes = (uint8_t)bytes;
    d->out->mem.type = (uint8_t)decode_type_of(d);
    d->out->mem.op = operation;
    bool reduces = is_red || d->is_reduction[d->pc - d->image->start];
    d->out->mem.event = reduces ? OBS_REDUCTION : OBS_ATOMIC;
    d->out->mem.variant =
        operation == PTX_MOD_add && op[1].kind == PTX_IMMEDIATE && op[1].value == 1;
    d->out->observes = !reduces;
    d->out->signals = signals_of(d);
}

/* Decodes the creation of a cache policy. Programs can only pass a policy to other instructions, so
 * its value, here 0, does not matter. */
void decode_policy(struct decoder *d)
{
    d->out->run = alu_find("mov_b64")->run;
    d->out->dst = decode_destination(d, &d->in->operands[0], 8);
    d->out->src[0] = decode_constant_slot(d, 0, 8);
}

/* Decodes alloca.u64 d, bytes, 16; stacksave.u64 d; and stackrestore.u64 a. d and a are addresses
 * in local memory. */
void decode_stack(struct decoder *d)
{
    const struct ptx_operand *op = d->in->operands;
    unsigned bytes = ptx_type_bytes(decode_type_of(d));
    uint64_t align = d->in->operand_count == 3 ? (uint64_t)op[2].value : 8;
    if (d->in->opcode == PTX_OP_stackrestore) {
        d->out->run = stack_restore_run;
        d->out->src[0] = decode_source(d, &op[0], decode_type_of(d), bytes);
        return;
    }
    d->out->run = d->in->opcode == PTX_OP_alloca ? alloca_run : stack_save_run;
    d->out->dst = decode_destination(d, &op[0], bytes);
    if (d->in->opcode == PTX_OP_stacksave)
        return;
    d->out->src[0] = decode_source(d, &op[1], decode_type_of(d), bytes);
    if ((d->in->operand_count == 3 && op[2].kind != PTX_IMMEDIATE) || align > KERNEL_STACK ||
        !align || align & (align - 1))
        decode_fail(d, "the alignment must be a power of 2, at most %u", KERNEL_STACK);
    d->out->mem.offset = (int64_t)align;
}
