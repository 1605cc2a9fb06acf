#include "gpu/predict/machine.h"

#include <stdlib.h>
#include <string.h>

#include "gpu/analyse/blocks.h"
#include "gpu/analyse/operands.h"

/* What is known about a register of the function that is being translated. */
struct fact {
    uint32_t defs, def; /* number of instructions that write it; the last of them */
    uint32_t uses, use; /* number of instructions that read it; the last of them */
    uint32_t adds, addresses; /* how many of these add it to something, or use it as an address */
    bool is_predicate_use;    /* combined with other predicates */
};

/* What becomes of an instruction. */
struct choice {
    uint8_t pipe, count, depth;
    bool is_free; /* it only names a value: whoever reads its result reads its sources */
};

struct pass {
    const struct launch_view *launch;
    const struct ptx_function *function;
    struct machine *machine;
    uint32_t first_pc, first_register;
    struct fact *facts;
    struct choice *choices;
    uint32_t at; /* the instruction that a visit is about */
    struct op *op;
};

/* --- the table -------------------------------------------------------------------------------- */

static const struct {
    uint16_t opcode;
    char class;
    uint8_t pipe, count, depth;
} table[] = {
#define M(opcode, class, pipe, count, depth)                                                       \
    {PTX_OP_##opcode, #class[0], PIPE_##pipe, count, depth},
#include "gpu/predict/machine.def"
#undef M
};

static char class_of(uint8_t type)
{
    unsigned bytes = ptx_type_bytes((enum ptx_type)type);
    switch (ptx_type_class((enum ptx_type)type)) {
    case 'P':
        return 'p';
    case 'F':
        return type == PTX_f32 ? 'f' : type == PTX_f64 ? 'd' : 'h';
    default:
        return bytes == 8 ? 'l' : 'i';
    }
}

static struct choice look_up(const struct ptx_instruction *in)
{
    char class = in->type_count ? class_of(in->types[0]) : '*';
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (table[i].opcode == in->opcode && (table[i].class == '*' || table[i].class == class))
            return (struct choice){table[i].pipe, table[i].count, table[i].depth, !table[i].count};
    return (struct choice){PIPE_ALU, 1, 1, false};
}

/* Special functions of denormal floats need a multiplication before and one after. */
static struct choice choose_approximation(const struct ptx_instruction *in, struct choice choice)
{
    if (in->opcode == PTX_OP_div)
        choice = ptx_has(in, PTX_MOD_full) ? (struct choice){PIPE_SFU, 4, 3, false}
                                           : (struct choice){PIPE_SFU, 2, 2, false};
    else if (in->opcode == PTX_OP_rcp)
        choice = (struct choice){PIPE_SFU, 1, 1, false};
    else if (in->opcode == PTX_OP_sqrt)
        choice = (struct choice){PIPE_SFU, 2, 2, false};
    if (in->opcode == PTX_OP_sin || in->opcode == PTX_OP_cos)
        choice.count = choice.depth = 2;
    else if (!ptx_has(in, PTX_MOD_ftz) && in->opcode != PTX_OP_rcp && in->opcode != PTX_OP_div)
        choice.count = 4, choice.depth = 3;
    return choice;
}

static struct choice choose_conversion(const struct ptx_instruction *in)
{
    char to = class_of(in->types[0]), from = class_of(in->types[1]);
    bool is_signed = ptx_type_class((enum ptx_type)in->types[1]) == 'S';
    if (to == 'l' && from == 'i')
        return (struct choice){PIPE_ALU, is_signed, is_signed, !is_signed};
    if (to == 'i' && from == 'l')
        return (struct choice){PIPE_ALU, 0, 0, true};
    if (to == 'i' && from == 'i') {
        bool widens = ptx_type_bytes((enum ptx_type)in->types[0]) >
                      ptx_type_bytes((enum ptx_type)in->types[1]);
        return (struct choice){PIPE_ALU, widens, widens, !widens};
    }
    if (to == 'd' || from == 'd')
        return (struct choice){PIPE_SFU, 1, 1, false};
    if ((to == 'h' || from == 'h') && to != 'i' && from != 'i')
        return (struct choice){PIPE_ALU, 1, 1, false};
    return (struct choice){PIPE_SFU, to == 'l' || from == 'l' ? 2 : 1, 1, false};
}

/* The registers that ptxas finds in constant memory: sizes of the grid, not places in it. */
static bool is_constant(uint32_t special)
{
    return special != PTX_SPECIAL_tid_x && special != PTX_SPECIAL_tid_y &&
           special != PTX_SPECIAL_tid_z && special != PTX_SPECIAL_ctaid_x &&
           special != PTX_SPECIAL_ctaid_y && special != PTX_SPECIAL_ctaid_z &&
           special != PTX_SPECIAL_laneid;
}

static struct choice choose_move(const struct pass *pass, const struct ptx_instruction *in)
{
    const struct ptx_operand *to = &in->operands[0], *from = &in->operands[1];
    bool again = (to->kind == PTX_REGISTER || to->kind == PTX_PREDICATE) &&
                 pass->facts[to->index].defs > 1;
    if (from->kind == PTX_SPECIAL_REGISTER)
        return is_constant(from->index) ? (struct choice){PIPE_ALU, 0, 0, true}
                                        : (struct choice){PIPE_ALU, 1, 6, false};
    /* a loop's variable gets its first value by a move of its own, but a copy is renamed */
    bool is_value = from->kind == PTX_IMMEDIATE || from->kind == PTX_VARIABLE;
    return (struct choice){PIPE_ALU, again && is_value, again && is_value, !(again && is_value)};
}

static bool is_parameter(const struct ptx_instruction *in)
{
    return ptx_space_of(in) == PTX_PARAM;
}

static struct choice choose(const struct pass *pass, const struct ptx_instruction *in)
{
    struct choice choice = look_up(in);
    switch (in->opcode) {
    case PTX_OP_mov:
        return choose_move(pass, in);
    case PTX_OP_cvt:
        return choose_conversion(in);
    case PTX_OP_mul:
    case PTX_OP_mad:
        return ptx_has(in, PTX_MOD_wide) ? (struct choice){PIPE_IMAD, 1, 1, false} : choice;
    case PTX_OP_ld:
    case PTX_OP_ldu:
    case PTX_OP_st:
        if (is_parameter(in)) /* LDC, from constant memory; a function's are in registers */
            return pass->function->is_kernel ? (struct choice){PIPE_ALU, 1, 6, false}
                                             : (struct choice){PIPE_ALU, 0, 0, in->opcode != PTX_OP_st};
        return (struct choice){PIPE_MEMORY, 1, 1, false};
    case PTX_OP_atom:
    case PTX_OP_red:
    case PTX_OP_shfl:
    case PTX_OP_tex:
    case PTX_OP_tld4:
    case PTX_OP_suld:
    case PTX_OP_sust:
    case PTX_OP_cp_async:
    case PTX_OP_wmma_load_a:
    case PTX_OP_wmma_load_b:
    case PTX_OP_wmma_load_c:
    case PTX_OP_wmma_store_d:
        return (struct choice){PIPE_MEMORY, 1, 1, false};
    case PTX_OP_wmma_mma:
        return (struct choice){PIPE_MATRIX, 2, 2, false};
    default:
        return ptx_has(in, PTX_MOD_approx) || ptx_has(in, PTX_MOD_full)
                   ? choose_approximation(in, choice)
                   : choice;
    }
}

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
    fact->is_predicate_use |= is_combination(in);
    for (uint32_t k = 0; k < in->operand_count; k++)
        fact->addresses += in->operands[k].kind == PTX_ADDRESS && in->operands[k].index == reg;
}

