/* Fuses several instructions into one instruction, as ptxas does for products, addresses with
 * offsets, and operations with three operands. */
#include "gpu/predict/machine_parts.h"

/* --- facts ------------------------------------------------------------------------------------ */

static void note_def(void *context, uint32_t reg)
{
    struct pass *pass = context;
    pass->facts[reg].defs++;
    pass->facts[reg].def = pass->at;
}

static bool is_combination(const struct ptx_instruction *in)
{
    return in->type_count && in->types[0] == PTX_pred &&
           (in->opcode == PTX_OP_and || in->opcode == PTX_OP_or || in->opcode == PTX_OP_xor);
}

static void note_use(void *context, uint32_t reg)
{
    struct pass *pass = context;
    const struct ptx_instruction *in = &pass->function->code[pass->at];
    struct fact *fact = &pass->facts[reg];
    fact->uses++;
    fact->use = pass->at;
    fact->adds += in->opcode == PTX_OP_add || (in->opcode == PTX_OP_sub && in->guard != reg);
    for (uint32_t k = 0; k < in->operand_count; k++)
        fact->addresses += in->operands[k].kind == PTX_ADDRESS && in->operands[k].index == reg;
}

void find_facts(struct pass *pass)
{
    for (pass->at = 0; pass->at < pass->function->code_count; pass->at++) {
        operands_written(&pass->function->code[pass->at], note_def, pass);
        operands_read(&pass->function->code[pass->at], note_use, pass);
    }
}

/* --- fusion ----------------------------------------------------------------------------------- */

/* Returns the facts about the register that is operand K of IN, if only one instruction writes this
 * register, otherwise NULL. */
static const struct fact *single(const struct pass *pass, const struct ptx_instruction *in,
                                 uint32_t k)
{
    if (k >= in->operand_count || in->operands[k].kind != PTX_REGISTER)
        return NULL;
    const struct fact *fact = &pass->facts[in->operands[k].index];
    return fact->defs == 1 ? fact : NULL;
}

const struct fact *result_of(const struct pass *pass, const struct ptx_instruction *in)
{
    if (!in->operand_count ||
        (in->operands[0].kind != PTX_REGISTER && in->operands[0].kind != PTX_PREDICATE))
        return NULL;
    const struct fact *fact = &pass->facts[in->operands[0].index];
    return fact->defs == 1 ? fact : NULL;
}

/* Returns whether IN, a product or a shift by a constant, is fused into all additions that use its
 * result. */
static bool is_fused_product(const struct pass *pass, const struct ptx_instruction *in)
{
    const struct fact *result = result_of(pass, in);
    char class = in->type_count ? class_of(in->types[0]) : '*';
    bool is_wide = ptx_has(in, PTX_MOD_wide);
    if (!result || !result->uses || result->adds != result->uses || in->guard != PTX_NONE)
        return false;
    if (in->opcode == PTX_OP_shl)
        return has_immediate(in) && (class == 'l' || result->uses == 1);
    if (in->opcode == PTX_OP_mul && (class == 'i' || class == 'l'))
        return is_wide || (class == 'i' && result->uses == 1 && !ptx_has(in, PTX_MOD_hi)) ||
               (class == 'l' && has_immediate(in));
    return false;
}

/* Returns whether IN converts an index that is only scaled and added to an address. Then no
 * conversion is needed, because IMAD.WIDE converts its operands itself. */
static bool is_fused_conversion(const struct pass *pass, const struct ptx_instruction *in)
{
    const struct fact *result = result_of(pass, in);
    if (in->opcode != PTX_OP_cvt || !result || result->uses != 1)
        return false;
    const struct ptx_instruction *user = &pass->function->code[result->use];
    return (user->opcode == PTX_OP_shl || user->opcode == PTX_OP_mul) &&
           pass->choices[result->use].is_free;
}

static bool is_offset(const struct pass *pass, const struct ptx_instruction *in)
{
    const struct fact *result = result_of(pass, in);
    return in->opcode == PTX_OP_add && has_immediate(in) && result && result->uses &&
           result->addresses == result->uses && in->guard == PTX_NONE;
}

static bool is_logic(const struct ptx_instruction *in)
{
    return (in->opcode == PTX_OP_and || in->opcode == PTX_OP_or || in->opcode == PTX_OP_xor ||
            in->opcode == PTX_OP_not) &&
           in->types[0] != PTX_pred && class_of(in->types[0]) == 'i';
}

