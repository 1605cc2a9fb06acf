/* Joins those blocks that ptxas makes into one.
 *
 * ptxas predicates a short block instead of jumping over it. Then three blocks become one piece of
 * code without jumps, called a region: the block before it, the block itself, and the block after
 * it, where both paths continue. Only regions that are a whole loop matter here: ptxas unrolls
 * these loops, so that the waits for loads overlap. */
#include <stdlib.h>

#include "gpu/predict/machine_parts.h"

/* Returns the number of predecessors of each block. */
static uint32_t *count_before(const struct blocks *blocks)
{
    uint32_t *before = calloc(blocks->count + 1u, sizeof *before);
    for (uint32_t b = 0; before && b < blocks->count; b++)
        for (unsigned k = 0; k < 2; k++)
            if (blocks->next[b][k] <= blocks->count)
                before[blocks->next[b][k]]++;
    return before;
}

/* Returns the last block of the region that begins at block B of the function. OWN points to the
 * first of the function's blocks in machine->blocks. */
static uint32_t find_end(const struct machine_block *own, const struct blocks *blocks,
                         const uint32_t *before, uint32_t b)
{
    uint32_t end = b;
    while (end + 2 < blocks->count && own[end].predicates && before[end + 1] == 1 &&
           before[end + 2] == 2)
        end += 2;
    return end;
}

/* Adds the ops of BLOCK to the region. If GUARD is not NULL, it is the branch over the block, and
 * its predicate guards the ops. */
static bool add_ops(struct pass *pass, const struct machine_block *block,
                    const struct ptx_instruction *guard)
{
    struct machine *machine = pass->machine;
    for (uint32_t i = 0; i < block->count; i++) {
        struct op *op = machine_new_op(machine);
        if (!op)
            return false;
        *op = machine->ops[block->ops + i];
        op->is_guarded = guard != NULL;
        pass->op = op;
        pass->at = op->pc - pass->first_pc;
        if (guard)
            machine_read(pass, guard->guard);
    }
    return true;
}

/* Adds the region from machine block FIRST to machine block END, if it is a loop that ptxas
 * unrolls. */
static bool add_region(struct pass *pass, uint32_t first, uint32_t end)
{
    struct machine *machine = pass->machine;
    const struct machine_block *last = &machine->blocks[end];
    struct machine_block *region = &machine->blocks[machine->block_count];
    *region = (struct machine_block){.first = machine->blocks[first].first,
                                     .end = last->end,
                                     .ops = machine->op_count,
                                     .region = NO_BLOCK};
    const struct ptx_instruction *in = &pass->function->code[last->end - 1 - pass->first_pc];
    if (in->opcode != PTX_OP_bra || in->guard == PTX_NONE ||
        (uint64_t)in->operands[0].value != region->first - pass->first_pc)
        return true;
    for (uint32_t b = first; b <= end; b++) {
        const struct ptx_instruction *branch =
            &pass->function->code[machine->blocks[b].first - pass->first_pc] - 1;
        if (!add_ops(pass, &machine->blocks[b], (b - first) % 2 ? branch : NULL))
            return false;
    }
    region->count = machine->op_count - region->ops;
    if (!machine_unroll(machine, region))
        return false;
    if (region->unrolled_count)
        machine->blocks[first].region = machine->block_count++;
    else
        machine->op_count = region->ops;
    return true;
}

bool add_regions(struct pass *pass, const struct blocks *blocks, uint32_t first)
{
    uint32_t *before = count_before(blocks);
    bool ok = before != NULL;
    for (uint32_t b = 0; ok && b < blocks->count; b++) {
        uint32_t end = find_end(pass->machine->blocks + first, blocks, before, b);
        if (end > b)
            ok = add_region(pass, first + b, first + end);
        b = end;
    }
    free(before);
    return ok;
}
