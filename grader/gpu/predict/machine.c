#include <stdlib.h>
#include <string.h>

#include "gpu/analyse/liveness.h"
#include "gpu/analyse/usage.h"
#include "gpu/predict/machine_parts.h"

/* --- operands --------------------------------------------------------------------------------- */

static void add_source(struct op *op, uint32_t reg)
{
    for (uint32_t i = 0; i < op->source_count; i++)
        if (op->source[i] == reg)
            return;
    if (op->source_count < OP_SOURCES)
        op->source[op->source_count++] = reg;
}

/* Adds REG to the sources of the op. If REG is the result of a free instruction, adds that
 * instruction's sources instead. */
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

void machine_read(struct pass *pass, uint32_t reg)
{
    visit_source(pass, reg);
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
    case PTX_OP_ldmatrix:
    case PTX_OP_stmatrix:
        return OP_MEMORY;
    case PTX_OP_mov:
        return in->operands[1].kind == PTX_SPECIAL_REGISTER &&
                       in->operands[1].index <= PTX_SPECIAL_tid_z
                   ? OP_INDEX
                   : OP_PLAIN;
    case PTX_OP_shfl:
        return OP_SHUFFLE;
    case PTX_OP_tex:
    case PTX_OP_tld4:
    case PTX_OP_suld:
    case PTX_OP_sust:
        return OP_TEXTURE;
    case PTX_OP_cp_async_commit_group:
        return OP_COMMIT;
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

struct op *machine_new_op(struct machine *machine)
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

/* Returns the number of 32-bit registers that a PTX register takes. */
static uint8_t result_width(const struct pass *pass, uint32_t reg)
{
    enum ptx_type type = pass->function->registers[reg - pass->first_register].type;
    return (uint8_t)((ptx_type_bytes(type) + 3) / 4);
}

/* Returns the register that holds the reciprocal pass->hoisted[K]. */
static uint32_t hoisted_register(const struct pass *pass, uint32_t k)
{
    return pass->first_register + pass->function->register_count + k;
}

/* If IN is a division in a loop whose reciprocal was moved out of the loop, makes it read the
 * reciprocal. */
static void read_hoisted(struct pass *pass, const struct ptx_instruction *in)
{
    for (uint32_t k = 0; k < pass->hoisted_count; k++)
        if ((in->opcode == PTX_OP_div || in->opcode == PTX_OP_rem) &&
            in->operands[2].kind == PTX_REGISTER &&
            in->operands[2].index == pass->hoisted[k].divisor && pass->hoisted[k].loop <= pass->at)
            add_source(pass->op, hoisted_register(pass, k));
}

/* Returns how many of the latest groups of cp.async may still be in flight after IN, which waits
 * for the others. */
static uint8_t groups_left(const struct ptx_instruction *in)
{
    if (in->opcode != PTX_OP_cp_async_wait_group || in->operands[0].kind != PTX_IMMEDIATE)
        return WAIT_ALL;
    uint64_t groups = (uint64_t)in->operands[0].value;
    return groups < WAIT_ALL ? (uint8_t)groups : WAIT_ALL - 1;
}

/* Returns whether IN is an instruction that the machine executes once for all lanes. */
static bool is_uniform(const struct pass *pass, const struct ptx_instruction *in,
                       const struct op *op)
{
    if (in->opcode == PTX_OP_ld && op->space == PTX_CONST)
        return is_uniform_address(pass, &in->operands[1]);
    if (in->opcode != PTX_OP_red && in->opcode != PTX_OP_atom)
        return false;
    return !op->is_float && in->type_count && ptx_type_bytes((enum ptx_type)in->types[0]) == 4 &&
           is_uniform_address(pass, &in->operands[in->opcode == PTX_OP_red ? 0 : 1]);
}

#define UNIFORM_WIDTH 2 /* a uniform load fills at most this many 32-bit registers */

/* Splits the last op, a uniform load of 128 bits, into two. */
static bool split(struct machine *machine)
{
    struct op *second = machine_new_op(machine), *first = second - 1;
    if (!second)
        return false;
    *second = *first;
    first->result_count /= 2;
    second->result_count = (uint8_t)(second->result_count - first->result_count);
    memmove(second->result, second->result + first->result_count,
            second->result_count * sizeof *second->result);
    first->width = second->width = UNIFORM_WIDTH;
    return true;
}

static bool add_op(struct pass *pass, uint32_t i)
{
    const struct ptx_instruction *in = &pass->function->code[i];
    const struct choice *choice = &pass->choices[i];
    if (choice->is_free && (!result_of(pass, in) || result_of(pass, in)->defs == 1) &&
        !(in->operands[0].kind == PTX_REGISTER && pass->facts[in->operands[0].index].defs > 1))
        return true;
    struct op *op = machine_new_op(pass->machine);
    if (!op)
        return false;
    op->pc = pass->first_pc + i;
    op->kind = (uint8_t)kind_of(in);
    if (in->opcode == PTX_OP_bra && !choice->count) /* a predicated block has no branch */
        op->kind = OP_PLAIN;
    op->pipe = choice->pipe;
    op->count = choice->is_free ? 0 : choice->count;
    op->depth = choice->is_free ? 0 : choice->depth;
    op->is_async = in->opcode == PTX_OP_cp_async;
    op->pending = groups_left(in);
    pass->op = op;
    pass->at = i;
    operands_read(in, visit_source, pass);
    read_hoisted(pass, in);
    operands_written(in, visit_result, pass);
    op->is_load = op->result_count > 0 && op->kind == OP_MEMORY;
    op->is_store = op->kind == OP_MEMORY && in->opcode != PTX_OP_ld && in->opcode != PTX_OP_ldu;
    op->is_read_only = ptx_has(in, PTX_MOD_nc);
    op->space = (uint8_t)ptx_space_of(in);
    op->is_step = in->opcode == PTX_OP_add && has_immediate(in) && choice->count == 2 &&
                  in->operands[0].index == in->operands[1].index;
    op->is_counter = in->opcode == PTX_OP_add && has_immediate(in) &&
                     in->operands[0].index == in->operands[1].index;
    op->has_slow_path = has_slow_path(in);
    op->is_float = in->type_count && ptx_type_class((enum ptx_type)in->types[0]) == 'F';
    op->is_uniform = is_uniform(pass, in, op);
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
    return !op->is_uniform || op->width <= UNIFORM_WIDTH || split(pass->machine);
}

/* If a loop begins at instruction END, adds the reciprocals that move out of this loop. They go to
 * the end of the block before the loop. */
static bool add_hoisted(struct pass *pass, uint32_t end)
{
    for (uint32_t k = 0; k < pass->hoisted_count; k++) {
        const struct hoisted *hoisted = &pass->hoisted[k];
        if (hoisted->loop != end)
            continue;
        struct op *op = machine_new_op(pass->machine);
        if (!op)
            return false;
        op->pc = pass->first_pc + end - 1;
        op->kind = OP_PLAIN;
        op->pipe = PIPE_ALU;
        op->count = hoisted->count;
        op->depth = hoisted->depth;
        op->base = NO_BASE;
        pass->op = op;
        pass->at = end;
        visit_source(pass, hoisted->divisor);
        op->result[op->result_count++] = hoisted_register(pass, k);
        op->width = 1;
    }
    return true;
}

static bool add_block(struct pass *pass, uint32_t first, uint32_t end, bool loops)
{
    struct machine *machine = pass->machine;
    struct machine_block *block = &machine->blocks[machine->block_count];
    *block = (struct machine_block){.first = pass->first_pc + first,
                                    .end = pass->first_pc + end,
                                    .ops = machine->op_count,
                                    .region = NO_BLOCK};
    bool branches = pass->function->code[end - 1].opcode == PTX_OP_bra;
    for (uint32_t i = first; i < end; i++)
        if ((i + 1 == end && branches && !add_hoisted(pass, end)) || !add_op(pass, i))
            return false;
    if (!branches && !add_hoisted(pass, end))
        return false;
    for (uint32_t i = first; i < end; i++)
        machine->block_of[pass->first_pc + i] = machine->block_count;
    block->count = machine->op_count - block->ops;
    machine->block_count++;
    for (uint32_t i = 0; loops && i < block->count; i++) {
        struct op *op = &machine->ops[block->ops + i];
        op->is_retried = ptx_has(&pass->function->code[op->pc - pass->first_pc], PTX_MOD_cas) &&
                         op->space != PTX_SHARED;
    }
    return !loops || machine_unroll(machine, block);
}

#define MOST_PREDICATED 8u /* ptxas predicates a block of at most this many machine instructions */

/* Returns whether ptxas predicates the block after B instead of jumping over it. It does so if the
 * block is short, has no jumps, and ends where the other path continues. */
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
    find_varying(pass);
    for (uint32_t i = 0; i < f->code_count; i++)
        pass->choices[i] = choose(pass, &f->code[i]);
    fuse(pass);
    hoist(pass);
    for (uint32_t b = 0; b < blocks->count; b++) {
        const struct ptx_instruction *last = &f->code[blocks->first[b + 1] - 1];
        bool loops = last->opcode == PTX_OP_bra && last->guard != PTX_NONE &&
                     (uint64_t)last->operands[0].value == blocks->first[b];
        bool predicates = predicates_next(pass, blocks, b);
        if (predicates) /* a predicated block has no branch */
            pass->choices[blocks->first[b + 1] - 1].count =
                pass->choices[blocks->first[b + 1] - 1].depth = 0;
        if (!add_block(pass, blocks->first[b], blocks->first[b + 1], loops))
            return false;
        pass->machine->blocks[pass->machine->block_count - 1].predicates = predicates;
        pass->machine->blocks[pass->machine->block_count - 1].loops = loops;
    }
    return add_regions(pass, blocks, pass->machine->block_count - blocks->count);
}

