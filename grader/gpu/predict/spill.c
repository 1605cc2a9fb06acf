/* Models how ptxas spills values to local memory where a block needs more registers than a thread
 * may have. Only ptxas knows which values it spills. These rules come close:
 *
 * - A value is loaded right before the instruction that uses it. If there is no free register, the
 *   value whose next use is the farthest gives up its register. It is stored first, unless memory
 *   already has it.
 * - At a loop's end, each value is where it was at the loop's beginning, in a register or in
 *   memory. */
#include <stdlib.h>
#include <string.h>

#include "gpu/predict/machine.h"

#define DEAD UINT32_MAX /* the value is not used any more */
/* the value's next use is in a later block, or a copy in this block */
#define LATER    (UINT32_MAX - 1)
#define IN_NO_OP UINT32_MAX

struct value {
    uint32_t next;  /* index of the op that uses it next, or LATER, or DEAD */
    uint32_t first; /* the same for its first use in the block */
    /* index of the op that is being placed, if that op needs the value's register */
    uint32_t used_in;
    bool has_register, in_memory;
    bool at_begin; /* it is in a register at the beginning of the block */
};

struct spilling {
    const struct machine *machine;
    struct op *ops; /* the block's new ops */
    uint32_t count, room;
    struct value *values;       /* for each register of the machine */
    uint32_t *held, held_count; /* the values that are in registers */
    uint32_t used, limit;       /* numbers of 32-bit registers in use, and available */
    uint32_t spills;
    bool failed;
};

static bool is_copy(const struct op *op)
{
    return op->kind == OP_PLAIN && !op->count && op->result_count == 1 && op->source_count == 1;
}

/* --- uses ------------------------------------------------------------------------------------- */

/* Sets in AFTER, for each source and result of each op, the next use of this value. Sets `first` of
 * each value. */
static void find_uses(struct spilling *s, const struct op *ops, uint32_t count,
                      uint32_t (*after)[OP_SOURCES + OP_RESULTS])
{
    for (uint32_t i = count; i-- > 0;) {
        const struct op *op = &ops[i];
        for (uint32_t k = 0; k < op->result_count; k++) {
            struct value *value = &s->values[op->result[k]];
            after[i][OP_SOURCES + k] = value->first;
            value->first = DEAD;
        }
        for (uint32_t k = 0; k < op->source_count; k++) {
            struct value *value = &s->values[op->source[k]];
            after[i][k] = value->first;
            if (!is_copy(op))
                value->first = i;
            else if (value->first == DEAD)
                value->first = LATER;
        }
    }
}

/* --- registers -------------------------------------------------------------------------------- */

static void emit(struct spilling *s, const struct op *op)
{
    if (s->count == s->room) {
        uint32_t room = 2 * s->room + 64;
        struct op *ops = realloc(s->ops, room * sizeof *ops);
        s->failed |= !ops;
        if (!ops)
            return;
        s->ops = ops;
        s->room = room;
    }
    s->ops[s->count++] = *op;
}

static void emit_spill(struct spilling *s, uint32_t reg, bool is_store, uint32_t pc)
{
    struct op op = {.pc = pc,
                    .kind = OP_SPILL,
                    .pipe = PIPE_MEMORY,
                    .count = s->machine->widths[reg] > 2 ? 2 : 1,
                    .depth = 1,
                    .is_store = is_store,
                    .is_load = !is_store,
                    .space = PTX_LOCAL,
                    .base = NO_BASE,
                    .offset = (int32_t)reg};
    if (is_store)
        op.source[op.source_count++] = reg;
    else
        op.result[op.result_count++] = reg;
    s->spills++;
    emit(s, &op);
}

static void give_up(struct spilling *s, uint32_t reg)
{
    uint32_t i = 0;
    while (i < s->held_count && s->held[i] != reg)
        i++;
    if (i == s->held_count)
        return;
    s->held[i] = s->held[--s->held_count];
    s->used -= s->machine->widths[reg];
    s->values[reg].has_register = false;
}

/* Frees registers until WIDTH of them are available for the op NOW. */
static void make_room(struct spilling *s, uint32_t width, uint32_t now, uint32_t pc)
{
    while (s->used + width > s->limit && s->held_count) {
        uint32_t best = IN_NO_OP;
        for (uint32_t i = 0; i < s->held_count; i++) {
            const struct value *value = &s->values[s->held[i]];
            const struct value *other = best == IN_NO_OP ? NULL : &s->values[best];
            if (value->used_in != now &&
                (!other || value->next > other->next ||
                 (value->next == other->next && value->in_memory && !other->in_memory)))
                best = s->held[i];
        }
        if (best == IN_NO_OP)
            return; /* the op alone needs too many registers */
        if (!s->values[best].in_memory && s->values[best].next != DEAD)
            emit_spill(s, best, true, pc);
        s->values[best].in_memory = true;
        give_up(s, best);
    }
}

static void hold(struct spilling *s, uint32_t reg, uint32_t now, uint32_t pc)
{
    uint32_t width = s->machine->widths[reg];
    if (s->values[reg].has_register || !width)
        return;
    make_room(s, width, now, pc);
    s->held[s->held_count++] = reg;
    s->used += width;
    s->values[reg].has_register = true;
}

/* --- a block ---------------------------------------------------------------------------------- */

