#include "gpu/analyse/gaps.h"

#include <stdlib.h>

#include "gpu/analyse/operands.h"

/* --- loops ------------------------------------------------------------------------------------ */

enum { UNSEEN, ON_PATH, DONE };

/* Finds back edges by a depth-first search from the function's entry. A back edge leads to a block
 * on the search's current path. */
static void find_back_edges(struct gaps *gaps, uint8_t *state, uint32_t *path, uint8_t *edge)
{
    const struct blocks *blocks = &gaps->blocks;
    uint32_t depth = 0;
    for (path[depth++] = 0; depth;) {
        uint32_t block = path[depth - 1];
        state[block] = ON_PATH;
        if (edge[block] == 2) {
            state[block] = DONE;
            depth--;
            continue;
        }
        uint8_t i = edge[block]++;
        uint32_t next = blocks->next[block][i];
        if (next >= blocks->count) /* the edge leads to the exit, or does not exist */
            continue;
        gaps->is_back[block][i] = state[next] == ON_PATH;
        if (state[next] == UNSEEN)
            path[depth++] = next;
    }
}

bool gaps_open(struct gaps *gaps, const struct ptx_function *function)
{
    *gaps = (struct gaps){.function = function};
    if (!blocks_find(function, &gaps->blocks))
        return false;
    size_t count = (size_t)gaps->blocks.count + 1;
    uint8_t *state = calloc(2 * count, 1);
    uint32_t *path = malloc(count * sizeof *path);
    gaps->is_back = calloc(count, sizeof *gaps->is_back);
    bool ok = state && path && gaps->is_back;
    if (ok && gaps->blocks.count)
        find_back_edges(gaps, state, path, state + count);
    free(state);
    free(path);
    return ok;
}

void gaps_close(struct gaps *gaps)
{
    blocks_free(&gaps->blocks);
    free(gaps->is_back);
}

/* --- paths ------------------------------------------------------------------------------------ */

static bool is_barrier(const struct ptx_instruction *in, bool of_warp)
{
    switch (in->opcode) {
    case PTX_OP_bar:
        return of_warp || !ptx_has(in, PTX_MOD_warp);
    case PTX_OP_barrier:
    case PTX_OP_bar_red:
    case PTX_OP_bar_cta_red:
    case PTX_OP_barrier_red:
    case PTX_OP_barrier_cta_red:
    case PTX_OP_barrier_cluster_wait:
        return true;
    default:
        return false;
    }
}

/* Returns whether there is no barrier from instruction FIRST to END - 1. */
static bool has_no_barrier(const struct gaps *gaps, uint32_t first, uint32_t end, bool of_warp)
{
    while (first < end && !is_barrier(&gaps->function->code[first], of_warp))
        first++;
    return first >= end;
}

struct walk {
    const struct gaps *gaps;
    uint32_t to;
    bool of_warp;
    /* for each block, the kinds of paths that have reached it so far, as bits of enum gap */
    uint8_t *seen;
    uint32_t *queue; /* blocks to visit; each block is queued at most twice */
    uint32_t count;
    unsigned found;
};

/* Queues the successors of BLOCK. A path of kind WAY (enum gap) has reached BLOCK. */
static void queue_successors(struct walk *walk, uint32_t block, unsigned way)
{
    for (unsigned i = 0; i < 2; i++) {
        uint32_t next = walk->gaps->blocks.next[block][i];
        unsigned then = walk->gaps->is_back[block][i] ? GAP_ROUND : way;
        if (next >= walk->gaps->blocks.count || walk->seen[next] & then)
            continue;
        walk->seen[next] |= then;
        walk->queue[walk->count++] = next << 1 | (then == GAP_ROUND);
    }
}

static void visit(struct walk *walk, uint32_t block, unsigned way)
{
    const struct blocks *blocks = &walk->gaps->blocks;
    uint32_t first = blocks->first[block], end = blocks->first[block + 1];
    if (blocks->of[walk->to] == block && has_no_barrier(walk->gaps, first, walk->to, walk->of_warp))
        walk->found |= way;
    if (has_no_barrier(walk->gaps, first, end, walk->of_warp))
        queue_successors(walk, block, way);
}

unsigned gaps_find(const struct gaps *gaps, uint32_t from, uint32_t to, bool of_warp)
{
    const struct blocks *blocks = &gaps->blocks;
    uint32_t block = blocks->of[from], end = blocks->first[block + 1];
    struct walk walk = {.gaps = gaps,
                        .to = to,
                        .of_warp = of_warp,
                        .seen = calloc(blocks->count, 1),
                        .queue = malloc(2 * (size_t)blocks->count * sizeof *walk.queue)};
    if (to > from && to < end && has_no_barrier(gaps, from + 1, to, of_warp))
        walk.found = GAP_STRAIGHT;
    if (walk.seen && walk.queue && has_no_barrier(gaps, from + 1, end, of_warp))
        queue_successors(&walk, block, GAP_STRAIGHT);
    for (uint32_t i = 0; i < walk.count; i++)
        visit(&walk, walk.queue[i] >> 1, walk.queue[i] & 1 ? GAP_ROUND : GAP_STRAIGHT);
    free(walk.seen);
    free(walk.queue);
    return walk.found;
}

/* --- values ----------------------------------------------------------------------------------- */

/* The registers whose values depend on a load. */
struct dependents {
    bool *depends; /* whether each register depends on the load */
    bool found;
};

static void look_up(void *context, uint32_t reg)
{
    struct dependents *dependents = context;
    dependents->found |= dependents->depends[reg];
}

static void note(void *context, uint32_t reg)
{
    struct dependents *dependents = context;
    dependents->depends[reg] = true;
}

bool gaps_is_made_from(const struct ptx_function *function, uint32_t from, uint32_t to)
{
    struct dependents dependents = {.depends = calloc((size_t)function->register_count + 1, 1)};
    if (!dependents.depends)
        return false;
    operands_written(&function->code[from], note, &dependents);
    for (uint32_t i = from + 1; i < to; i++) {
        dependents.found = false;
        operands_used(&function->code[i], look_up, &dependents);
        if (dependents.found)
            operands_written(&function->code[i], note, &dependents);
    }
    dependents.found = false;
    operands_used(&function->code[to], look_up, &dependents);
    free(dependents.depends);
    return dependents.found;
}
