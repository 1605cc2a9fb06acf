/* Computes liveness by backward data flow. A block needs a register if it reads the register before
 * writing it, or if a successor needs the register and the block does not write it. Most registers
 * in nvcc's code are used in only one block. They have no bit in the sets, to keep the sets
 * small. */
#include "gpu/analyse/liveness.h"

#include <stdlib.h>

#include "gpu/analyse/operands.h"

#define MOST_WORDS (1u << 20) /* largest total size of all blocks' sets, in 64-bit words */
/* each level of nested loops needs one more pass; 100 passes are enough for real code */
#define MOST_PASSES 100u

/* --- registers that live across blocks -------------------------------------------------------- */

struct search {
    struct liveness *l;
    uint32_t *written_in; /* for each register, 1 + the latest block that writes it */
    uint32_t block;       /* block of the current instruction */
};

static void note_read(void *context, uint32_t reg)
{
    struct search *s = context;
    if (s->written_in[reg] == s->block + 1 || s->l->number[reg] != LIVENESS_LOCAL)
        return;
    s->l->number[reg] = s->l->count;
    s->l->registers[s->l->count++] = reg;
}

static void note_written(void *context, uint32_t reg)
{
    struct search *s = context;
    s->written_in[reg] = s->block + 1;
}

static bool number_registers(const struct ptx_function *f, struct liveness *l)
{
    struct search search = {.l = l};
    size_t n = (size_t)f->register_count + 1;
    l->number = malloc(n * sizeof *l->number);
    l->registers = malloc(n * sizeof *l->registers);
    search.written_in = calloc(n, sizeof *search.written_in);
    bool ok = l->number && l->registers && search.written_in;
    for (uint32_t i = 0; ok && i < f->register_count; i++)
        l->number[i] = LIVENESS_LOCAL;
    for (uint32_t i = 0; ok && i < f->code_count; i++) {
        search.block = l->blocks.of[i];
        operands_read(&f->code[i], note_read, &search);
        if (f->code[i].guard == PTX_NONE) /* a guarded instruction may leave the old value */
            operands_written(&f->code[i], note_written, &search);
    }
    free(search.written_in);
    return ok;
}

/* --- sets ------------------------------------------------------------------------------------- */

struct sets {
    const struct liveness *l;
    /* for each block, the registers that it reads before it writes them, and the registers that it
     * writes */
    uint64_t *reads, *writes;
};

static void add_read(void *context, uint32_t reg)
{
    const struct sets *s = context;
    uint32_t n = s->l->number[reg];
    if (n != LIVENESS_LOCAL && !(s->writes[n / 64] >> n % 64 & 1))
        s->reads[n / 64] |= (uint64_t)1 << n % 64;
}

static void add_write(void *context, uint32_t reg)
{
    const struct sets *s = context;
    uint32_t n = s->l->number[reg];
    if (n != LIVENESS_LOCAL)
        s->writes[n / 64] |= (uint64_t)1 << n % 64;
}

/* Fills the sets of each block. WRITES receives the registers that the block writes. l->in receives
 * the registers that the block reads before it writes them: a first approximation of the registers
 * that it needs. */
static void fill_sets(const struct ptx_function *f, struct liveness *l, uint64_t *writes)
{
    for (uint32_t i = 0; i < f->code_count; i++) {
        size_t at = (size_t)l->blocks.of[i] * l->words;
        struct sets sets = {l, l->in + at, writes + at};
        operands_read(&f->code[i], add_read, &sets);
        if (f->code[i].guard == PTX_NONE)
            operands_written(&f->code[i], add_write, &sets);
    }
}

static uint64_t needed_after(const struct liveness *l, uint32_t block, uint32_t word)
{
    uint64_t bits = 0;
    for (unsigned k = 0; k < 2; k++)
        if (l->blocks.next[block][k] != BLOCK_NONE)
            bits |= l->in[(size_t)l->blocks.next[block][k] * l->words + word];
    return bits;
}

static bool spread(struct liveness *l, const uint64_t *writes)
{
    bool changed = false;
    for (uint32_t block = l->blocks.count; block-- > 0;) {
        for (uint32_t word = 0; word < l->words; word++) {
            size_t at = (size_t)block * l->words + word;
            uint64_t more = l->in[at] | (needed_after(l, block, word) & ~writes[at]);
            changed |= more != l->in[at];
            l->in[at] = more;
        }
    }
    return changed;
}

bool liveness_find(const struct ptx_function *function, struct liveness *l)
{
    *l = (struct liveness){0};
    if (!blocks_find(function, &l->blocks) || !number_registers(function, l))
        return false;
    l->words = l->count / 64 + 1;
    size_t size = ((size_t)l->blocks.count + 1) * l->words;
    if (size > MOST_WORDS)
        return false;
    l->in = calloc(size, sizeof *l->in);
    uint64_t *writes = calloc(size, sizeof *writes);
    bool ok = l->in && writes;
    if (ok)
        fill_sets(function, l, writes);
    unsigned pass = 0;
    while (ok && spread(l, writes))
        ok = ++pass < MOST_PASSES;
    free(writes);
    return ok;
}

void liveness_after(const struct liveness *l, uint32_t block,
                    void (*visit)(void *context, uint32_t reg), void *context)
{
    for (uint32_t word = 0; word < l->words; word++)
        for (uint64_t bits = needed_after(l, block, word); bits; bits &= bits - 1)
            visit(context, l->registers[word * 64 + (uint32_t)__builtin_ctzll(bits)]);
}

void liveness_free(struct liveness *l)
{
    blocks_free(&l->blocks);
    free(l->number);
    free(l->registers);
    free(l->in);
}
