/* Models how ptxas moves the computation of reciprocals for integer divisions out of loops.
 *
 * A division first computes the reciprocal of the divisor, which takes most of the division's time,
 * and then computes the quotient from the reciprocal. If the divisor does not change in a loop, the
 * reciprocal is computed before the loop. */
#include "gpu/predict/machine_parts.h"

/* If the reciprocal is known, a division computes the quotient (the high half of a product), the
 * remainder, and two comparisons that correct both. These are REST_COUNT instructions, as counted
 * by Nsight Compute in the kernel `barriers` of tests/hardware/times/fresh. A signed division takes
 * SIGN_COUNT more (an estimate). */
enum { REST_COUNT = 8, REST_DEPTH = 8, SIGN_COUNT = 4, SIGN_DEPTH = 3 };

/* Returns the first instruction of the outermost loop that contains instruction I and begins
 * after instruction DEF. Returns NO_LOOP if there is none. Each backward branch is taken to form
 * a loop. */
static uint32_t find_loop(const struct ptx_function *f, uint32_t i, uint32_t def)
{
    uint32_t outermost = NO_LOOP;
    for (uint32_t end = i; end < f->code_count; end++) {
        const struct ptx_instruction *in = &f->code[end];
        if (in->opcode != PTX_OP_bra || in->operands[0].kind != PTX_LABEL)
            continue;
        uint64_t start = (uint64_t)in->operands[0].value;
        if (start <= i && start > def && start < outermost)
            outermost = (uint32_t)start;
    }
    return outermost;
}

/* Returns whether the loop that begins at START calls a function, or may call a subroutine for a
 * slow path. In such a loop, ptxas computes the reciprocal in each iteration, as transform_plain in
 * tests/hardware/times/fresh shows. */
static bool calls(const struct ptx_function *f, uint32_t start)
{
    uint32_t end = f->code_count;
    while (end > start && (f->code[end - 1].opcode != PTX_OP_bra ||
                           (uint64_t)f->code[end - 1].operands[0].value != start))
        end--;
    for (uint32_t i = start; i < end; i++)
        if (f->code[i].opcode == PTX_OP_call || has_slow_path(&f->code[i]))
            return true;
    return false;
}

/* Returns whether IN is a division whose divisor is in a register that only one instruction
 * writes. */
static bool divides(const struct pass *pass, const struct ptx_instruction *in)
{
    return (in->opcode == PTX_OP_div || in->opcode == PTX_OP_rem) && in->type_count &&
           class_of(in->types[0]) == 'i' && in->operand_count > 2 &&
           in->operands[2].kind == PTX_REGISTER && pass->facts[in->operands[2].index].defs == 1;
}

static bool is_known(const struct pass *pass, uint32_t loop, uint32_t divisor)
{
    for (uint32_t k = 0; k < pass->hoisted_count; k++)
        if (pass->hoisted[k].loop == loop && pass->hoisted[k].divisor == divisor)
            return true;
    return false;
}

void hoist(struct pass *pass)
{
    for (uint32_t i = 0; i < pass->function->code_count; i++) {
        const struct ptx_instruction *in = &pass->function->code[i];
        if (!divides(pass, in))
            continue;
        uint32_t divisor = in->operands[2].index;
        uint32_t loop = find_loop(pass->function, i, pass->facts[divisor].def);
        if (loop == NO_LOOP || calls(pass->function, loop) ||
            (!is_known(pass, loop, divisor) && pass->hoisted_count == HOISTED))
            continue;
        struct choice *choice = &pass->choices[i];
        bool is_signed = ptx_type_class((enum ptx_type)in->types[0]) == 'S';
        struct choice rest = {PIPE_ADD, REST_COUNT + (is_signed ? SIGN_COUNT : 0),
                              REST_DEPTH + (is_signed ? SIGN_DEPTH : 0), false};
        if (!is_known(pass, loop, divisor))
            pass->hoisted[pass->hoisted_count++] =
                (struct hoisted){loop, divisor, (uint8_t)(choice->count - rest.count),
                                 (uint8_t)(choice->depth - rest.depth)};
        *choice = rest;
    }
}
