/* Finds quads: loads of adjacent words of global memory through the same register, in one
 * stretch.
 *
 *         ld.global.u32   %r1, [%rd1];         quad 1, word 0
 *         mad.lo.s32      %r9, %r1, %r1, %r8;
 *         ld.global.u32   %r2, [%rd1+4];       quad 1, word 1
 *         ld.global.u32   %r3, [%rd1+12];      quad 1, word 3
 *
 * Loops that a compiler has unrolled consist of such loads. If each lane reads its own part of an
 * array, the 32 words of a load are in 32 lines of the host's memory. So the first load loads all
 * four words of each lane, and the others take theirs from that (access_run.c). All loads are still
 * checked and counted one by one. Between them, no instruction may store or wait. */
#include "gpu/execute/quads.h"

#include "gpu/analyse/operands.h"
#include "gpu/execute/operations.h"

#define MOST_OPEN 8u

struct finder {
    struct kernel *kernel;
    const struct image *image;
    /* the pcs of first loads whose registers have not been written since; a free entry has pc 0,
     * because a kernel's first instruction is never a load from such a register */
    uint32_t open[MOST_OPEN], next;
};

static const struct ptx_instruction *instruction_at(const struct finder *f, uint32_t pc)
{
    return &f->image->function->code[pc - f->image->start];
}

static void close_all(struct finder *f)
{
    for (uint32_t i = 0; i < MOST_OPEN; i++)
        f->open[i] = 0;
}

static void close_written(void *context, uint32_t reg)
{
    struct finder *f = context;
    for (uint32_t i = 0; i < MOST_OPEN; i++)
        if (f->open[i] && instruction_at(f, f->open[i])->operands[1].index == reg)
            f->open[i] = 0;
}

/* Returns the distance in words from the load FIRST to the load at PC, or 0 if they do not belong
 * to one quad. */
static uint8_t word_after(const struct finder *f, uint32_t first, uint32_t pc)
{
    const struct inst *a = &f->kernel->code[first], *b = &f->kernel->code[pc];
    int64_t bytes = b->mem.offset - a->mem.offset;
    bool is_same = first && instruction_at(f, first)->operands[1].index ==
                                instruction_at(f, pc)->operands[1].index;
    return is_same && bytes > 0 && bytes < 16 && bytes % 4 == 0 ? (uint8_t)(bytes / 4) : 0;
}

static void visit_load(struct finder *f, uint32_t pc)
{
    struct inst *inst = &f->kernel->code[pc];
    for (uint32_t i = 0; i < MOST_OPEN; i++) {
        uint8_t word = word_after(f, f->open[i], pc);
        if (!word)
            continue;
        struct inst *first = &f->kernel->code[f->open[i]];
        if (!first->mem.quad)
            first->mem.quad = ++f->kernel->quad_count;
        inst->mem.quad = first->mem.quad;
        inst->mem.word = word;
        inst->run = load_quad_run;
        inst->mem.kin = f->open[i];
        return;
    }
    f->open[f->next++ % MOST_OPEN] = pc;
}

void quads_find(struct kernel *kernel)
{
    for (uint32_t i = 0; i < kernel->image_count; i++) {
        struct finder f = {.kernel = kernel, .image = &kernel->images[i]};
        for (uint32_t pc = f.image->start; pc < f.image->end; pc++) {
            const struct ptx_instruction *in = instruction_at(&f, pc);
            const struct inst *inst = &kernel->code[pc];
            bool is_load = inst->run == load_words_run && inst->mem.space == PTX_GLOBAL &&
                           inst->mem.base.offset != NO_SLOT;
            /* in opcodes.def, the opcodes that use only registers come before ld */
            if (!inst->follows || (!inst_is_load(inst) && in->opcode >= PTX_OP_ld))
                close_all(&f);
            if (is_load && inst->stretch)
                visit_load(&f, pc);
            operands_written(in, close_written, &f);
        }
    }
}