static void find_facts(struct pass *pass)
{
    for (pass->at = 0; pass->at < pass->function->code_count; pass->at++) {
        operands_written(&pass->function->code[pass->at], note_def, pass);
        operands_read(&pass->function->code[pass->at], note_use, pass);
    }
}

/* --- fusion ----------------------------------------------------------------------------------- */

/* The register that operand K of IN reads, if one instruction alone writes it; else NULL. */
static const struct fact *single(const struct pass *pass, const struct ptx_instruction *in,
                                 uint32_t k)
{
    if (k >= in->operand_count || in->operands[k].kind != PTX_REGISTER)
        return NULL;
    const struct fact *fact = &pass->facts[in->operands[k].index];
    return fact->defs == 1 ? fact : NULL;
}

static const struct fact *result_of(const struct pass *pass, const struct ptx_instruction *in)
{
    if (!in->operand_count ||
        (in->operands[0].kind != PTX_REGISTER && in->operands[0].kind != PTX_PREDICATE))
        return NULL;
    const struct fact *fact = &pass->facts[in->operands[0].index];
    return fact->defs == 1 ? fact : NULL;
}

static bool has_immediate(const struct ptx_instruction *in)
{
    return in->operand_count > 2 && in->operands[2].kind == PTX_IMMEDIATE;
}

