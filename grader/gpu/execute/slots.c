/* Finds the slots of operands. Registers have slots in a frame. Values that never change have slots
 * in the constants or in a bank of the launch, the CTA or the warp. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/execute/decode.h"
#include "gpu/execute/values.h"
#include "gpu/lanes.h"
#include "gpu/memory/memory.h"

__attribute__((format(printf, 2, 3))) void decode_fail(struct decoder *d, const char *format, ...)
{
    if (d->failed)
        return;
    d->failed = true;
    char mnemonic[80];
    struct refusal *refusal = d->refusal;
    int n =
        snprintf(refusal->why, sizeof refusal->why, "PTX line %u: instruction '%s': ", d->in->line,
                 ptx_mnemonic(d->in, mnemonic, sizeof mnemonic));
    if (n < 0 || (size_t)n >= sizeof refusal->why)
        return;
    va_list args;
    va_start(args, format);
    vsnprintf(refusal->why + n, sizeof refusal->why - (size_t)n, format, args);
    va_end(args);
}

void decode_unsupported(struct decoder *d)
{
    decode_fail(d, "the emulator does not support this form of the instruction");
}
/* --- slots ------------------------------------------------------------------------------------ */

uint32_t decode_take_slot(uint32_t *used, unsigned bytes)
{
    uint32_t size = bytes ? bytes * WARP : (uint32_t)sizeof(uint32_t);
    uint32_t align = bytes ? SLOT_ALIGN : (uint32_t)sizeof(uint32_t);
    uint32_t offset = (*used + align - 1) / align * align;
    *used = offset + size;
    return offset;
}

/* Enlarges ARRAY, if necessary, to hold one more element, and returns it. If memory runs out,
 * decoding fails and the function returns ARRAY unchanged. */
