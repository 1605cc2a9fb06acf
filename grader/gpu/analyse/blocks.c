#include "gpu/analyse/blocks.h"

#include <stdlib.h>

static bool ends_block(const struct ptx_instruction *in)
{
    return in->opcode == PTX_OP_bra || in->opcode == PTX_OP_ret || in->opcode == PTX_OP_exit ||
           in->opcode == PTX_OP_trap;
}

static void find_leaders(const struct ptx_function *f, struct blocks *b)
{
    /* in this loop, of[] only marks the first instruction of each block */
    for (uint32_t i = 0; i < f->code_count; i++) {
        const struct ptx_instruction *in = &f->code[i];
        if (in->opcode == PTX_OP_bra && (uint64_t)in->operands[0].value < f->code_count)
            b->of[in->operands[0].value] = 1;
        if (ends_block(in) && i + 1 < f->code_count)
            b->of[i + 1] = 1;
    }
    for (uint32_t i = 0; i < f->code_count; i++) {
        if (i == 0 || b->of[i])
            b->first[b->count++] = i;
        b->of[i] = b->count - 1;
    }
    b->first[b->count] = f->code_count;
}

static uint32_t block_at(const struct ptx_function *f, const struct blocks *b, uint64_t pc)
{
    return pc < f->code_count ? b->of[pc] : b->count;
}

static void find_successors(const struct ptx_function *f, struct blocks *b)
{
    for (uint32_t i = 0; i < b->count; i++) {
        uint32_t last = b->first[i + 1] - 1;
        const struct ptx_instruction *in = &f->code[last];
        uint32_t fall = block_at(f, b, (uint64_t)last + 1);
        b->next[i][0] = fall;
        b->next[i][1] = BLOCK_NONE;
        if (!ends_block(in))
            continue;
        uint64_t target = (uint64_t)in->operands[0].value;
        b->next[i][0] = in->opcode == PTX_OP_bra ? block_at(f, b, target) : b->count;
        if (in->guard != PTX_NONE)
            b->next[i][1] = fall;
    }
}

bool blocks_find(const struct ptx_function *function, struct blocks *blocks)
{
    size_t n = (size_t)function->code_count + 1;
    *blocks = (struct blocks){
        .first = malloc(n * sizeof *blocks->first),
        .of = calloc(n, sizeof *blocks->of),
        .next = malloc(n * sizeof *blocks->next),
    };
    if (!blocks->first || !blocks->of || !blocks->next)
        return false;
    find_leaders(function, blocks);
    find_successors(function, blocks);
    return true;
}

void blocks_free(struct blocks *blocks)
{
    free(blocks->first);
    free(blocks->of);
    free(blocks->next);
}
