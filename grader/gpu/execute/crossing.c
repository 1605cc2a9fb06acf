/* Three sets of registers at each instruction of a translation. Live registers: found by walking
 * backwards through the function's blocks. Changed since the translation was entered: walking
 * forwards from the entries. Needed by the translation: walking backwards from the instructions
 * that read them and from the exits that write them back. */
#include "gpu/execute/crossing.h"

#include <stdlib.h>
#include <string.h>

#include "gpu/analyse/liveness.h"
#include "gpu/execute/kernel.h"

#define NO_ROW UINT32_MAX

/* --- sets ----------------------------------------------------------------------------------------------- */

static void set_add(void *context, uint32_t reg)
{
    uint64_t *set = context;
    set[reg / 64] |= (uint64_t)1 << reg % 64;
}

static void set_remove(void *context, uint32_t reg)
{
    uint64_t *set = context;
    set[reg / 64] &= ~((uint64_t)1 << reg % 64);
}

static bool has_row(const struct crossing *c, uint32_t pc)
{
    return c->rows[pc - c->image->start] != NO_ROW;
}

static uint64_t *set_of(const struct crossing *c, uint64_t *sets, uint32_t pc)
{
    return sets + (size_t)c->rows[pc - c->image->start] * c->words;
}

static const struct ptx_instruction *source_of(const struct crossing *c, uint32_t pc)
{
    return &c->image->function->code[pc - c->image->start];
}

/* --- the way through the text ------------------------------------------------------------------------- */

/* The one or two successors of a translated instruction. */
static unsigned successors(const struct crossing *c, uint32_t pc, uint32_t next[2])
{
    const struct inst *inst = &c->kernel->code[pc];
    unsigned count = 0;
    if (inst->kind == KIND_BRANCH)
        next[count++] = inst->branch.target;
    if (inst->kind != KIND_BRANCH || inst->guard != NO_SLOT)
        next[count++] = pc + 1;
    return count;
}

static void give_row(struct crossing *c, uint32_t pc)
{
    uint32_t *row = &c->rows[pc - c->image->start];
    if (*row == NO_ROW)
        *row = c->row_count++;
}

/* Allocates sets for the translated instructions and for the exits. */
static bool give_rows(struct crossing *c)
{
    uint32_t count = c->image->end - c->image->start + 1, next[2];
    c->rows = malloc(count * sizeof *c->rows);
    if (!c->rows)
        return false;
    for (uint32_t i = 0; i < count; i++)
        c->rows[i] = NO_ROW;
    for (uint32_t pc = c->image->start; pc < c->image->end; pc++) {
        if (!c->translated[pc])
            continue;
        give_row(c, pc);
        for (unsigned i = successors(c, pc, next); i-- > 0;)
            give_row(c, next[i]);
    }
    size_t words = (size_t)(c->row_count + 1) * c->words;
    c->live = malloc(words * sizeof *c->live);
    c->changed = calloc(words, sizeof *c->changed);
    c->needed = calloc(words, sizeof *c->needed);
    return c->live && c->changed && c->needed;
}

/* --- live ----------------------------------------------------------------------------------------------- */

static void live_in_block(struct crossing *c, const struct liveness *l, uint32_t block,
                          uint64_t *set)
{
    uint32_t begin = l->blocks.first[block], at = l->blocks.first[block + 1];
    memset(set, 0, c->words * sizeof *set);
    liveness_behind(l, block, set_add, set);
    while (at-- > begin) {
        const struct ptx_instruction *in = &c->image->function->code[at];
        uint32_t pc = c->image->start + at;
        if (in->guard == PTX_NONE)
            operands_written(in, set_remove, set);
        operands_read(in, set_add, set);
        if (has_row(c, pc))
            memcpy(set_of(c, c->live, pc), set, c->words * sizeof *set);
    }
}

/* All registers, if the function is too large to analyse. */
static bool find_live(struct crossing *c)
{
    struct liveness l;
    uint64_t *set = malloc(c->words * sizeof *set);
    memset(c->live, 0xff, (size_t)(c->row_count + 1) * c->words * sizeof *c->live);
    if (liveness_find(c->image->function, &l))
        for (uint32_t block = 0; block < l.blocks.count && set; block++)
            live_in_block(c, &l, block, set);
    liveness_free(&l);
    free(set);
    return set;
}

