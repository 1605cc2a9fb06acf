#include "gpu/analyse/operands.h"

static void visit_operand(const struct ptx_operand *op, operands_visit *visit, void *context)
{
    if (op->kind == PTX_REGISTER || op->kind == PTX_PREDICATE ||
        (op->kind == PTX_ADDRESS && op->index != PTX_NONE))
        visit(context, op->index);
    for (uint32_t i = 0; i < op->count; i++)
        visit_operand(&op->elements[i], visit, context);
}

/* Visits the operands that IN writes, or the operands that it reads. The letters in opcodes.def say
 * which operands are written and which are addresses. The operand lists of a call contain no
 * registers. */
static void visit_side(const struct ptx_instruction *in, bool written, bool addresses,
                       operands_visit *visit, void *context)
{
    const char *letter = ptx_opcodes[in->opcode].operands;
    for (uint32_t k = 0; k < in->operand_count; k++, letter++) {
        letter += *letter == '?';
        bool is_result =
            *letter == 'd' || *letter == 'x' || *letter == 'y' || (*letter == 'v' && k == 0);
        if (is_result == written && (addresses || *letter != 'm'))
            visit_operand(&in->operands[k], visit, context);
    }
}

void operands_read(const struct ptx_instruction *in, operands_visit *visit, void *context)
{
    if (in->guard != PTX_NONE)
        visit(context, in->guard);
    visit_side(in, false, true, visit, context);
}

void operands_used(const struct ptx_instruction *in, operands_visit *visit, void *context)
{
    visit_side(in, false, false, visit, context);
}

void operands_written(const struct ptx_instruction *in, operands_visit *visit, void *context)
{
    visit_side(in, true, true, visit, context);
}
