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
    if (operand->kind == PTX_VARIABLE) /* ptxas aligns arrays, whatever their type */
        return operand->variable->size == 0 || operand->variable->size >= 16 ? 4 : 2;
    return operand->kind == PTX_REGISTER ? aligned_bits(pass, operand->index, depth) : 0;
}

static unsigned lower(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/* Counts the lowest bits of IN's result that are known to be zero. */
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

/* Returns the least number over all instructions that write the register. If the search meets a
 * loop's variable again at the end of DEPTH, the variable counts as aligned. */
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

/* --- uniform addresses ------------------------------------------------------------------------ */

/* Returns whether all lanes have the same value in REG, because it is computed only from parameters
 * and constants. */
static bool is_uniform(const struct pass *pass, uint32_t reg, unsigned depth)
{
    const struct fact *fact = &pass->facts[reg];
    const struct ptx_instruction *in = &pass->function->code[fact->def];
    if (fact->defs != 1 || !depth || (in->opcode == PTX_OP_ld && !is_parameter(in)) ||
        in->opcode == PTX_OP_atom || in->opcode == PTX_OP_call)
        return false;
    for (uint32_t k = 1; k < in->operand_count; k++) {
        const struct ptx_operand *operand = &in->operands[k];
        if (operand->kind == PTX_SPECIAL_REGISTER && operand->index <= PTX_SPECIAL_tid_z)
            return false;
        if (operand->kind == PTX_SPECIAL_REGISTER && operand->index == PTX_SPECIAL_laneid)
            return false;
        if (operand->kind == PTX_REGISTER && !is_uniform(pass, operand->index, depth - 1))
            return false;
    }
    return true;
}

bool is_uniform_address(const struct pass *pass, const struct ptx_instruction *in)
{
    const struct ptx_operand *address = &in->operands[in->opcode == PTX_OP_red ? 0 : 1];
    return address->kind == PTX_ADDRESS &&
           (address->index == PTX_NONE || is_uniform(pass, address->index, 8));
}
