/* A register's lifetime is one contiguous range of code. It covers every instruction that names the
 * register, and every block throughout which the register is live. Loops need no special case: a
 * register that is needed in the next iteration is live in all blocks that lead there. */
#include "gpu/analyse/lifetimes.h"

#include "gpu/analyse/liveness.h"
#include "gpu/analyse/operands.h"

struct walk {
    struct lifetime *lifetimes;
    uint32_t at; /* index of the current instruction */
};

static void extend(void *context, uint32_t reg)
{
    const struct walk *w = context;
    struct lifetime *life = &w->lifetimes[reg];
    life->first = w->at < life->first ? w->at : life->first;
    life->last = w->at > life->last ? w->at : life->last;
}

/* If a register is needed after BLOCK, extends its lifetime to BLOCK's end. If it is needed at
 * BLOCK's beginning, extends its lifetime to that beginning. */
static void live_through(const struct liveness *l, uint32_t block, struct walk *w)
{
    w->at = l->blocks.first[block + 1] - 1;
    liveness_after(l, block, extend, w);
    w->at = l->blocks.first[block];
    for (uint32_t n = 0; n < l->count; n++)
        if (l->in[(size_t)block * l->words + n / 64] >> n % 64 & 1)
            extend(w, l->registers[n]);
}

bool analyse_lifetimes(const struct ptx_function *f, struct lifetime *lifetimes, bool *all_written)
{
    struct liveness liveness;
    struct walk walk = {.lifetimes = lifetimes};
    for (uint32_t i = 0; i < f->register_count; i++)
        lifetimes[i] = (struct lifetime){.first = UINT32_MAX};
    bool ok = liveness_find(f, &liveness);
    for (; ok && walk.at < f->code_count; walk.at++) {
        operands_read(&f->code[walk.at], extend, &walk);
        operands_written(&f->code[walk.at], extend, &walk);
    }
    for (uint32_t block = 0; ok && block < liveness.blocks.count; block++)
        live_through(&liveness, block, &walk);
    *all_written = ok;
    for (uint32_t word = 0; ok && liveness.blocks.count && word < liveness.words; word++)
        /* if the first block needs no register, every register is written before it is read */
        *all_written &= !liveness.in[word];
    liveness_free(&liveness);
    return ok;
}