/* --- blocks that may spill -------------------------------------------------------------------- */

/* 32-bit registers of a thread that hold no values of the kernel: the stack pointer, and a 64-bit
 * address. */
#define RESERVED 3u

/* Collects in block->after the values that are needed after `block`. */
struct after {
    struct pass *pass;
    struct machine_block *block;
    uint32_t room;
    bool failed;
};

/* Adds REG to the list. If REG is the result of a free instruction, adds that instruction's sources
 * instead. */
static void visit_after(void *context, uint32_t reg)
{
    struct after *after = context;
    const struct pass *pass = after->pass;
    const struct fact *fact = &pass->facts[reg];
    if (fact->defs == 1 && pass->choices[fact->def].is_free) {
        operands_read(&pass->function->code[fact->def], visit_after, after);
        return;
    }
    if (after->block->after_count == after->room) {
        uint32_t room = 2 * after->room + 16;
        uint32_t *list = realloc(after->block->after, room * sizeof *list);
        after->failed |= !list;
        if (!list)
            return;
        after->block->after = list;
        after->room = room;
    }
    after->block->after[after->block->after_count++] = pass->first_register + reg;
}

/* If the function may need more registers than a thread can have, finds the values that are needed
 * after each of its blocks. The function's blocks begin at machine->blocks[FIRST]. */
