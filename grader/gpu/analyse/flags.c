/* Finds all registers that are computed from a loaded value, in order to see how the value is used.
 * The analysis ignores the order of instructions, because nvcc gives nearly every value its own
 * register. */
#include "gpu/analyse/flags.h"

#include <stdlib.h>

struct trace {
    const struct ptx_function *function;
    bool *follows; /* whether each register is computed from the loaded value */
    /* `grew`: the current pass has found another register that is computed from the value.
     * `is_data`: a memory access or a call uses the value. `is_guess`: an atomicCAS() compares the
     * value with the value in memory. */
    bool grew, is_data, is_guess;
};

static bool is_written(const struct ptx_instruction *in, uint32_t k)
{
    const char *letter = ptx_opcodes[in->opcode].operands;
    for (uint32_t i = 0; *letter; letter++) {
        if (*letter == '?')
            continue;
        if (i++ == k)
            return *letter == 'd' || *letter == 'x' || *letter == 'y' || (*letter == 'v' && k == 0);
    }
    return false;
}

static bool names_register(const struct ptx_operand *op)
{
    return op->kind == PTX_REGISTER || op->kind == PTX_PREDICATE ||
           (op->kind == PTX_ADDRESS && op->index != PTX_NONE);
}

static bool reads_any(const struct ptx_operand *op, const bool *set)
{
    bool any = names_register(op) && set[op->index];
    for (uint32_t i = 0; i < op->count; i++)
        any |= reads_any(&op->elements[i], set);
    return any;
}

static void mark(struct trace *trace, const struct ptx_operand *op)
{
    if (names_register(op) && !trace->follows[op->index])
        trace->grew = trace->follows[op->index] = true;
    for (uint32_t i = 0; i < op->count; i++)
        mark(trace, &op->elements[i]);
}

static void mark_results(struct trace *trace, const struct ptx_instruction *in)
{
    for (uint32_t k = 0; k < in->operand_count; k++)
        if (is_written(in, k))
            mark(trace, &in->operands[k]);
}

static void follow(struct trace *trace, const struct ptx_instruction *in)
{
    bool reads = false;
    for (uint32_t k = 0; k < in->operand_count; k++)
        reads |= !is_written(in, k) && reads_any(&in->operands[k], trace->follows);
    if (!reads)
        return;
    if (ptx_has(in, PTX_MOD_cas) && reads_any(&in->operands[2], trace->follows))
        trace->is_guess = true;
    switch (in->opcode) {
    case PTX_OP_ld:
    case PTX_OP_st:
    case PTX_OP_atom:
    case PTX_OP_red:
    case PTX_OP_call:
    case PTX_OP_sust:
        trace->is_data = true;
        break;
    default:
        mark_results(trace, in);
    }
}

/* Returns whether an instruction from FIRST to LAST changes the address of the load at PC, which is
 * in a register. */
static bool address_moves(const struct ptx_function *f, uint32_t pc, uint32_t first, uint32_t last)
{
    const struct ptx_operand *address = &f->code[pc].operands[1];
    for (uint32_t i = first; i <= last && address->index != PTX_NONE; i++)
        for (uint32_t k = 0; k < f->code[i].operand_count; k++)
            if (is_written(&f->code[i], k) && f->code[i].operands[k].kind == PTX_REGISTER &&
                f->code[i].operands[k].index == address->index)
                return true;
    return false;
}

/* Returns whether the instruction at END is a backward branch, which closes a loop. If so, sets
 * *START to the loop's first instruction. */
static bool ends_loop(const struct ptx_function *f, uint32_t end, uint32_t *start)
{
    const struct ptx_instruction *back = &f->code[end];
    if (back->opcode != PTX_OP_bra || back->operands[0].kind != PTX_LABEL ||
        (uint64_t)back->operands[0].value > end)
        return false;
    *start = (uint32_t)back->operands[0].value;
    return true;
}

/* Finds the loops that poll memory with the load at PC. Such a loop ends with a backward branch. It
 * contains both the load and a branch that depends on the loaded value. */
static unsigned find_loops(const struct trace *trace, uint32_t pc)
{
    const struct ptx_function *f = trace->function;
    unsigned use = 0;
    for (uint32_t end = pc; end < f->code_count; end++) {
        uint32_t start;
        if (!ends_loop(f, end, &start) || start > pc)
            continue;
        bool decides = false;
        for (uint32_t i = start; i <= end; i++)
            decides |= f->code[i].opcode == PTX_OP_bra && f->code[i].guard != PTX_NONE &&
                       trace->follows[f->code[i].guard];
        if (decides)
            use |= address_moves(f, pc, start, end) ? FLAG_POLLED : FLAG_POLLED | FLAG_POLLED_THERE;
    }
    return use;
}

static bool writes_memory(const struct ptx_function *f, uint32_t first, uint32_t last)
{
    for (uint32_t i = first; i <= last; i++) {
        uint16_t op = f->code[i].opcode;
        if (op == PTX_OP_st || op == PTX_OP_atom || op == PTX_OP_red || op == PTX_OP_call ||
            op == PTX_OP_sust)
            return true;
    }
    return false;
}

static bool reads_shared_data(const struct ptx_instruction *in)
{
    enum ptx_space space = ptx_space_of(in);
    return in->opcode == PTX_OP_ld && !ptx_has(in, PTX_MOD_nc) &&
           (space == PTX_GLOBAL || space == PTX_SHARED || space == PTX_CLUSTER ||
            space == PTX_GENERIC);
}

/* Checks ordinary loads, too, although few of them poll. The compiler moves an ordinary load that
 * always reads the same address out of its loop, unless a fence, a vote or a similar instruction
 * prevents this. */
void analyse_polls(const struct ptx_function *f, bool *polls)
{
    for (uint32_t i = 0; i < f->code_count; i++)
        polls[i] = false;
    for (uint32_t end = 0; end < f->code_count; end++) {
        uint32_t start;
        if (!ends_loop(f, end, &start) || writes_memory(f, start, end))
            continue;
        for (uint32_t pc = start; pc < end; pc++)
            if (reads_shared_data(&f->code[pc]) && !address_moves(f, pc, start, end))
                polls[pc] |= analyse_flag(f, pc) & FLAG_POLLED_THERE;
    }
}

unsigned analyse_flag(const struct ptx_function *function, uint32_t pc)
{
    struct trace trace = {.function = function};
    trace.follows = calloc((size_t)function->register_count + 1, sizeof *trace.follows);
    if (!trace.follows)
        return 0;
    mark_results(&trace, &function->code[pc]);
    while (trace.grew) {
        trace.grew = false;
        for (uint32_t i = 0; i < function->code_count; i++)
            follow(&trace, &function->code[i]);
    }
    unsigned use = find_loops(&trace, pc) | (trace.is_data ? 0 : FLAG_COMPARED) |
                   (trace.is_guess ? FLAG_GUESSED : 0);
    free(trace.follows);
    return use;
}