/* Returns whether the result of IN has only one use, in an instruction that takes it as a third
 * operand (LOP3, IADD3). */
static bool is_third_operand(const struct pass *pass, const struct ptx_instruction *in)
{
    const struct fact *result = result_of(pass, in);
    if (!result || result->uses != 1 || in->guard != PTX_NONE || !in->type_count)
        return false;
    const struct ptx_instruction *user = &pass->function->code[result->use];
    if (result->use <= (uint32_t)(in - pass->function->code) || !user->type_count)
        return false;
    if (is_logic(in))
        return is_logic(user) && !pass->choices[result->use].is_free;
    bool adds = in->opcode == PTX_OP_add || in->opcode == PTX_OP_sub;
    bool user_adds = user->opcode == PTX_OP_add || user->opcode == PTX_OP_sub;
    if (!adds || !user_adds || class_of(in->types[0]) != 'i' || class_of(user->types[0]) != 'i')
        return false;
    /* an IADD3 has only three operands, so neither of the two additions may already include a
     * product or another addition */
    for (uint32_t k = 1; k < 3; k++) {
        const struct fact *mine = single(pass, in, k), *its = single(pass, user, k);
        if (mine && pass->choices[mine->def].is_free && pass->choices[mine->def].count)
            return false;
        if (its && its != result && pass->choices[its->def].is_free &&
            pass->choices[its->def].count)
            return false;
    }
    return !pass->choices[result->use].is_free;
}

/* Returns whether IN, which combines predicates, is fused into an earlier comparison
 * (ISETP.AND). */
static bool is_fused_combination(const struct pass *pass, const struct ptx_instruction *in)
{
    if (!is_combination(in))
        return false;
    for (uint32_t k = 1; k < in->operand_count; k++) {
        const struct ptx_operand *operand = &in->operands[k];
        const struct fact *fact = operand->kind == PTX_PREDICATE || operand->kind == PTX_REGISTER
                                      ? &pass->facts[operand->index]
                                      : NULL;
        if (fact && fact->defs == 1 && fact->uses == 1 &&
            pass->function->code[fact->def].opcode == PTX_OP_setp)
            return true;
    }
    return false;
}

/* Fuses addition I with those of its operands that are products, shifts or additions and marked as
 * free. The result is one instruction, such as IMAD, LEA or IADD3. */
static void fuse_addition(struct pass *pass, uint32_t i)
{
    const struct ptx_instruction *in = &pass->function->code[i];
    for (uint32_t k = 1; k < in->operand_count && k < 3; k++) {
        const struct fact *fact = single(pass, in, k);
        if (!fact || !pass->choices[fact->def].is_free || !pass->choices[fact->def].count)
            continue;
        bool is_shift = pass->function->code[fact->def].opcode == PTX_OP_shl;
        bool is_logical = is_logic(&pass->function->code[fact->def]);
        if (pass->function->code[fact->def].opcode == PTX_OP_mul ||
            (is_shift && class_of(in->types[0]) == 'l'))
            pass->choices[i].pipe = PIPE_IMAD;
        if (!is_logical)
            pass->choices[i].count = pass->choices[i].depth = 1;
    }
}

/* An instruction that is fused into another one keeps its count, although it is free. An
 * instruction that only renames a value is also free, but its count is 0. */
void fuse(struct pass *pass)
{
    const struct ptx_function *f = pass->function;
    for (uint32_t i = f->code_count; i-- > 0;) {
        const struct ptx_instruction *in = &f->code[i];
        if (is_fused_product(pass, in) || is_fused_conversion(pass, in) ||
            is_third_operand(pass, in))
            pass->choices[i].is_free = true;
        if (is_offset(pass, in) || is_fused_combination(pass, in))
            pass->choices[i] = (struct choice){PIPE_ALU, 0, 0, true};
    }
    for (uint32_t i = 0; i < f->code_count; i++)
        if ((f->code[i].opcode == PTX_OP_add || f->code[i].opcode == PTX_OP_sub) &&
            f->code[i].type_count && class_of(f->code[i].types[0]) != 'f' &&
            class_of(f->code[i].types[0]) != 'd' && !pass->choices[i].is_free)
            fuse_addition(pass, i);
}