/* Gives registers to the values that exist when the block begins, in the order of their first use.
 * If there is no register for a value, it is in memory. */
static void begin(struct spilling *s, const struct op *ops, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < ops[i].source_count && !is_copy(&ops[i]); k++) {
            uint32_t reg = ops[i].source[k];
            struct value *value = &s->values[reg];
            if (value->first != i || value->has_register)
                continue;
            value->in_memory = s->used + s->machine->widths[reg] > s->limit;
            value->at_begin = !value->in_memory;
            if (!value->in_memory)
                hold(s, reg, IN_NO_OP, ops[i].pc);
        }
}

/* Moves the register or memory of a copy's source to its result. */
static void rename_value(struct spilling *s, const struct op *op, const uint32_t *after,
                         uint32_t now)
{
    uint32_t to = op->result[0], from = op->source[0];
    struct value *source = &s->values[from], *result = &s->values[to];
    bool held = source->has_register, in_memory = source->in_memory;
    source->next = after[0];
    if (source->next == DEAD)
        give_up(s, from);
    result->next = after[OP_SOURCES];
    give_up(s, to);
    result->in_memory = in_memory;
    if (held && result->next != DEAD)
        hold(s, to, now, op->pc);
}

static void place(struct spilling *s, const struct op *op, const uint32_t *after, uint32_t now)
{
    for (uint32_t k = 0; k < op->source_count; k++)
        s->values[op->source[k]].used_in = now;
    for (uint32_t k = 0; k < op->source_count; k++) {
        uint32_t reg = op->source[k];
        if (s->values[reg].has_register || !s->machine->widths[reg])
            continue;
        hold(s, reg, now, op->pc);
        emit_spill(s, reg, false, op->pc);
        s->values[reg].in_memory = true;
    }
    for (uint32_t k = 0; k < op->source_count; k++) {
        uint32_t reg = op->source[k];
        s->values[reg].next = after[k];
        if (after[k] == DEAD)
            give_up(s, reg);
    }
    for (uint32_t k = 0; k < op->result_count; k++) {
        struct value *value = &s->values[op->result[k]];
        value->next = after[OP_SOURCES + k];
        value->used_in = now;
        value->in_memory = false;
        if (value->next != DEAD)
            hold(s, op->result[k], now, op->pc);
    }
    emit(s, op);
}

/* At the end of a loop, restores all values to where they were at its beginning. */
static void close_loop(struct spilling *s, uint32_t pc)
{
    for (uint32_t i = 0; i < s->held_count; i++) {
        struct value *value = &s->values[s->held[i]];
        if (!value->at_begin && !value->in_memory && value->next == LATER)
            emit_spill(s, s->held[i], true, pc);
    }
    for (uint32_t reg = 0; reg < s->machine->registers; reg++)
        if (s->values[reg].at_begin && !s->values[reg].has_register && s->values[reg].next == LATER)
            emit_spill(s, reg, false, pc);
}

static void spill_ops(struct spilling *s, const struct op *ops, uint32_t count, bool loops,
                      uint32_t (*after)[OP_SOURCES + OP_RESULTS])
{
    s->count = s->held_count = s->used = s->spills = 0;
    find_uses(s, ops, count, after);
    for (uint32_t reg = 0; reg < s->machine->registers; reg++) {
        struct value *value = &s->values[reg];
        *value = (struct value){.first = value->first, .next = value->first, .used_in = IN_NO_OP};
    }
    begin(s, ops, count);
    for (uint32_t i = 0; i < count && !s->failed; i++) {
        if (loops && i + 1 == count)
            close_loop(s, ops[i].pc);
        if (is_copy(&ops[i])) {
            rename_value(s, &ops[i], after[i], i);
            emit(s, &ops[i]);
        } else {
            place(s, &ops[i], after[i], i);
        }
    }
}

/* Replaces the block's ops by those in S. */
static bool replace(struct machine *machine, struct machine_block *block, const struct spilling *s)
{
    if (!machine_reserve(machine, s->count))
        return false;
    block->ops = machine->op_count;
    block->count = s->count;
    block->unrolled_count = 0;
    memcpy(machine->ops + block->ops, s->ops, s->count * sizeof *s->ops);
    machine->op_count += s->count;
    return true;
}

bool spill(struct machine *machine)
{
    struct spilling s = {.machine = machine, .limit = machine->limit};
    size_t registers = machine->registers + 1u;
    s.values = calloc(registers, sizeof *s.values);
    s.held = malloc(registers * sizeof *s.held);
    bool ok = s.values && s.held;
    for (uint32_t b = 0; ok && b < machine->block_count; b++) {
        struct machine_block *block = &machine->blocks[b];
        if (!block->may_spill)
            continue;
        uint32_t(*after)[OP_SOURCES + OP_RESULTS] = malloc((block->count + 1u) * sizeof *after);
        ok = after != NULL;
        for (uint32_t reg = 0; reg < machine->registers; reg++)
            s.values[reg].first = DEAD;
        for (uint32_t k = 0; k < block->after_count; k++)
            s.values[block->after[k]].first = LATER;
        if (ok)
            spill_ops(&s, machine->ops + block->ops, block->count, block->loops, after);
        ok = ok && !s.failed && (!s.spills || replace(machine, block, &s));
        free(after);
    }
    free(s.values);
    free(s.held);
    free(s.ops);
    return ok;
}