static void *grow(struct decoder *d, void *array, uint32_t count, uint32_t *room, size_t size)
{
    if (count < *room)
        return array;
    uint32_t wanted = *room ? *room * 2 : 32;
    void *bigger = realloc(array, wanted * size);
    if (!bigger) {
        decode_fail(d, "out of memory");
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
            decode_fail(d, "out of memory");
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

#define REMEMBERED 256 /* a new constant is compared with this number of previous constants */

struct slot decode_constant_slot(struct decoder *d, uint64_t value, unsigned bytes)
{
    struct slot slot = {.bank = BANK_CONSTANTS, .bytes = (uint8_t)bytes};
    if (bytes < 8)
        value &= ((uint64_t)1 << (bytes ? 8 * bytes : 32)) - 1;
    for (uint32_t i = d->constant_count, n = 0; i-- > 0 && n < REMEMBERED; n++) {
        if (d->constants[i].value == value && d->constants[i].bytes == bytes) {
            slot.offset = d->constants[i].offset;
            return slot;
        }
    }
    d->constants =
        grow(d, d->constants, d->constant_count, &d->constant_room, sizeof *d->constants);
    if (d->failed)
        return slot;
    struct constant *constant = &d->constants[d->constant_count++];
    *constant = (struct constant){value, decode_take_slot(&d->constants_used, bytes), bytes};
    fill_constant(d, constant);
    slot.offset = constant->offset;
    return slot;
}

struct slot decode_register_slot(const struct decoder *d, uint32_t index)
{
    enum ptx_type type = d->image->function->registers[index].type;
    if (d->image->fixed[index].offset != NO_SLOT)
        return d->image->fixed[index];
    return (struct slot){.offset = d->image->slots[index], .bytes = (uint8_t)ptx_type_bytes(type)};
}

struct slot decode_special_slot(struct decoder *d, uint32_t special)
{
    struct kernel *k = d->kernel;
    unsigned bytes = ptx_special_bytes((enum ptx_special)special);
    enum bank bank = values_bank((enum ptx_special)special);
    if (k->special[special] == NO_SLOT)
        k->special[special] = decode_take_slot(&k->bank_bytes[bank], bytes);
    return (struct slot){
        .offset = k->special[special], .bank = (uint8_t)bank, .bytes = (uint8_t)bytes};
}

uint64_t decode_variable_address(struct decoder *d, const struct ptx_variable *variable)
{
    switch (variable->space) {
    case PTX_SHARED:
        return decode_shared_address(d, variable);
    case PTX_LOCAL:
    case PTX_PARAM:
    case PTX_FRAME:
        return variable->offset;
    default:
        return d->symbol(d->context, variable);
    }
}

uint64_t kernel_function_address(const struct ptx_function *function)
{
    return MEM_CODE_WINDOW + (uint64_t)function->index * 16;
}

/* Returns the slot of a constant that holds the address of a function. mov uses it. */
static struct slot function_slot(struct decoder *d, struct ptx_name name, unsigned bytes)
{
    const struct ptx_function *f =
        ptx_find_function(d->kernel->module, name, d->image->function->unit);
    if (!f)
        decode_fail(d, "unknown name '%.*s'", (int)name.length, name.text);
    return f ? decode_constant_slot(d, kernel_function_address(f), bytes) : no_slot;
}

static uint64_t immediate_bits(struct decoder *d, const struct ptx_operand *op, enum ptx_type type)
{
    /* the program states the immediate as a decimal fraction */
    if (type == PTX_f32 && op->is_f64) {
        double wide;
        memcpy(&wide, &op->value, sizeof wide);
        float narrow = (float)wide;
        uint32_t bits;
        memcpy(&bits, &narrow, sizeof bits);
        return bits;
    }
    if ((op->is_f32 && type == PTX_f64) || (op->is_f32 && ptx_type_bytes(type) == 2))
        decode_unsupported(d);
    return (uint64_t)op->value;
}

/* --- operands --------------------------------------------------------------------------------- */

/* Returns the slot of an operand that the instruction reads. Each lane has BYTES bytes. */
struct slot decode_source(struct decoder *d, const struct ptx_operand *op, enum ptx_type type,
                          unsigned bytes)
{
    struct slot slot = no_slot;
    switch (op->kind) {
    case PTX_REGISTER:
        slot = decode_register_slot(d, op->index);
        break;
    case PTX_SPECIAL_REGISTER:
        if (ptx_special_is_dynamic((enum ptx_special)op->index))
            decode_unsupported(d);
        slot = decode_special_slot(d, op->index);
        break;
    case PTX_IMMEDIATE:
        slot = decode_constant_slot(d, immediate_bits(d, op, type), bytes);
        break;
    case PTX_FUNCTION:
        return function_slot(d, op->name, bytes);
    case PTX_VARIABLE:
        slot = decode_constant_slot(
            d, decode_variable_address(d, op->variable) + (uint64_t)op->value, bytes);
        break;
    default:
        decode_fail(d, "an operand must be a register, a number or a name");
    }
    if (slot.bytes != bytes)
        decode_fail(d, "an operand has %u bits where %u are needed", 8u * slot.bytes, 8u * bytes);
    return slot;
}

struct slot decode_predicate_source(struct decoder *d, const struct ptx_operand *op)
{
    struct slot slot = no_slot;
    if (op->kind == PTX_IMMEDIATE)
        return decode_constant_slot(d, op->value ? ALL_LANES : 0, 0);
    if (op->kind == PTX_SPECIAL_REGISTER && !ptx_special_bytes((enum ptx_special)op->index))
        slot = decode_special_slot(d, op->index);
    else if (op->kind != PTX_PREDICATE)
        decode_fail(d, "an operand must be a predicate");
    else
        slot = decode_register_slot(d, op->index);
    slot.negated = op->negated;
    return slot;
}

struct slot decode_destination(struct decoder *d, const struct ptx_operand *op, unsigned bytes)
{
    if (op->kind != PTX_REGISTER) {
        decode_fail(d, "the destination must be a register");
        return no_slot;
    }
    struct slot slot = decode_register_slot(d, op->index);
    if (slot.bytes != bytes)
        decode_fail(d, "the destination has %u bits where %u are needed", 8u * slot.bytes,
                    8u * bytes);
    return slot;
}

struct slot decode_predicate_destination(struct decoder *d, const struct ptx_operand *op)
{
    if (op->kind == PTX_SINK)
        return no_slot;
    if (op->kind != PTX_PREDICATE || op->negated) {
        decode_fail(d, "the destination must be a predicate");
        return no_slot;
    }
    return decode_register_slot(d, op->index);
}

void decode_vector(struct decoder *d, const struct ptx_operand *op, enum ptx_type type,
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
            slot = decode_register_slot(d, part->index);
            if (slot.bytes < needed || slot.bytes > 8)
                decode_fail(d, "a register has %u bits where %u are needed", 8u * slot.bytes,
                            8u * needed);
        } else if (part->kind != PTX_SINK || !is_load) {
            slot = is_load ? decode_destination(d, part, needed)
                           : decode_source(d, part, type, needed);
        }
        k->vectors[k->vector_count++] = slot;
    }
}

/* Splits a 128-bit register into two slots: the lower halves of all lanes, then the upper halves.
 * So most code needs no special case for 128 bits. */
void decode_halves(struct decoder *d, const struct ptx_operand *op, bool is_written)
{
    struct slot slot = no_slot;
    if (op->kind == PTX_REGISTER)
        slot = decode_register_slot(d, op->index);
    else if (op->kind != PTX_SINK || !is_written)
        decode_unsupported(d);
    if (slot.offset != NO_SLOT && slot.bytes != 16)
        decode_fail(d, "a register has %u bits where 128 are needed", 8u * slot.bytes);
    d->out->mem.vector = &d->kernel->vectors[d->kernel->vector_count];
    d->out->mem.count = 2;
    for (unsigned half = 0; half < 2; half++) {
        struct slot part = {.offset = slot.offset + half * 8 * WARP, .bytes = 8};
        d->kernel->vectors[d->kernel->vector_count++] = slot.offset == NO_SLOT ? no_slot : part;
    }
}
