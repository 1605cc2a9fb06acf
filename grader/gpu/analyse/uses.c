/* Searches the control-flow graph, breadth first from the load, for uses of each register that
 * holds the loaded value. On each path, the search ends at the first use, or at an instruction that
 * writes another value to the register. */
#include "gpu/analyse/uses.h"

#include <stdlib.h>

#include "gpu/analyse/operands.h"

/* largest number of registers that hold the value; later copies are ignored */
#define MOST_VALUES 64u

struct step {
    /* index of an instruction, and the number of instructions from the load to it */
    uint32_t at, distance;
};

/* A register that holds the loaded value after the instruction at `from`. */
struct value {
    uint32_t reg;
    struct step from;
};

struct search {
    const struct ptx_function *function;
    struct value values[MOST_VALUES];
    uint32_t value_count;
    struct step *queue;
    uint32_t queued;
    /* for each instruction, the number (from 1) of the latest value that has reached it */
    uint32_t *seen;
    struct step now;
    bool found;
    uint32_t wanted; /* the register that is_named() looks for */
};

static void is_named(void *context, uint32_t reg)
{
    struct search *search = context;
    search->found |= reg == search->wanted;
}

static void add_value(void *context, uint32_t reg)
{
    struct search *search = context;
    for (uint32_t i = 0; i < search->value_count; i++)
        if (search->values[i].reg == reg && search->values[i].from.at == search->now.at)
            return;
    if (search->value_count < MOST_VALUES)
        search->values[search->value_count++] = (struct value){reg, search->now};
}

/* Adds the instruction at AT to the queue, unless the value NUMBER (from 1) has already reached
 * it. */
static void visit_next(struct search *search, uint32_t number, uint64_t at)
{
    if (at >= search->function->code_count || search->seen[at] == number)
        return;
    search->seen[at] = number;
    search->queue[search->queued++] = (struct step){(uint32_t)at, search->now.distance + 1};
}

/* Adds to the queue the instructions that can follow the current instruction. */
static void queue_successors(struct search *search, uint32_t number)
{
    const struct ptx_instruction *in = &search->function->code[search->now.at];
    bool branches = in->opcode == PTX_OP_bra;
    bool leaves = branches || in->opcode == PTX_OP_ret || in->opcode == PTX_OP_exit ||
                  in->opcode == PTX_OP_trap;
    if (branches)
        visit_next(search, number, (uint64_t)in->operands[0].value);
    if (!leaves || in->guard != PTX_NONE)
        visit_next(search, number, (uint64_t)search->now.at + 1);
}

static bool names(struct search *search, uint32_t reg,
                  void (*list)(const struct ptx_instruction *in, operands_visit *, void *))
{
    search->found = false;
    search->wanted = reg;
    list(&search->function->code[search->now.at], is_named, search);
    return search->found;
}

/* Follows the value NUMBER (from 1): calls VISIT for its first uses, and adds its copies to the
 * list of values. */
static void follow(struct search *search, uint32_t number, uint32_t most, uses_visit *visit,
                   void *context)
{
    struct value value = search->values[number - 1];
    search->queued = 0;
    search->now = value.from;
    queue_successors(search, number);
    for (uint32_t i = 0; i < search->queued; i++) {
        search->now = search->queue[i];
        const struct ptx_instruction *in = &search->function->code[search->now.at];
        bool reads = names(search, value.reg, operands_read);
        if (reads && in->opcode == PTX_OP_mov)
            operands_written(in, add_value, search);
        else if (reads)
            visit(context, search->now.at);
        bool ends = reads ? in->opcode != PTX_OP_mov
                          : in->guard == PTX_NONE && names(search, value.reg, operands_written);
        if (!ends && search->now.distance <= most)
            queue_successors(search, number);
    }
}

bool analyse_first_uses(const struct ptx_function *function, uint32_t from, uint32_t most,
                        uses_visit *visit, void *context)
{
    size_t count = (size_t)function->code_count + 1;
    struct search search = {.function = function, .now = {from, 0}};
    search.queue = malloc(count * sizeof *search.queue);
    search.seen = calloc(count, sizeof *search.seen);
    bool done = search.queue && search.seen;
    if (done)
        operands_written(&function->code[from], add_value, &search);
    for (uint32_t i = 0; done && i < search.value_count; i++)
        follow(&search, i + 1, most, visit, context);
    free(search.queue);
    free(search.seen);
    return done;
}

/* The uses of the state that an arrival returns. */
struct state_uses {
    const struct ptx_function *function;
    bool is_count; /* a use is not a wait */
};

static void visit_state(void *context, uint32_t at)
{
    struct state_uses *uses = context;
    const struct ptx_instruction *in = &uses->function->code[at];
    uses->is_count |=
        in->opcode != PTX_OP_mbarrier_test_wait && in->opcode != PTX_OP_mbarrier_try_wait;
}

bool analyse_counts_arrivals(const struct ptx_function *function, uint32_t at)
{
    const struct ptx_instruction *in = &function->code[at];
    struct state_uses uses = {.function = function};
    bool arrives =
        in->opcode == PTX_OP_mbarrier_arrive || in->opcode == PTX_OP_mbarrier_arrive_drop;
    return arrives && analyse_first_uses(function, at, UINT32_MAX, visit_state, &uses) &&
           uses.is_count;
}
