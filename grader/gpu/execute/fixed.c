/* Finds fixed values: registers whose value is known before any lane executes an instruction.
 *
 *         ld.param.u64    %rd1, [a];           the launch's parameter
 *         cvta.to.global  %rd2, %rd1;          the same value
 *         mov.u32         %r1, %ctaid.x;       the CTA's index
 *         mov.u32         %r2, %tid.x;         the warp's thread indices
 *         shl.b32         %r3, %r1, 4;         computed once for the CTA
 *         mul.lo.s32      %r4, %r2, 132;       computed once for all warps with this number
 *
 * Most kernels begin with several such instructions, and short kernels contain little else. If only
 * one instruction writes a register, and always writes the same value, the register needs no place
 * in the frame. Instructions that read the register use the constant, the parameter or the special
 * register instead. The instruction that writes it is only counted. If it computes, it runs when
 * the bank of its result is filled (values.c). Only a lane that reads the register before it is
 * written can notice the difference; this is an uninitialised read. */
#include <stdlib.h>

#include "gpu/analyse/operands.h"
#include "gpu/execute/decode.h"
#include "gpu/execute/operations.h"

static void count_write(void *context, uint32_t reg)
{
    uint8_t *writes = context;
    writes[reg] += writes[reg] < 2;
}

/* Returns whether IN is a plain load of a parameter at a fixed offset. */
static bool is_parameter(const struct decoder *d, const struct ptx_instruction *in, unsigned bytes)
{
    const struct ptx_operand *from = &in->operands[1];
    const struct ptx_function *f = d->image->function;
    if (in->opcode != PTX_OP_ld || ptx_space_of(in) != PTX_PARAM || !f->is_kernel ||
        from->kind != PTX_ADDRESS || from->index != PTX_NONE || from->count || !from->variable ||
        from->variable->space != PTX_PARAM)
        return false;
    uint64_t at = from->variable->offset + (uint64_t)from->value;
    return bytes >= 4 && at % bytes == 0 && at < f->param_bytes && bytes <= f->param_bytes - at;
}

/* Returns whether an operand of mov or cvta never changes. */
static bool is_fixed_operand(const struct decoder *d, const struct ptx_operand *from,
                             unsigned bytes)
{
    switch (from->kind) {
    case PTX_REGISTER:
        return d->image->fixed[from->index].bytes == bytes;
    case PTX_SPECIAL_REGISTER:
        return !ptx_special_is_dynamic((enum ptx_special)from->index) &&
               ptx_special_bytes((enum ptx_special)from->index) == bytes;
    case PTX_VARIABLE: /* a local variable's address depends on the frame */
        return from->variable->space != PTX_LOCAL &&
               (bytes == 8 || (bytes == 4 && from->variable->space == PTX_SHARED));
    default:
        return from->kind == PTX_IMMEDIATE;
    }
}

/* Returns whether IN only copies a value. This includes cvta of an address in global or constant
 * memory, because such an address is also the generic address. */
static bool is_move(const struct ptx_instruction *in)
{
    enum ptx_space space = ptx_space_of(in);
    return (in->opcode == PTX_OP_mov && !in->modifier_count) ||
           (in->opcode == PTX_OP_cvta && (space == PTX_GLOBAL || space == PTX_CONST));
}

/* Returns whether IN may give a register a fixed value. */
static bool gives_fixed(const struct decoder *d, const struct ptx_instruction *in)
{
    const struct ptx_operand *to = &in->operands[0];
    if (in->guard != PTX_NONE || in->type_count != 1 || in->operand_count != 2 ||
        to->kind != PTX_REGISTER)
        return false;
    enum ptx_type type = d->image->function->registers[to->index].type;
    unsigned bytes = ptx_type_bytes((enum ptx_type)in->types[0]);
    if (!bytes || bytes > 8 || ptx_type_bytes(type) != bytes)
        return false;
    if (in->opcode == PTX_OP_ld)
        return in->modifier_count == 1 && is_parameter(d, in, bytes);
    return is_move(in) && is_fixed_operand(d, &in->operands[1], bytes);
}

/* Returns the slot in BANK_LAUNCH of the kernel's parameter at offset AT. */
static struct slot parameter_slot(struct decoder *d, uint32_t at, unsigned bytes)
{
    struct kernel *k = d->kernel;
    struct slot slot = {.bank = BANK_LAUNCH, .bytes = (uint8_t)bytes};
    for (uint32_t i = 0; i < k->parameter_count; i++) {
        slot.offset = k->parameters[i].offset;
        if (k->parameters[i].at == at && k->parameters[i].bytes == bytes)
            return slot;
    }
    struct parameter *list =
        realloc(k->parameters, (k->parameter_count + 1) * sizeof *k->parameters);
    if (!list) {
        decode_fail(d, "out of memory");
        return slot;
    }
    slot.offset = decode_take_slot(&k->bank_bytes[BANK_LAUNCH], bytes);
    k->parameters = list;
    k->parameters[k->parameter_count++] = (struct parameter){at, slot.offset, bytes};
    return slot;
}

