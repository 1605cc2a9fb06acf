/* Finds the order in which ptxas issues the instructions of a block.
 *
 * This is a list scheduler. Among the instructions whose operands are ready, it issues the one with
 * the longest chain of dependent instructions. So loads move to the top of a block, and the waits
 * for several loads overlap. A load does not move above a store that may write the bytes that it
 * reads. No instruction moves across a barrier, a fence, a branch, or a quotient that may call a
 * subroutine. */
#include <stdlib.h>
#include <string.h>

#include "gpu/predict/machine.h"

/* The latencies that ptxas assumes, in cycles. ptxas does not model caches. */
enum { ASSUMED_ALU = 4, ASSUMED_SFU = 18, ASSUMED_SHARED = 30, ASSUMED_GLOBAL = 200 };

#define MOST_SCHEDULED 4096u /* blocks with more ops keep their order */
#define MOST_UNROLLED  48u   /* loops with more ops are not unrolled */

struct edge {
    uint32_t to, next, wait;
};

struct node {
    uint32_t edges;   /* first edge to an op that must be issued later, or NO_EDGE */
    uint32_t pending; /* number of ops that must be issued before it and are not issued yet */
    uint32_t ready;   /* the cycle when its operands are ready */
    /* length in cycles of the longest chain of dependent ops that begins with this op */
    uint32_t chain;
    uint32_t readers; /* number of ops that still have to read its results */
};
#define NO_EDGE UINT32_MAX

struct schedule {
    struct edge *edges;
    uint32_t edge_count, edge_room;
    struct node *nodes;
    /* for each register, the last op that wrote it, and the last op that read it */
    uint32_t *writer, *reader;
    /* for each source of each op, the previous op that reads the same register, or NO_EDGE */
    uint32_t (*before)[OP_SOURCES];
    /* for each source of each op, the op in this block that computes it, or NO_EDGE */
    uint32_t (*made)[OP_SOURCES];
    uint32_t live, room; /* 32-bit registers in use, and available */
    bool failed;
};

static bool is_fence(const struct op *op)
{
    return op->kind == OP_BARRIER || op->kind == OP_FENCE || op->kind == OP_BRANCH ||
           op->kind == OP_COMMIT || op->kind == OP_WAIT_COPIES || op->has_slow_path;
}

static uint32_t assumed_wait(const struct op *op)
{
    if (op->kind == OP_MEMORY && op->space != PTX_SHARED && op->space != PTX_CONST)
        return ASSUMED_GLOBAL;
    if (op->kind == OP_MEMORY || op->kind == OP_SHUFFLE)
        return ASSUMED_SHARED;
    if (op->kind == OP_TEXTURE)
        return ASSUMED_GLOBAL;
    return op->depth * (op->pipe == PIPE_SFU ? ASSUMED_SFU : ASSUMED_ALU);
}

/* --- dependences ------------------------------------------------------------------------------ */

static void add_edge(struct schedule *s, uint32_t from, uint32_t to, uint32_t wait)
{
    if (from == NO_EDGE || from == to)
        return;
    if (s->edge_count == s->edge_room) {
        uint32_t room = s->edge_room ? 2 * s->edge_room : 1024;
        struct edge *edges = realloc(s->edges, room * sizeof *edges);
        s->failed |= !edges;
        if (!edges)
            return;
        s->edges = edges;
        s->edge_room = room;
    }
    s->edges[s->edge_count] = (struct edge){to, s->nodes[from].edges, wait};
    s->nodes[from].edges = s->edge_count++;
    s->nodes[to].pending++;
}

static void forget_registers(struct schedule *s, const struct op *ops, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t k = 0; k < ops[i].source_count; k++)
            s->writer[ops[i].source[k]] = s->reader[ops[i].source[k]] = NO_EDGE;
        for (uint32_t k = 0; k < ops[i].result_count; k++)
            s->writer[ops[i].result[k]] = s->reader[ops[i].result[k]] = NO_EDGE;
    }
}

/* Adds edges so that op I, which overwrites REG, is issued after all ops that read the old
 * value. */
static void link_readers(struct schedule *s, const struct op *ops, uint32_t i, uint32_t reg)
{
    for (uint32_t reader = s->reader[reg]; reader != NO_EDGE;) {
        uint32_t k = 0;
        while (ops[reader].source[k] != reg)
            k++;
        add_edge(s, reader, i, 0);
        reader = s->before[reader][k];
    }
}

