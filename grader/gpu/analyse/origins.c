/* Finds the origin of each register's value. The analysis ignores the order of instructions,
 * because nvcc gives nearly every value its own register. A register's origin is "nothing" at
 * first. The analysis only replaces it with an origin that is further to the right:
 *
 *     nothing  <  a number                      <  anything
 *     nothing  <  an address in one variable    <  anything
 *
 * For example, a register that may hold an address in one of two variables has the origin
 * "anything". */
#include "gpu/analyse/origins.h"

static const struct ptx_variable number, anything;

struct origins {
    /* origin of each register, or NULL if none has been found yet */
    const struct ptx_variable **of;
    bool grew; /* the current pass has changed an origin */
};

static const struct ptx_variable *join(const struct ptx_variable *a, const struct ptx_variable *b)
{
    return !a || a == b ? b : !b ? a : &anything;
}

/* Returns the origin of the value of a source operand. */
static const struct ptx_variable *origin_of(const struct origins *o, const struct ptx_operand *op)
{
    switch (op->kind) {
    case PTX_REGISTER:
        return o->of[op->index];
    case PTX_VARIABLE:
        return op->variable && op->variable->space == PTX_SHARED ? op->variable : &number;
    case PTX_VECTOR:
    case PTX_PAIR:
        return &anything;
    default:
        return &number;
    }
}

static bool is_number(const struct ptx_variable *origin)
{
    return !origin || origin == &number;
}

/* Returns the origin of a sum from the origins of its operands. The sum of a pointer and a number
 * points into the pointer's array. */
static const struct ptx_variable *add(const struct ptx_variable *a, const struct ptx_variable *b)
{
    if (!a || !b || b == &number)
        return a ? a : b;
    return a == &number ? b : &anything;
}

/* Returns the origin of an instruction's result, which is computed from the origins of its source
 * operands. These are all operands except the first. */
static const struct ptx_variable *result_of(const struct origins *o,
                                            const struct ptx_instruction *in)
{
    const struct ptx_variable *result = NULL;
    switch (in->opcode) {
    case PTX_OP_mov:
    case PTX_OP_cvt:
    case PTX_OP_cvta:
    case PTX_OP_mapa: /* an address of the same array in another CTA's memory */
        return origin_of(o, &in->operands[1]);
    case PTX_OP_add:
        return add(origin_of(o, &in->operands[1]), origin_of(o, &in->operands[2]));
    case PTX_OP_sub:
        if (is_number(origin_of(o, &in->operands[2])))
            return origin_of(o, &in->operands[1]);
        break;
    case PTX_OP_mad:
        if (is_number(origin_of(o, &in->operands[1])) && is_number(origin_of(o, &in->operands[2])))
            return origin_of(o, &in->operands[3]);
        break;
    case PTX_OP_selp:
        return join(origin_of(o, &in->operands[1]), origin_of(o, &in->operands[2]));
    default:
        break;
    }
    /* a pointer loaded from memory counts as a number, because its array is unknown */
    for (uint32_t k = 1; k < in->operand_count; k++)
        result = join(result, origin_of(o, &in->operands[k]));
    return is_number(result) ? &number : &anything;
}

static void set(struct origins *o, const struct ptx_operand *op, const struct ptx_variable *origin)
{
    for (uint32_t i = 0; i < op->count; i++)
        set(o, &op->elements[i], &anything);
    if (op->kind != PTX_REGISTER)
        return;
    const struct ptx_variable *joint = join(o->of[op->index], origin);
    o->grew |= joint != o->of[op->index];
    o->of[op->index] = joint;
}

void analyse_origins(const struct ptx_function *function, const struct ptx_variable **variables)
{
    struct origins o = {.of = variables, .grew = true};
    for (uint32_t i = 0; i < function->register_count; i++)
        variables[i] = NULL;
    while (o.grew) {
        o.grew = false;
        for (uint32_t pc = 0; pc < function->code_count; pc++) {
            const struct ptx_instruction *in = &function->code[pc];
            if (in->operand_count)
                set(&o, &in->operands[0], result_of(&o, in));
        }
    }
    for (uint32_t i = 0; i < function->register_count; i++)
        if (variables[i] == &number || variables[i] == &anything)
            variables[i] = NULL;
}
