/* A lifetime is one stretch of the code: all instructions that name the register, and all blocks which
 * it lives through. Loops need no more care, as a register lives in every block on the way back. */
#include "gpu/analyse/lifetimes.h"

#include "gpu/analyse/liveness.h"
#include "gpu/analyse/operands.h"

struct stretch {
    struct lifetime *lifetimes;
    uint32_t at;
};

static void extend(void *context, uint32_t reg)
{
    const struct stretch *s = context;
    struct lifetime *life = &s->lifetimes[reg];
    life->first = s->at < life->first ? s->at : life->first;
    life->last = s->at > life->last ? s->at : life->last;
}

/* Up to the block's end for what is needed behind it, from its beginning for what is needed there. */
static void live_through(const struct liveness *l, uint32_t block, struct stretch *s)
{
    s->at = l->blocks.first[block + 1] - 1;
    liveness_behind(l, block, extend, s);
    s->at = l->blocks.first[block];
    for (uint32_t n = 0; n < l->count; n++)
        if (l->in[(size_t)block * l->words + n / 64] >> n % 64 & 1)
            extend(s, l->registers[n]);
}

bool analyse_lifetimes(const struct ptx_function *f, struct lifetime *lifetimes, bool *all_written)
{
    struct liveness liveness;
    struct stretch stretch = {.lifetimes = lifetimes};
    for (uint32_t i = 0; i < f->register_count; i++)
        lifetimes[i] = (struct lifetime){.first = UINT32_MAX};
    bool ok = liveness_find(f, &liveness);
    for (; ok && stretch.at < f->code_count; stretch.at++) {
        operands_read(&f->code[stretch.at], extend, &stretch);
        operands_written(&f->code[stretch.at], extend, &stretch);
    }
    for (uint32_t block = 0; ok && block < liveness.blocks.count; block++)
        live_through(&liveness, block, &stretch);
    *all_written = ok;
    for (uint32_t word = 0; ok && liveness.blocks.count && word < liveness.words; word++)
        *all_written &= !liveness.in[word]; /* of the first block */
    liveness_free(&liveness);
    return ok;
}