static void link_registers(struct schedule *s, const struct op *ops, uint32_t i)
{
    const struct op *op = &ops[i];
    for (uint32_t k = 0; k < op->source_count; k++) {
        uint32_t writer = s->writer[op->source[k]];
        s->made[i][k] = writer;
        if (writer != NO_EDGE) {
            add_edge(s, writer, i, assumed_wait(&ops[writer]));
            s->nodes[writer].readers++;
        } else if (s->reader[op->source[k]] == NO_EDGE) {
            s->live++; /* the value was computed before the block */
        }
        s->before[i][k] = s->reader[op->source[k]];
        s->reader[op->source[k]] = i;
    }
    for (uint32_t k = 0; k < op->result_count; k++) {
        link_readers(s, ops, i, op->result[k]);
        add_edge(s, s->writer[op->result[k]], i, 0);
        s->writer[op->result[k]] = i;
        s->reader[op->result[k]] = NO_EDGE;
    }
}

static bool may_alias(const struct op *a, const struct op *b)
{
    if (a->is_read_only || b->is_read_only)
        return false;
    return a->space == b->space || a->space == PTX_GENERIC || b->space == PTX_GENERIC;
}

/* Adds edges that keep memory accesses in order, and keep every op on its side of a fence. */
static void link_order(struct schedule *s, const struct op *ops, uint32_t i, uint32_t fence)
{
    add_edge(s, fence, i, 0);
    for (uint32_t k = i; k-- > (fence == NO_EDGE ? 0 : fence + 1);) {
        if (is_fence(&ops[i]))
            add_edge(s, k, i, 0);
        else if (ops[i].kind != OP_MEMORY)
            break;
        else if (ops[k].kind == OP_MEMORY && (ops[i].is_store || ops[k].is_store) &&
                 may_alias(&ops[i], &ops[k]))
            add_edge(s, k, i, 1);
    }
}

static void link_all(struct schedule *s, const struct op *ops, uint32_t count)
{
    uint32_t fence = NO_EDGE;
    s->edge_count = s->live = 0;
    for (uint32_t i = 0; i < count; i++)
        s->nodes[i] = (struct node){.edges = NO_EDGE};
    forget_registers(s, ops, count);
    for (uint32_t i = 0; i < count; i++) {
        link_registers(s, ops, i);
        link_order(s, ops, i, fence);
        fence = is_fence(&ops[i]) ? i : fence;
    }
    for (uint32_t i = count; i-- > 0;) {
        uint32_t chain = 0;
        for (uint32_t e = s->nodes[i].edges; e != NO_EDGE; e = s->edges[e].next) {
            uint32_t behind = s->edges[e].wait + s->nodes[s->edges[e].to].chain;
            chain = behind > chain ? behind : chain;
        }
        s->nodes[i].chain = chain;
    }
}

/* --- wide loads ------------------------------------------------------------------------------- */

/* Returns whether load I reads from the same aligned 16 bytes as load FIRST. */
static bool belongs_to(const struct op *ops, uint32_t first, uint32_t i)
{
    const struct op *a = &ops[first], *b = &ops[i];
    return b->base == a->base && b->copy == a->copy && (b->offset ^ a->offset) < 16 &&
           (b->offset ^ a->offset) > 0;
}

/* Returns whether OP prevents loads after it from being merged with loads before it. BASE is the
 * register with the loads' base address. */
static bool ends_search(const struct op *op, uint32_t base)
{
    bool writes = op->kind == OP_MEMORY && op->is_store &&
                  (op->space == PTX_SHARED || op->space == PTX_GENERIC);
    for (uint32_t k = 0; k < op->result_count; k++)
        writes |= op->result[k] == base;
    return writes || is_fence(op);
}

static void merge_into(struct op *ops, uint32_t first, uint32_t i)
{
    struct op *op = &ops[first];
    op->merged++;
    op->width += ops[i].width;
    op->result[op->result_count++] = ops[i].result[0];
    ops[i].kind = OP_GONE;
}

/* Merges two or four loads of neighbouring words from shared memory into one load, as ptxas does if
 * it knows that they are aligned. Returns the number of remaining ops. */
static uint32_t merge_loads(struct op *ops, uint32_t count)
{
    for (uint32_t first = 0; first < count; first++) {
        uint32_t parts[3], found = 0;
        if (ops[first].base == NO_BASE || ops[first].kind != OP_MEMORY || ops[first].merged)
            continue;
        for (uint32_t i = first + 1; i < count && found < 3; i++) {
            if (ends_search(&ops[i], ops[first].base))
                break;
            if (ops[i].kind == OP_MEMORY && belongs_to(ops, first, i))
                parts[found++] = i;
        }
        bool pairs = found && (ops[parts[0]].offset ^ ops[first].offset) == 4;
        found = found == 3 ? 3 : pairs ? 1 : 0;
        ops[first].merged = found > 0;
        for (uint32_t k = 0; k < found; k++)
            merge_into(ops, first, parts[k]);
    }
    uint32_t left = 0;
    for (uint32_t i = 0; i < count; i++)
        if (ops[i].kind != OP_GONE)
            ops[left++] = ops[i];
    return left;
}