/* Whether the result becomes a part of each addition that uses it: a product, or a shift by a
 * constant, and for addresses also the conversion before it. */
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

/* Whether a 64-bit conversion is only scaled and then added: IMAD.WIDE converts by itself. */
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

/* Whether the result has one use, in an instruction that takes three operands: LOP3, IADD3. */
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
    /* three operands at most: neither may already have a product or a third one */
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

/* Whether the comparisons take over the combination of their predicates: ISETP.AND. */
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

/* An addition of a fused product is one IMAD or LEA, also with 64 bits. */
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

/* Choices of fused instructions keep their count, which tells them from names of values. */
static void fuse(struct pass *pass)
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

/* --- alignment -------------------------------------------------------------------------------- */

#define MOST_BITS 16u

static unsigned aligned_bits(const struct pass *pass, uint32_t reg, unsigned depth);

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

/* How many of the lowest bits of IN's result are known to be zero. */
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

/* The same for register REG: for all instructions that write it. A loop's variable that is found
 * again at the end of DEPTH is taken to be aligned. */
static unsigned aligned_bits(const struct pass *pass, uint32_t reg, unsigned depth)
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

/* --- uniform addresses -------------------------------------------------------------------------- */

/* Whether all lanes have the same value in REG: it comes from parameters and constants alone. */
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

static bool is_uniform_address(const struct pass *pass, const struct ptx_instruction *in)
{
    const struct ptx_operand *address = &in->operands[in->opcode == PTX_OP_red ? 0 : 1];
    return address->kind == PTX_ADDRESS &&
           (address->index == PTX_NONE || is_uniform(pass, address->index, 8));
}

/* --- operands --------------------------------------------------------------------------------- */

static void add_source(struct op *op, uint32_t reg)
{
    for (uint32_t i = 0; i < op->source_count; i++)
        if (op->source[i] == reg)
            return;
    if (op->source_count < OP_SOURCES)
        op->source[op->source_count++] = reg;
}

/* Adds REG, or the sources of the free instruction that names it. */
static void visit_source(void *context, uint32_t reg)
{
    struct pass *pass = context;
    const struct fact *fact = &pass->facts[reg];
    if (fact->defs == 1 && pass->choices[fact->def].is_free && pass->at > fact->def &&
        pass->op->source_count < OP_SOURCES)
        operands_read(&pass->function->code[fact->def], visit_source, pass);
    else if (fact->defs)
        add_source(pass->op, pass->first_register + reg);
}

static void visit_result(void *context, uint32_t reg)
{
    struct pass *pass = context;
    struct op *op = pass->op;
    if (op->result_count < OP_RESULTS)
        op->result[op->result_count++] = pass->first_register + reg;
}

static enum op_kind kind_of(const struct ptx_instruction *in)
{
    switch (in->opcode) {
    case PTX_OP_ld:
    case PTX_OP_ldu:
    case PTX_OP_st:
        return is_parameter(in) ? OP_PLAIN : OP_MEMORY;
    case PTX_OP_atom:
    case PTX_OP_red:
    case PTX_OP_cp_async:
    case PTX_OP_wmma_load_a:
    case PTX_OP_wmma_load_b:
    case PTX_OP_wmma_load_c:
    case PTX_OP_wmma_store_d:
        return OP_MEMORY;
    case PTX_OP_shfl:
        return OP_SHUFFLE;
    case PTX_OP_tex:
    case PTX_OP_tld4:
    case PTX_OP_suld:
    case PTX_OP_sust:
        return OP_TEXTURE;
    case PTX_OP_cp_async_wait_all:
    case PTX_OP_cp_async_wait_group:
        return OP_WAIT_COPIES;
    case PTX_OP_bar:
        return ptx_has(in, PTX_MOD_warp) ? OP_PLAIN : OP_BARRIER;
    case PTX_OP_barrier:
    case PTX_OP_bar_red:
    case PTX_OP_bar_cta_red:
    case PTX_OP_barrier_red:
    case PTX_OP_barrier_cta_red:
        return OP_BARRIER;
    case PTX_OP_bra:
    case PTX_OP_call:
    case PTX_OP_ret:
        return OP_BRANCH;
    case PTX_OP_membar:
    case PTX_OP_fence:
        return OP_FENCE;
    default:
        return OP_PLAIN;
    }
}