static struct slot value_slot(struct decoder *d, const struct ptx_instruction *in)
{
    const struct ptx_operand *from = &in->operands[1];
    enum ptx_type type = (enum ptx_type)in->types[0];
    unsigned bytes = ptx_type_bytes(type);
    if (in->opcode == PTX_OP_ld)
        return parameter_slot(d, (uint32_t)(from->variable->offset + (uint64_t)from->value), bytes);
    return decode_source(d, from, type, bytes);
}

/* Returns whether IN computes an integer from its operands alone. */
static bool is_arithmetic(const struct ptx_instruction *in)
{
    static const enum ptx_opcode opcodes[] = {PTX_OP_add, PTX_OP_sub, PTX_OP_mul,
                                              PTX_OP_mad, PTX_OP_shl, PTX_OP_shr,
                                              PTX_OP_and, PTX_OP_or,  PTX_OP_xor};
    bool is_one = false, is_plain = in->guard == PTX_NONE && in->type_count == 1 &&
                                    ptx_type_class((enum ptx_type)in->types[0]) != 'F';
    for (unsigned i = 0; i < sizeof opcodes / sizeof *opcodes; i++)
        is_one |= in->opcode == opcodes[i];
    for (unsigned i = 0; i < in->modifier_count; i++)
        is_plain &= in->modifiers[i] == PTX_MOD_lo || in->modifiers[i] == PTX_MOD_wide;
    return is_one && is_plain;
}

/* Returns the bank of an operand that never changes, or BANK_COUNT if it may change. */
static enum bank bank_of(const struct decoder *d, const struct ptx_operand *from)
{
    if (from->kind == PTX_IMMEDIATE)
        return BANK_CONSTANTS;
    if (from->kind != PTX_REGISTER || d->image->fixed[from->index].offset == NO_SLOT)
        return BANK_COUNT;
    return (enum bank)d->image->fixed[from->index].bank;
}

/* Returns the bank for the result of arithmetic on values that never change. Returns BANK_COUNT if
 * a value may change, or if the result depends on the CTA and on the warp: it would be needed only
 * once. */
static enum bank result_bank(const struct decoder *d, const struct ptx_instruction *in)
{
    enum bank highest = BANK_LAUNCH;
    bool of_cta = false;
    for (uint32_t i = 1; i < in->operand_count; i++) {
        enum bank bank = bank_of(d, &in->operands[i]);
        of_cta |= bank == BANK_CTA;
        highest = bank > highest ? bank : highest;
    }
    return highest == BANK_WARP && of_cta ? BANK_COUNT : highest;
}

/* The values of a CTA's warps should leave most of the CPU's cache to other data. */
#define MOST_OF_WARP 1024u /* bytes */

/* Returns the slot for the result of IN if its value is fixed; otherwise returns no_slot. */
static struct slot computed_slot(const struct decoder *d, const struct ptx_instruction *in)
{
    uint32_t reg = in->operands[0].index;
    unsigned bytes = ptx_type_bytes(d->image->function->registers[reg].type);
    enum bank bank = result_bank(d, in);
    uint32_t *used = &d->kernel->bank_bytes[bank];
    if ((bytes != 4 && bytes != 8) || bank == BANK_COUNT ||
        (bank == BANK_WARP && *used >= MOST_OF_WARP))
        return no_slot;
    return (struct slot){
        .offset = decode_take_slot(used, bytes), .bank = (uint8_t)bank, .bytes = (uint8_t)bytes};
}

/* Returns whether IN may give its first operand a fixed value. */
static bool may_fix(const struct decoder *d, const struct ptx_instruction *in)
{
    return in->operand_count && in->operands[0].kind == PTX_REGISTER &&
           (gives_fixed(d, in) || is_arithmetic(in));
}

bool decode_fixed(struct decoder *d)
{
    const struct ptx_function *f = d->image->function;
    size_t n = (size_t)f->register_count + 1;
    uint8_t *writes = calloc(n, sizeof *writes);
    d->image->fixed = malloc(n * sizeof *d->image->fixed);
    bool ok = writes && d->image->fixed;
    for (uint32_t i = 0; ok && i < f->register_count; i++)
        d->image->fixed[i] = no_slot;
    for (uint32_t pc = 0; ok && pc < f->code_count; pc++)
        operands_written(&f->code[pc], count_write, writes);
    for (uint32_t pc = 0; ok && pc < f->code_count; pc++) {
        const struct ptx_instruction *in = &f->code[pc];
        d->in = in;
        d->pc = d->image->start + pc;
        if (may_fix(d, in) && writes[in->operands[0].index] == 1)
            d->image->fixed[in->operands[0].index] =
                gives_fixed(d, in) ? value_slot(d, in) : computed_slot(d, in);
        ok = !d->failed;
    }
    free(writes);
    return ok;
}

bool decode_is_fixed(const struct decoder *d)
{
    return may_fix(d, d->in) && d->image->fixed[d->in->operands[0].index].offset != NO_SLOT;
}

bool decode_is_copy(const struct decoder *d)
{
    return gives_fixed(d, d->in);
}

void decode_run_early(struct decoder *d)
{
    struct early_list *list = &d->kernel->early[d->out->dst.bank];
    struct early *bigger = realloc(list->list, (list->count + 1) * sizeof *bigger);
    if (!bigger) {
        decode_fail(d, "out of memory");
        return;
    }
    list->list = bigger;
    list->list[list->count++] = (struct early){d->out->run, d->pc};
    d->out->run = idle_run;
}
