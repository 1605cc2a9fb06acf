#include "gpu/analyse/unwritten.h"

#include <stdlib.h>
#include <string.h>

#include "gpu/analyse/liveness.h"
#include "gpu/analyse/operands.h"

/* The search is a forward data flow over sets of registers that may be unwritten. In the first
 * block, these are the registers that the function needs at its beginning. */
struct search {
    const struct ptx_function *function;
    const struct liveness *liveness;
    uint64_t *unwritten; /* for each block and the exit, the set at its beginning */
    uint64_t *now;       /* the set before the current instruction */
    bool found;          /* the current instruction uses a register of `now` */
};

static void note_used(void *context, uint32_t reg)
{
    struct search *search = context;
    uint32_t n = search->liveness->number[reg];
    if (n != LIVENESS_LOCAL)
        search->found |= search->now[n / 64] >> n % 64 & 1;
}

static void note_written(void *context, uint32_t reg)
{
    struct search *search = context;
    uint32_t n = search->liveness->number[reg];
    if (n != LIVENESS_LOCAL)
        search->now[n / 64] &= ~((uint64_t)1 << n % 64);
}

/* Returns whether IN computes with its operands. Copies, stores and shuffles are not reported: the
 * compiler also copies values that are never used, a store may be skipped by the threads that have
 * not written the value, and often all lanes read from the only lane that has written it. */
static bool computes(const struct ptx_instruction *in)
{
    return in->opcode != PTX_OP_mov && in->opcode != PTX_OP_st && in->opcode != PTX_OP_shfl;
}

/* Follows BLOCK from its beginning. Returns its first instruction that computes with a register
 * that may be unwritten, or the end of the block; `now` is then the set at the end. */
static uint32_t follow(struct search *search, uint32_t block)
{
    const struct liveness *l = search->liveness;
    uint32_t end = l->blocks.first[block + 1];
    memcpy(search->now, search->unwritten + (size_t)block * l->words,
           l->words * sizeof *search->now);
    for (uint32_t i = l->blocks.first[block]; i < end; i++) {
        const struct ptx_instruction *in = &search->function->code[i];
        if (computes(in))
            operands_used(in, note_used, search);
        if (search->found)
            return i;
        if (in->guard == PTX_NONE) /* a guarded instruction may leave the old value */
            operands_written(in, note_written, search);
    }
    return end;
}

/* Adds `now` to the sets of BLOCK's successors. Returns whether a set has grown. */
static bool spread(struct search *search, uint32_t block)
{
    const struct liveness *l = search->liveness;
    bool grown = false;
    for (unsigned k = 0; k < 2; k++) {
        uint32_t next = l->blocks.next[block][k];
        for (uint32_t word = 0; next != BLOCK_NONE && word < l->words; word++) {
            uint64_t *set = &search->unwritten[(size_t)next * l->words + word];
            grown |= (search->now[word] & ~*set) != 0;
            *set |= search->now[word];
        }
    }
    return grown;
}

static uint32_t find(struct search *search)
{
    const struct liveness *l = search->liveness;
    bool grown = true;
    memcpy(search->unwritten, l->in, l->words * sizeof *l->in);
    while (grown) {
        grown = false;
        for (uint32_t block = 0; block < l->blocks.count; block++) {
            uint32_t i = follow(search, block);
            if (search->found)
                return i;
            grown |= spread(search, block);
        }
    }
    return search->function->code_count;
}

uint32_t analyse_unwritten(const struct ptx_function *function)
{
    struct liveness liveness;
    struct search search = {.function = function, .liveness = &liveness};
    uint32_t found = function->code_count;
    if (liveness_find(function, &liveness) && liveness.blocks.count > 0) {
        size_t size = ((size_t)liveness.blocks.count + 1) * liveness.words;
        search.unwritten = calloc(size, sizeof *search.unwritten);
        search.now = calloc(liveness.words, sizeof *search.now);
        if (search.unwritten && search.now)
            found = find(&search);
    }
    free(search.unwritten);
    free(search.now);
    liveness_free(&liveness);
    return found;
}