/* --- blocks ----------------------------------------------------------------------------------- */

static struct op *new_op(struct machine *machine)
{
    if (machine->op_count == machine->op_room) {
        uint32_t room = machine->op_room ? 2 * machine->op_room : 256;
        struct op *ops = realloc(machine->ops, room * sizeof *ops);
        if (!ops)
            return NULL;
        machine->ops = ops;
        machine->op_room = room;
    }
    struct op *op = &machine->ops[machine->op_count++];
    *op = (struct op){0};
    return op;
}

/* 32-bit registers of a thread that a register of PTX takes. */
static uint8_t result_width(const struct pass *pass, uint32_t reg)
{
    enum ptx_type type = pass->function->registers[reg - pass->first_register].type;
    return (uint8_t)((ptx_type_bytes(type) + 3) / 4);
}

static bool add_op(struct pass *pass, uint32_t i)
{
    const struct ptx_instruction *in = &pass->function->code[i];
    const struct choice *choice = &pass->choices[i];
    if (choice->is_free && (!result_of(pass, in) || result_of(pass, in)->defs == 1) &&
        !(in->operands[0].kind == PTX_REGISTER && pass->facts[in->operands[0].index].defs > 1))
        return true;
    struct op *op = new_op(pass->machine);
    if (!op)
        return false;
    op->pc = pass->first_pc + i;
    op->kind = (uint8_t)kind_of(in);
    op->pipe = choice->pipe;
    op->count = choice->is_free ? 0 : choice->count;
    op->depth = choice->is_free ? 0 : choice->depth;
    op->is_async = in->opcode == PTX_OP_cp_async;
    pass->op = op;
    pass->at = i;
    operands_read(in, visit_source, pass);
    operands_written(in, visit_result, pass);
    op->is_load = op->result_count > 0 && op->kind == OP_MEMORY;
    op->is_store = op->kind == OP_MEMORY && in->opcode != PTX_OP_ld && in->opcode != PTX_OP_ldu;
    op->is_read_only = ptx_has(in, PTX_MOD_nc);
    op->space = (uint8_t)ptx_space_of(in);
    op->is_step = in->opcode == PTX_OP_add && has_immediate(in) && choice->count == 2 &&
                  in->operands[0].index == in->operands[1].index;
    op->is_counter = in->opcode == PTX_OP_add && has_immediate(in) &&
                     in->operands[0].index == in->operands[1].index;
    op->is_float = in->type_count && ptx_type_class((enum ptx_type)in->types[0]) == 'F';
    op->is_uniform = (in->opcode == PTX_OP_red || in->opcode == PTX_OP_atom) && !op->is_float &&
                     is_uniform_address(pass, in);
    op->reads_three = (choice->pipe == PIPE_FP32 || choice->pipe == PIPE_IMAD) &&
                      choice->count == 1 && op->source_count == 3;
    for (uint32_t k = 0; k < op->result_count; k++)
        op->width += result_width(pass, op->result[k]);
    op->base = NO_BASE;
    if (in->opcode == PTX_OP_ld && op->space == PTX_SHARED && in->guard == PTX_NONE &&
        op->result_count == 1 && ptx_type_bytes((enum ptx_type)in->types[0]) == 4 &&
        in->operands[1].index != PTX_NONE && aligned_bits(pass, in->operands[1].index, 8) >= 4) {
        op->base = pass->first_register + in->operands[1].index;
        op->offset = (int32_t)in->operands[1].value;
    }
    return true;
}

static bool add_block(struct pass *pass, uint32_t first, uint32_t end, bool loops)
{
    struct machine *machine = pass->machine;
    struct machine_block *block = &machine->blocks[machine->block_count];
    *block = (struct machine_block){
        .first = pass->first_pc + first, .end = pass->first_pc + end, .ops = machine->op_count};
    for (uint32_t i = first; i < end; i++)
        if (!add_op(pass, i))
            return false;
    for (uint32_t i = first; i < end; i++)
        machine->block_of[pass->first_pc + i] = machine->block_count;
    block->count = machine->op_count - block->ops;
    machine->block_count++;
    return !loops || machine_unroll(machine, block);
}

