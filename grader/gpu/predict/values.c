/* Finds facts about values that ptxas knows before the kernel runs: their alignment, and whether
 * all lanes have the same value. */
#include "gpu/predict/machine_parts.h"

/* --- alignment -------------------------------------------------------------------------------- */

#define MOST_BITS 16u

static unsigned operand_bits(const struct pass *pass, const struct ptx_operand *operand,
                             unsigned depth)
{
    if (operand->kind == PTX_IMMEDIATE)
        return operand->value ? (unsigned)__builtin_ctzll((uint64_t)operand->value) : MOST_BITS;
    /* ptxas aligns arrays of at least 16 bytes to 16 bytes, whatever their type */
    if (operand->kind == PTX_VARIABLE)
        return operand->variable->size == 0 || operand->variable->size >= 16 ? 4 : 2;
    return operand->kind == PTX_REGISTER ? aligned_bits(pass, operand->index, depth) : 0;
}

static unsigned lower(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/* Returns how many of the lowest bits of IN's result are known to be zero. */
static unsigned result_bits(const struct pass *pass, const struct ptx_instruction *in,
                            unsigned depth)
{
    const struct ptx_operand *a = &in->operands[1], *b = &in->operands[2];
    switch (in->opcode) {
    case PTX_OP_mov:
    case PTX_OP_cvta:
        return operand_bits(pass, a, depth);
    case PTX_OP_cvt:
        return class_of(in->types[0]) == 'l' || class_of(in->types[0]) == 'i'
                   ? operand_bits(pass, a, depth)
                   : 0;
    case PTX_OP_add:
    case PTX_OP_sub:
    case PTX_OP_or:
        return lower(operand_bits(pass, a, depth), operand_bits(pass, b, depth));
    case PTX_OP_and: {
        unsigned x = operand_bits(pass, a, depth), y = operand_bits(pass, b, depth);
        return x > y ? x : y;
    }
    case PTX_OP_shl:
        return has_immediate(in) ? operand_bits(pass, a, depth) + (unsigned)b->value : 0;
    case PTX_OP_mul:
        return operand_bits(pass, a, depth) + operand_bits(pass, b, depth);
    case PTX_OP_mad:
        return lower(operand_bits(pass, a, depth) + operand_bits(pass, b, depth),
                     operand_bits(pass, &in->operands[3], depth));
    default:
        return 0;
    }
}

/* Returns the minimum over all instructions that write the register. If DEPTH runs out at a
 * register with several writers, the register is a loop's variable, and counts as aligned. */
unsigned aligned_bits(const struct pass *pass, uint32_t reg, unsigned depth)
{
    unsigned bits = MOST_BITS;
    uint32_t left = pass->facts[reg].defs;
    if (!depth)
        return left > 1 ? MOST_BITS : 0;
    for (uint32_t i = pass->facts[reg].def + 1; i-- > 0 && left;) {
        const struct ptx_instruction *in = &pass->function->code[i];
        if (!in->operand_count || in->operands[0].kind != PTX_REGISTER ||
            in->operands[0].index != reg || in->opcode == PTX_OP_st)
            continue;
        bits = lower(bits, result_bits(pass, in, depth - 1));
        left--;
    }
    return left ? 0 : bits;
}

/* --- uniform values --------------------------------------------------------------------------- */

static void note_varying(void *context, uint32_t reg)
{
    struct pass *pass = context;
    pass->varies_here |= pass->facts[reg].varies;
}

static void mark_varying(void *context, uint32_t reg)
{
    struct pass *pass = context;
    pass->has_changed |= !pass->facts[reg].varies;
    pass->facts[reg].varies = true;
}

/* Returns whether the result of IN may differ between lanes even if its operands do not. */
static bool makes_varying(const struct ptx_instruction *in)
{
    enum ptx_space space = ptx_space_of(in);
    if (in->opcode == PTX_OP_atom || in->opcode == PTX_OP_call ||
        (in->opcode == PTX_OP_ld && space != PTX_PARAM))
        return true;
    for (uint32_t k = 1; k < in->operand_count; k++) {
        const struct ptx_operand *operand = &in->operands[k];
        if (operand->kind == PTX_SPECIAL_REGISTER &&
            (operand->index <= PTX_SPECIAL_tid_z || operand->index == PTX_SPECIAL_laneid))
            return true;
    }
    return false;
}

/* Ignores branches: a loop's variable counts as uniform if all values assigned to it are uniform,
 * even if some lanes leave the loop earlier than others. */
void find_varying(struct pass *pass)
{
    do {
        pass->has_changed = false;
        for (uint32_t i = 0; i < pass->function->code_count; i++) {
            const struct ptx_instruction *in = &pass->function->code[i];
            pass->varies_here = makes_varying(in);
            operands_read(in, note_varying, pass);
            if (pass->varies_here)
                operands_written(in, mark_varying, pass);
        }
    } while (pass->has_changed);
}

bool is_uniform_address(const struct pass *pass, const struct ptx_operand *address)
{
    return address->kind == PTX_ADDRESS &&
           (address->index == PTX_NONE || !pass->facts[address->index].varies);
}