/* --- changed, and needed ---------------------------------------------------------------------------------- */

/* Adds to SET the members of MORE that PLUS has, too. True if SET has grown. */
static bool add_common(const struct crossing *c, uint64_t *set, const uint64_t *more,
                       const uint64_t *plus)
{
    bool grew = false;
    for (uint32_t i = 0; i < c->words; i++) {
        uint64_t added = more[i] & plus[i] & ~set[i];
        set[i] |= added;
        grew |= added != 0;
    }
    return grew;
}

static bool add_all(const struct crossing *c, uint64_t *set, const uint64_t *more)
{
    return add_common(c, set, more, more);
}

/* What was changed before or by an instruction is changed after it. True if the set has grown. */
static bool pass_on(struct crossing *c, uint32_t pc, uint64_t *set)
{
    uint32_t next[2];
    bool grew = false;
    memcpy(set, set_of(c, c->changed, pc), c->words * sizeof *set);
    operands_written(source_of(c, pc), set_add, set);
    for (unsigned i = successors(c, pc, next); i-- > 0;)
        grew |= add_all(c, set_of(c, c->changed, next[i]), set);
    return grew;
}

static void add_shown(const struct crossing *c, uint32_t pc, uint64_t *set)
{
    add_common(c, set, set_of(c, c->changed, pc), set_of(c, c->live, pc));
}

/* What is needed after an instruction and not written by it, or is read by it, is needed before
 * it. */
static bool ask_for(struct crossing *c, uint32_t pc, uint64_t *set)
{
    const struct ptx_instruction *in = source_of(c, pc);
    uint32_t next[2];
    memset(set, 0, c->words * sizeof *set);
    for (unsigned i = successors(c, pc, next); i-- > 0;) {
        add_all(c, set, set_of(c, c->needed, next[i]));
        add_shown(c, next[i], set);
    }
    if (in->guard == PTX_NONE)
        operands_written(in, set_remove, set);
    operands_read(in, set_add, set);
    add_shown(c, pc, set);
    return add_all(c, set_of(c, c->needed, pc), set);
}

static bool follow(struct crossing *c)
{
    uint64_t *set = malloc(c->words * sizeof *set);
    for (bool grew = set; grew;) {
        grew = false;
        for (uint32_t pc = c->image->start; pc < c->image->end; pc++)
            grew |= c->translated[pc] && pass_on(c, pc, set);
    }
    for (bool grew = set; grew;) {
        grew = false;
        for (uint32_t pc = c->image->end; pc-- > c->image->start;)
            grew |= c->translated[pc] && ask_for(c, pc, set);
    }
    free(set);
    return set;
}

/* --- for the text ------------------------------------------------------------------------------------------ */

bool crossing_find(struct crossing *c, const struct kernel *kernel, const struct image *image,
                   const bool *translated)
{
    *c = (struct crossing){.image = image,
                           .kernel = kernel,
                           .translated = translated,
                           .words = image->function->register_count / 64 + 1};
    return give_rows(c) && find_live(c) && follow(c);
}

void crossing_free(struct crossing *c)
{
    free(c->rows);
    free(c->live);
    free(c->changed);
    free(c->needed);
}

static void visit_each(const struct crossing *c, const uint64_t *set, const uint64_t *other,
                       operands_visit *visit, void *context)
{
    for (uint32_t reg = 0; reg < c->image->function->register_count; reg++)
        if (set[reg / 64] & other[reg / 64] & (uint64_t)1 << reg % 64)
            visit(context, reg);
}

void crossing_in(const struct crossing *c, uint32_t pc, operands_visit *visit, void *context)
{
    const uint64_t *needed = set_of(c, c->needed, pc);
    visit_each(c, needed, needed, visit, context);
}

void crossing_out(const struct crossing *c, uint32_t pc, operands_visit *visit, void *context)
{
    visit_each(c, set_of(c, c->live, pc), set_of(c, c->changed, pc), visit, context);
}