static bool note_after(struct pass *pass, uint32_t first)
{
    struct usage usage;
    struct liveness liveness;
    struct machine *machine = pass->machine;
    if (pass->launch->registers + RESERVED < machine->limit ||
        !analyse_usage(pass->function, &usage) ||
        (usage.live < machine->limit && usage.hoisted < machine->limit))
        return true;
    struct after after = {.pass = pass};
    bool known = liveness_find(pass->function, &liveness);
    for (uint32_t b = 0; known && b < liveness.blocks.count; b++) {
        after.block = &machine->blocks[first + b];
        after.block->may_spill = true;
        after.room = 0;
        liveness_after(&liveness, b, visit_after, &after);
    }
    liveness_free(&liveness);
    return !after.failed;
}

/* Allocates the widths of all registers. New registers have width 0. */
static bool grow_widths(struct machine *machine)
{
    uint8_t *widths = realloc(machine->widths, machine->registers + 1u);
    if (!widths)
        return false;
    memset(widths + machine->width_count, 0, machine->registers + 1u - machine->width_count);
    machine->widths = widths;
    machine->width_count = machine->registers + 1u;
    return true;
}

static bool note_widths(const struct pass *pass)
{
    if (!grow_widths(pass->machine))
        return false;
    for (uint32_t i = 0; i < pass->function->register_count; i++) {
        enum ptx_type type = pass->function->registers[i].type;
        pass->machine->widths[pass->first_register + i] =
            type == PTX_pred ? 0 : (uint8_t)((ptx_type_bytes(type) + 3) / 4);
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
    machine->registers += pass.function->register_count + HOISTED;
    pass.facts = calloc(pass.function->register_count + 1u, sizeof *pass.facts);
    pass.choices = calloc(pass.function->code_count + 1u, sizeof *pass.choices);
    uint32_t first_block = machine->block_count;
    bool ok = blocks_find(pass.function, &blocks) && note_widths(&pass) && pass.facts &&
              pass.choices && translate(&pass, &blocks) && note_after(&pass, first_block);
    blocks_free(&blocks);
    free(pass.facts);
    free(pass.choices);
    return ok;
}

/* ptxas does not try to use fewer registers per thread than this, because with this many a
 * multiprocessor can hold its maximum number of threads */
#define LEAST_ROOM 32u

struct machine *machine_make(const struct launch_view *launch)
{
    struct machine *machine = calloc(1, sizeof *machine);
    if (!machine)
        return NULL;
    machine->blocks = calloc(2u * launch->code_count + 1, sizeof *machine->blocks);
    machine->block_of = malloc((launch->code_count + 1u) * sizeof *machine->block_of);
    machine->room = launch->registers > LEAST_ROOM ? launch->registers : LEAST_ROOM;
    uint32_t limit = usage_limit(launch->function);
    machine->limit = limit > RESERVED ? limit - RESERVED : limit;
    bool ok = machine->blocks && machine->block_of;
    for (uint32_t pc = 0; ok && pc <= launch->code_count; pc++)
        machine->block_of[pc] = NO_BLOCK;
    for (uint32_t i = 0; ok && i < launch->function_count; i++)
        ok = translate_function(launch, i, machine);
    ok = ok && grow_widths(machine) && schedule(machine) && spill(machine);
    if (ok)
        return machine;
    machine_free(machine);
    return NULL;
}

void machine_free(struct machine *machine)
{
    if (!machine)
        return;
    for (uint32_t b = 0; machine->blocks && b < machine->block_count; b++)
        free(machine->blocks[b].after);
    free(machine->ops);
    free(machine->widths);
    free(machine->blocks);
    free(machine->block_of);
    free(machine);
}