/* --- order ------------------------------------------------------------------------------------ */

#define PUT_OFF (1u << 20) /* a delay in cycles that makes an op the last choice */

/* Returns whether there are too few free registers for the results of op I. If so, ops that free
 * registers are issued first. */
static bool is_too_much(const struct schedule *s, const struct op *ops, uint32_t i)
{
    uint32_t freed = 0;
    if (s->live + ops[i].width <= s->room || !ops[i].width)
        return false;
    for (uint32_t k = 0; k < ops[i].source_count; k++) {
        uint32_t maker = s->made[i][k];
        freed += maker != NO_EDGE && s->nodes[maker].readers == 1 ? ops[maker].width : 0;
    }
    return ops[i].width > freed && s->live + ops[i].width - freed > s->room;
}

/* Updates the number of registers that are in use after op I. */
static void count_live(struct schedule *s, const struct op *ops, uint32_t i)
{
    s->live += s->nodes[i].readers ? ops[i].width : 0;
    for (uint32_t k = 0; k < ops[i].source_count; k++) {
        uint32_t maker = s->made[i][k];
        if (maker != NO_EDGE && --s->nodes[maker].readers == 0)
            s->live -= ops[maker].width < s->live ? ops[maker].width : s->live;
    }
}

/* Returns the op in OPEN to issue in cycle NOW: of those that are ready, the op with the longest
 * chain. */
static uint32_t choose_next(const struct schedule *s, const struct op *ops, const uint32_t *open,
                            uint32_t count, uint32_t now)
{
    uint32_t best = 0;
    for (uint32_t i = 1; i < count; i++) {
        const struct node *a = &s->nodes[open[i]], *b = &s->nodes[open[best]];
        uint32_t a_at = a->ready > now ? a->ready : now, b_at = b->ready > now ? b->ready : now;
        a_at += is_too_much(s, ops, open[i]) ? PUT_OFF : 0;
        b_at += is_too_much(s, ops, open[best]) ? PUT_OFF : 0;
        bool first = open[i] < open[best];
        if (a_at != b_at ? a_at < b_at : a->chain != b->chain ? a->chain > b->chain : first)
            best = i;
    }
    return best;
}

static void order(struct schedule *s, struct op *ops, uint32_t count, struct op *sorted,
                  uint32_t *open)
{
    uint32_t open_count = 0, now = 0, done = 0;
    for (uint32_t i = 0; i < count; i++)
        if (!s->nodes[i].pending)
            open[open_count++] = i;
    while (open_count) {
        uint32_t at = choose_next(s, ops, open, open_count, now), i = open[at];
        struct node *node = &s->nodes[i];
        open[at] = open[--open_count];
        now = node->ready > now ? node->ready : now;
        sorted[done++] = ops[i];
        count_live(s, ops, i);
        for (uint32_t e = node->edges; e != NO_EDGE; e = s->edges[e].next) {
            struct node *to = &s->nodes[s->edges[e].to];
            uint32_t ready = now + s->edges[e].wait;
            to->ready = ready > to->ready ? ready : to->ready;
            if (--to->pending == 0)
                open[open_count++] = s->edges[e].to;
        }
        now += ops[i].count;
    }
    memcpy(ops, sorted, done * sizeof *ops);
}

static void schedule_ops(struct schedule *s, struct op *ops, uint32_t count, struct op *sorted,
                         uint32_t *open)
{
    if (count < 2 || count > MOST_SCHEDULED)
        return;
    link_all(s, ops, count);
    if (!s->failed)
        order(s, ops, count, sorted, open);
}

bool schedule(struct machine *machine)
{
    size_t registers = machine->registers + 1u;
    struct schedule s = {.nodes = malloc(MOST_SCHEDULED * sizeof *s.nodes),
                         .writer = malloc(registers * sizeof *s.writer),
                         .reader = malloc(registers * sizeof *s.reader),
                         .before = malloc(MOST_SCHEDULED * sizeof *s.before),
                         .made = malloc(MOST_SCHEDULED * sizeof *s.made),
                         .room = machine->room};
    struct op *sorted = malloc(MOST_SCHEDULED * sizeof *sorted);
    uint32_t *open = malloc(MOST_SCHEDULED * sizeof *open);
    bool ok = s.nodes && s.writer && s.reader && s.before && s.made && sorted && open;
    for (uint32_t b = 0; ok && b < machine->block_count && !s.failed; b++) {
        struct machine_block *block = &machine->blocks[b];
        block->count = merge_loads(machine->ops + block->ops, block->count);
        block->unrolled_count = merge_loads(machine->ops + block->unrolled, block->unrolled_count);
        schedule_ops(&s, machine->ops + block->ops, block->count, sorted, open);
        schedule_ops(&s, machine->ops + block->unrolled, block->unrolled_count, sorted, open);
    }
    ok = ok && !s.failed;
    free(s.nodes);
    free(s.writer);
    free(s.reader);
    free(s.before);
    free(s.made);
    free(s.edges);
    free(sorted);
    free(open);
    return ok;
}

