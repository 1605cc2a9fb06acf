/* Finds immediate post-dominators with the iterative algorithm of Cooper, Harvey and Kennedy ("A
 * Simple, Fast Dominance Algorithm", 2001). The algorithm runs on the reversed control-flow graph,
 * starting at the exit node.
 *
 * A block without a path to the exit (an endless loop) has no post-dominator. Branches in such a
 * block get the exit as their reconvergence point, although no lane ever reaches the exit. All
 * lanes make progress nevertheless, because the scheduler in execute/ runs diverged lanes in
 * turn. */
#include "gpu/analyse/flow.h"

#include <stdlib.h>
#include <string.h>

#include "gpu/analyse/blocks.h"
#include "gpu/analyse/operands.h"

#define UNKNOWN BLOCK_NONE

struct graph {
    struct blocks blocks;
    uint32_t *order; /* the nodes in postorder of the reversed graph; the exit is the last */
    /* each node's index in `order`, or UNKNOWN if the node cannot reach the exit */
    uint32_t *number;
    uint32_t ordered;
    uint32_t *idom; /* each node's immediate dominator in the reversed graph */
    /* linked lists of each node's incoming edges; edge e begins at block e / 2 */
    uint32_t *head, *link;
};

static void link_predecessors(struct graph *g)
{
    for (uint32_t i = 0; i <= g->blocks.count; i++)
        g->head[i] = UNKNOWN;
    for (uint32_t edge = 0; edge < 2 * g->blocks.count; edge++) {
        uint32_t to = g->blocks.next[edge / 2][edge % 2];
        if (to == UNKNOWN)
            continue;
        g->link[edge] = g->head[to];
        g->head[to] = edge;
    }
}

/* Computes the postorder from the exit along reversed edges. Uses an explicit stack instead of
 * recursion. Returns false when out of memory. */
static bool find_order(struct graph *g)
{
    uint32_t *stack = malloc(((size_t)g->blocks.count + 1) * sizeof *stack);
    uint32_t *edge = malloc(((size_t)g->blocks.count + 1) * sizeof *edge);
    bool *seen = calloc((size_t)g->blocks.count + 1, sizeof *seen);
    bool ok = stack && edge && seen;
    uint32_t depth = 0;
    if (ok) {
        memcpy(edge, g->head, ((size_t)g->blocks.count + 1) * sizeof *edge);
        memset(g->number, 0xff, ((size_t)g->blocks.count + 1) * sizeof *g->number);
        stack[depth++] = g->blocks.count;
        seen[g->blocks.count] = true;
    }
    while (depth) {
        uint32_t node = stack[depth - 1];
        if (edge[node] == UNKNOWN) {
            g->number[node] = g->ordered;
            g->order[g->ordered++] = node;
            depth--;
            continue;
        }
        uint32_t from = edge[node] / 2;
        edge[node] = g->link[edge[node]];
        if (!seen[from]) {
            seen[from] = true;
            stack[depth++] = from;
        }
    }
    free(stack);
    free(edge);
    free(seen);
    return ok;
}

static uint32_t intersect(const struct graph *g, uint32_t a, uint32_t b)
{
    while (a != b) {
        while (g->number[a] < g->number[b])
            a = g->idom[a];
        while (g->number[b] < g->number[a])
            b = g->idom[b];
    }
    return a;
}

static void find_post_dominators(struct graph *g)
{
    memset(g->idom, 0xff, ((size_t)g->blocks.count + 1) * sizeof *g->idom);
    g->idom[g->blocks.count] = g->blocks.count;
    for (bool changed = true; changed;) {
        changed = false;
        /* visit the nodes in reverse postorder, without the exit */
        for (uint32_t i = g->ordered - 1; i-- > 0;) {
            uint32_t node = g->order[i], best = UNKNOWN;
            for (unsigned k = 0; k < 2; k++) {
                uint32_t next = g->blocks.next[node][k];
                if (next == UNKNOWN || g->number[next] == UNKNOWN || g->idom[next] == UNKNOWN)
                    continue;
                best = best == UNKNOWN ? next : intersect(g, best, next);
            }
            if (best != UNKNOWN && g->idom[node] != best) {
                g->idom[node] = best;
                changed = true;
            }
        }
    }
}

bool analyse_reconvergence(const struct ptx_function *function, uint32_t *meet)
{
    size_t n = (size_t)function->code_count + 1;
    struct graph g = {0};
    bool ok = blocks_find(function, &g.blocks);
    g.order = malloc(n * sizeof *g.order);
    g.number = malloc(n * sizeof *g.number);
    g.idom = malloc(n * sizeof *g.idom);
    g.head = malloc(n * sizeof *g.head);
    g.link = malloc(2 * n * sizeof *g.link);
    ok = ok && g.order && g.number && g.idom && g.head && g.link;
    if (ok) {
        link_predecessors(&g);
        ok = find_order(&g);
    }
    if (ok)
        find_post_dominators(&g);
    for (uint32_t i = 0; ok && i < function->code_count; i++) {
        bool is_branch = function->code[i].opcode == PTX_OP_bra;
        uint32_t block = is_branch ? g.idom[g.blocks.of[i]] : g.blocks.count;
        meet[i] = g.blocks.first[block == UNKNOWN ? g.blocks.count : block];
    }
    blocks_free(&g.blocks);
    free(g.order);
    free(g.number);
    free(g.idom);
    free(g.head);
    free(g.link);
    return ok;
}

/* --- reductions ------------------------------------------------------------------------------- */

static void mark_read(void *context, uint32_t reg)
{
    bool *read = context;
    read[reg] = true;
}

static bool is_unread(const struct ptx_operand *old, const bool *read)
{
    for (uint32_t i = 0; old->kind == PTX_VECTOR && i < old->count; i++)
        if (!is_unread(&old->elements[i], read))
            return false;
    return old->kind == PTX_VECTOR || old->kind == PTX_SINK ||
           (old->kind == PTX_REGISTER && !read[old->index]);
}

bool analyse_reductions(const struct ptx_function *function, bool *is_reduction)
{
    bool *read = calloc((size_t)function->register_count + 1, sizeof *read);
    if (!read)
        return false;
    for (uint32_t i = 0; i < function->code_count; i++)
        operands_read(&function->code[i], mark_read, read);
    for (uint32_t i = 0; i < function->code_count; i++) {
        const struct ptx_instruction *in = &function->code[i];
        is_reduction[i] = in->opcode == PTX_OP_atom && !ptx_has(in, PTX_MOD_exch) &&
                          !ptx_has(in, PTX_MOD_cas) && is_unread(&in->operands[0], read);
    }
    free(read);
    return true;
}
