#include "gpu/analyse/unwritten.h"

#include "gpu/analyse/liveness.h"
#include "gpu/analyse/operands.h"

struct search {
    const struct liveness *liveness;
    bool found; /* the instruction uses a register that the function needs at its beginning */
};

static void note_used(void *context, uint32_t reg)
{
    struct search *search = context;
    uint32_t n = search->liveness->number[reg];
    if (n != LIVENESS_LOCAL)
        search->found |= search->liveness->in[n / 64] >> n % 64 & 1;
}

uint32_t analyse_unwritten(const struct ptx_function *function)
{
    struct liveness liveness;
    struct search search = {.liveness = &liveness};
    uint32_t i = 0;
    bool known = liveness_find(function, &liveness) && liveness.blocks.count > 0;
    for (; known && i < function->code_count; i++) {
        /* ignore copies, because the compiler also copies values that are never used */
        if (function->code[i].opcode != PTX_OP_mov)
            operands_used(&function->code[i], note_used, &search);
        if (search.found)
            break;
    }
    liveness_free(&liveness);
    return known ? i : function->code_count;
}