/* --- unrolled loops --------------------------------------------------------------------------- */

static bool reads(const struct op *op, uint32_t reg)
{
    for (uint32_t k = 0; k < op->source_count; k++)
        if (op->source[k] == reg)
            return true;
    return false;
}

/* Returns whether op I has a single result that no op of the block reads, except ops I and
 * EXCEPT. */
static bool is_only_for(const struct op *ops, uint32_t count, uint32_t i, uint32_t except)
{
    if (ops[i].result_count != 1 || ops[i].kind != OP_PLAIN)
        return false;
    for (uint32_t k = 0; k < count; k++)
        if (k != i && k != except && reads(&ops[k], ops[i].result[0]))
            return false;
    return true;
}

/* Marks those ops of a loop that are needed only once for several unrolled iterations: the branch,
 * its comparison, and a counter that no other op reads. Returns false if ptxas cannot know the
 * number of iterations. */
static bool mark_control(const struct op *ops, uint32_t count, bool *is_control)
{
    uint32_t branch = count - 1, compare = count;
    memset(is_control, 0, count);
    if (ops[branch].source_count != 1) /* the loop has two conditions */
        return false;
    is_control[branch] = true;
    for (uint32_t i = 0; i < branch; i++)
        if (ops[i].result_count == 1 && reads(&ops[branch], ops[i].result[0]) &&
            is_only_for(ops, count, i, branch))
            compare = i;
    if (compare == count)
        return false;
    bool counts = false; /* ptxas unrolls a loop only if its variable grows by a constant */
    for (uint32_t i = 0; i < branch; i++)
        counts |= ops[i].is_counter && reads(&ops[compare], ops[i].result[0]);
    if (!counts)
        return false;
    is_control[compare] = true;
    for (uint32_t i = 0; i < branch; i++)
        is_control[i] |= ops[i].result_count == 1 && reads(&ops[compare], ops[i].result[0]) &&
                         is_only_for(ops, count, i, compare);
    return true;
}

/* Renames the operands of OP. NAMES has the current name of each register. In all iterations except
 * the last, results get new names. */
static void rename_op(struct machine *machine, struct op *op, uint32_t *names, bool is_last)
{
    for (uint32_t k = 0; k < op->source_count; k++)
        op->source[k] = names[op->source[k]];
    for (uint32_t k = 0; k < op->result_count; k++) {
        uint32_t reg = op->result[k];
        names[reg] = is_last ? reg : machine->registers++;
        op->result[k] = names[reg];
    }
}

static bool is_unrollable(const struct op *ops, uint32_t count)
{
    if (count < 2 || count > MOST_UNROLLED || ops[count - 1].kind != OP_BRANCH)
        return false;
    for (uint32_t i = 0; i < count - 1; i++)
        if (is_fence(&ops[i]))
            return false;
    return true;
}

bool machine_reserve(struct machine *machine, uint32_t count)
{
    if (machine->op_count + count <= machine->op_room)
        return true;
    uint32_t room = 2 * (machine->op_count + count);
    struct op *ops = realloc(machine->ops, room * sizeof *ops);
    if (!ops)
        return false;
    machine->ops = ops;
    machine->op_room = room;
    return true;
}

bool machine_unroll(struct machine *machine, struct machine_block *block)
{
    bool is_control[MOST_UNROLLED];
    if (!is_unrollable(machine->ops + block->ops, block->count) ||
        !mark_control(machine->ops + block->ops, block->count, is_control))
        return true;
    uint32_t *names = malloc((machine->registers + 1u) * sizeof *names);
    if (!names || !machine_reserve(machine, UNROLL * block->count)) {
        free(names);
        return false;
    }
    const struct op *ops = machine->ops + block->ops;
    for (uint32_t i = 0; i < machine->registers; i++)
        names[i] = i;
    block->unrolled = machine->op_count;
    for (uint8_t copy = 0; copy < UNROLL; copy++)
        for (uint32_t i = 0; i < block->count; i++) {
            if (is_control[i] && copy + 1u < UNROLL)
                continue;
            struct op *op = &machine->ops[machine->op_count++];
            *op = ops[i];
            op->copy = copy;
            if (op->is_step && copy + 1u < UNROLL)
                /* this step becomes an offset in the addresses of later iterations */
                op->count = op->depth = 0;
            rename_op(machine, op, names, copy + 1u == UNROLL);
        }
    block->unrolled_count = machine->op_count - block->unrolled;
    free(names);
    return true;
}
