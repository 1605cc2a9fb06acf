/* Immediate post-dominators by the iterative algorithm of Cooper, Harvey and Kennedy ("A Simple, Fast
 * Dominance Algorithm", 2001), run on the reversed graph from a virtual exit node.
 *
 * A block from which no path leads to the exit (an endless loop) has no post-dominator; its branches
 * then meet at the exit, that is never, and the executor's scheduler keeps all lanes going. */
#include "emulator/analyse/flow.h"

#include <stdlib.h>
#include <string.h>

#define UNKNOWN UINT32_MAX

struct graph {
    const struct ptx_function *function;
    uint32_t blocks;     /* node `blocks` is the exit */
    uint32_t *first;     /* first instruction of each block; first[blocks] = code_count */
    uint32_t *block_of;  /* of each instruction */
    uint32_t (*next)[2]; /* successors of each block, UNKNOWN if fewer */
    uint32_t *order;     /* nodes in postorder of the reversed graph, exit last */
    uint32_t *number;    /* a node's place in that order, UNKNOWN if it cannot reach the exit */
    uint32_t ordered;
    uint32_t *idom;        /* in the reversed graph: the immediate post-dominator */
    uint32_t *head, *link; /* predecessors as lists of edges: edge e goes from block e / 2 */
};

static bool ends_block(const struct ptx_instruction *in)
{
    return in->opcode == PTX_OP_bra || in->opcode == PTX_OP_ret || in->opcode == PTX_OP_exit ||
           in->opcode == PTX_OP_trap;
}

static void find_blocks(struct graph *g)
{
    const struct ptx_function *f = g->function;
    /* block_of first marks leaders, then counts them */
    for (uint32_t i = 0; i < f->code_count; i++) {
        const struct ptx_instruction *in = &f->code[i];
        if (in->opcode == PTX_OP_bra && (uint64_t)in->operands[0].value < f->code_count)
            g->block_of[in->operands[0].value] = 1;
        if (ends_block(in) && i + 1 < f->code_count)
            g->block_of[i + 1] = 1;
    }
    for (uint32_t i = 0; i < f->code_count; i++) {
        if (i == 0 || g->block_of[i])
            g->first[g->blocks++] = i;
        g->block_of[i] = g->blocks - 1;
    }
    g->first[g->blocks] = f->code_count;
}

static uint32_t block_at(const struct graph *g, uint64_t pc)
{
    return pc < g->function->code_count ? g->block_of[pc] : g->blocks;
}

static void add_edge(struct graph *g, uint32_t from, unsigned which, uint32_t to)
{
    uint32_t edge = from * 2 + which;
    g->next[from][which] = to;
    g->link[edge] = g->head[to];
    g->head[to] = edge;
}

static void find_edges(struct graph *g)
{
    for (uint32_t i = 0; i <= g->blocks; i++)
        g->head[i] = UNKNOWN;
    for (uint32_t b = 0; b < g->blocks; b++) {
        uint32_t last = g->first[b + 1] - 1;
        const struct ptx_instruction *in = &g->function->code[last];
        uint32_t fall = block_at(g, (uint64_t)last + 1);
        g->next[b][0] = g->next[b][1] = UNKNOWN;
        if (!ends_block(in)) {
            add_edge(g, b, 0, fall);
            continue;
        }
        uint64_t target = (uint64_t)in->operands[0].value;
        add_edge(g, b, 0, in->opcode == PTX_OP_bra ? block_at(g, target) : g->blocks);
        if (in->guard != PTX_NONE)
            add_edge(g, b, 1, fall);
    }
}

/* Postorder from the exit along reversed edges, with an explicit stack of (node, next edge). */
static bool find_order(struct graph *g)
{
    uint32_t *stack = malloc(((size_t)g->blocks + 1) * sizeof *stack);
    uint32_t *edge = malloc(((size_t)g->blocks + 1) * sizeof *edge);
    bool *seen = calloc((size_t)g->blocks + 1, sizeof *seen);
    bool ok = stack && edge && seen;
    uint32_t depth = 0;
    if (ok) {
        memcpy(edge, g->head, ((size_t)g->blocks + 1) * sizeof *edge);
        memset(g->number, 0xff, ((size_t)g->blocks + 1) * sizeof *g->number);
        stack[depth++] = g->blocks;
        seen[g->blocks] = true;
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
    memset(g->idom, 0xff, ((size_t)g->blocks + 1) * sizeof *g->idom);
    g->idom[g->blocks] = g->blocks;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = g->ordered - 1; i-- > 0;) { /* reverse postorder, without the exit */
            uint32_t node = g->order[i], best = UNKNOWN;
            for (unsigned k = 0; k < 2; k++) {
                uint32_t next = g->next[node][k];
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
    struct graph g = {.function = function};
    g.first = malloc(n * sizeof *g.first);
    g.block_of = calloc(n, sizeof *g.block_of);
    g.next = malloc(n * sizeof *g.next);
    g.order = malloc(n * sizeof *g.order);
    g.number = malloc(n * sizeof *g.number);
    g.idom = malloc(n * sizeof *g.idom);
    g.head = malloc(n * sizeof *g.head);
    g.link = malloc(2 * n * sizeof *g.link);
    bool ok = g.first && g.block_of && g.next && g.order && g.number && g.idom && g.head && g.link;
    if (ok) {
        find_blocks(&g);
        find_edges(&g);
        ok = find_order(&g);
    }
    if (ok)
        find_post_dominators(&g);
    for (uint32_t i = 0; ok && i < function->code_count; i++) {
        uint32_t block = function->code[i].opcode == PTX_OP_bra ? g.idom[g.block_of[i]] : g.blocks;
        meet[i] = g.first[block == UNKNOWN ? g.blocks : block];
    }
    free(g.first);
    free(g.block_of);
    free(g.next);
    free(g.order);
    free(g.number);
    free(g.idom);
    free(g.head);
    free(g.link);
    return ok;
}

/* --- reductions --------------------------------------------------------------------------------- */

static void mark_read(const struct ptx_operand *op, bool *read)
{
    if (op->kind == PTX_REGISTER || op->kind == PTX_PREDICATE ||
        (op->kind == PTX_ADDRESS && op->index != PTX_NONE))
        read[op->index] = true;
    for (uint32_t i = 0; i < op->count; i++)
        mark_read(&op->elements[i], read);
}

bool analyse_reductions(const struct ptx_function *function, bool *is_reduction)
{
    bool *read = calloc((size_t)function->register_count + 1, sizeof *read);
    if (!read)
        return false;
    for (uint32_t i = 0; i < function->code_count; i++) {
        const struct ptx_instruction *in = &function->code[i];
        if (in->guard != PTX_NONE)
            read[in->guard] = true;
        const char *letter = ptx_opcodes[in->opcode].operands;
        for (uint32_t k = 0; k < in->operand_count; k++, letter++) {
            letter += *letter == '?';
            bool written =
                *letter == 'd' || *letter == 'x' || *letter == 'y' || (*letter == 'v' && k == 0);
            if (!written)
                mark_read(&in->operands[k], read);
        }
    }
    for (uint32_t i = 0; i < function->code_count; i++) {
        const struct ptx_instruction *in = &function->code[i];
        const struct ptx_operand *old = &in->operands[0];
        is_reduction[i] =
            in->opcode == PTX_OP_atom && !ptx_has(in, PTX_MOD_exch) && !ptx_has(in, PTX_MOD_cas) &&
            (old->kind == PTX_SINK || (old->kind == PTX_REGISTER && !read[old->index]));
    }
    free(read);
    return true;
}