#define MOST_PREDICATED 8u /* machine instructions of a block that ptxas predicates */

/* Whether ptxas predicates the block after B instead of jumping over it: it is short and straight,
 * and both ways meet after it. */
static bool predicates_next(const struct pass *pass, const struct blocks *blocks, uint32_t b)
{
    const struct ptx_function *f = pass->function;
    const struct ptx_instruction *branch = &f->code[blocks->first[b + 1] - 1];
    uint32_t count = 0;
    if (b + 2 > blocks->count || branch->opcode != PTX_OP_bra || branch->guard == PTX_NONE ||
        (uint64_t)branch->operands[0].value != blocks->first[b + 2])
        return false;
    for (uint32_t i = blocks->first[b + 1]; i < blocks->first[b + 2]; i++) {
        enum op_kind kind = kind_of(&f->code[i]);
        if (kind == OP_BARRIER || kind == OP_BRANCH || kind == OP_FENCE || kind == OP_TEXTURE ||
            kind == OP_SHUFFLE || f->code[i].opcode == PTX_OP_exit)
            return false;
        count += pass->choices[i].is_free ? 0 : pass->choices[i].count;
    }
    return count <= MOST_PREDICATED;
}

static bool translate(struct pass *pass, const struct blocks *blocks)
{
    const struct ptx_function *f = pass->function;
    find_facts(pass);
    for (uint32_t i = 0; i < f->code_count; i++)
        pass->choices[i] = choose(pass, &f->code[i]);
    fuse(pass);
    for (uint32_t b = 0; b < blocks->count; b++) {
        const struct ptx_instruction *last = &f->code[blocks->first[b + 1] - 1];
        bool loops = last->opcode == PTX_OP_bra && last->guard != PTX_NONE &&
                     (uint64_t)last->operands[0].value == blocks->first[b];
        bool predicates = predicates_next(pass, blocks, b);
        if (predicates) /* the branch is gone */
            pass->choices[blocks->first[b + 1] - 1].count = 0;
        if (!add_block(pass, blocks->first[b], blocks->first[b + 1], loops))
            return false;
        pass->machine->blocks[pass->machine->block_count - 1].predicates = predicates;
    }
    return true;
}

static bool translate_function(const struct launch_view *launch, uint32_t number,
                               struct machine *machine)
{
    uint32_t first, end, index;
    struct blocks blocks;
    view_range(launch, number, &first, &end);
    struct pass pass = {.launch = launch,
                        .function = view_function(launch, first, &index),
                        .machine = machine,
                        .first_pc = first,
                        .first_register = machine->registers};
    machine->registers += pass.function->register_count;
    pass.facts = calloc(pass.function->register_count + 1u, sizeof *pass.facts);
    pass.choices = calloc(pass.function->code_count + 1u, sizeof *pass.choices);
    bool ok = blocks_find(pass.function, &blocks) && pass.facts && pass.choices &&
              translate(&pass, &blocks);
    blocks_free(&blocks);
    free(pass.facts);
    free(pass.choices);
    return ok;
}

/* With so many registers a thread, a multiprocessor holds as many threads as it can: ptxas does not
 * try to do with fewer. */
#define LEAST_ROOM 32u

struct machine *machine_make(const struct launch_view *launch)
{
    struct machine *machine = calloc(1, sizeof *machine);
    if (!machine)
        return NULL;
    machine->blocks = calloc(launch->code_count + 1u, sizeof *machine->blocks);
    machine->block_of = malloc((launch->code_count + 1u) * sizeof *machine->block_of);
    machine->room = launch->registers > LEAST_ROOM ? launch->registers : LEAST_ROOM;
    bool ok = machine->blocks && machine->block_of;
    for (uint32_t pc = 0; ok && pc <= launch->code_count; pc++)
        machine->block_of[pc] = NO_BLOCK;
    for (uint32_t i = 0; ok && i < launch->function_count; i++)
        ok = translate_function(launch, i, machine);
    ok = ok && schedule(machine);
    if (ok)
        return machine;
    machine_free(machine);
    return NULL;
}

void machine_free(struct machine *machine)
{
    if (!machine)
        return;
    free(machine->ops);
    free(machine->blocks);
    free(machine->block_of);
    free(machine);
}
