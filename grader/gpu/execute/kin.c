/* Finds loads and stores whose addresses are the same distances apart as those of an earlier load
 * or store in the same stretch.
 *
 *         ld.global.f32   %f1, [%rd1];
 *         ld.global.f32   %f2, [%rd1+4];       the same register
 *         add.s64         %rd2, %rd1, %rd9;    %rd9 is 4 * n, the same in all lanes
 *         ld.global.f32   %f3, [%rd2];         the same distances
 *
 * If the earlier access has repeated its pattern (repeat.h), the later one needs no comparison of
 * its own. Loops that a compiler has unrolled consist of such accesses.
 *
 * Two registers are kin if they differ by the same number in all lanes. Each kin has a number. It
 * is lost at the end of the stretch, because other lanes may execute the next one. */
#include "gpu/execute/kin.h"

#include <stdlib.h>

#include "gpu/analyse/operands.h"
#include "gpu/execute/operations.h"

#define NONE UINT32_MAX
#define LOST 0 /* no register's number */

struct finder {
    struct kernel *kernel;
    const struct image *image;
    uint8_t *writes; /* number of instructions that write each register: 0, 1 or 2 for more */
    bool *uniform;   /* the register has the same value in all lanes */
    uint32_t *kin;   /* number of each register's kin, or LOST */
    uint32_t *first; /* for each number: pc of the first access in the stretch, or NONE */
    uint32_t count;  /* kin numbers given so far */
    uint32_t lost;   /* numbers below this one are those of earlier stretches */
};

static void count_write(void *context, uint32_t reg)
{
    uint8_t *writes = context;
    writes[reg] += writes[reg] < 2;
}

static bool is_uniform(const struct finder *f, const struct ptx_operand *op)
{
    return op->kind == PTX_IMMEDIATE || (op->kind == PTX_REGISTER && f->uniform[op->index]);
}

static bool has_uniform_sources(const struct finder *f, const struct ptx_instruction *in)
{
    for (uint32_t k = 1; k < in->operand_count; k++)
        if (!is_uniform(f, &in->operands[k]))
            return false;
    return true;
}

/* Finds the registers that depend only on constants, parameters and the CTA's index. A register
 * that only one instruction writes then always has the same value. */
static void find_uniform(struct finder *f)
{
    const struct ptx_function *function = f->image->function;
    for (uint32_t i = 0; i < function->code_count; i++)
        operands_written(&function->code[i], count_write, f->writes);
    for (uint32_t reg = 0; reg < function->register_count; reg++)
        f->uniform[reg] =
            f->image->fixed[reg].offset != NO_SLOT && f->image->fixed[reg].bank != BANK_WARP;
    for (uint32_t i = 0; i < function->code_count; i++) {
        const struct ptx_instruction *in = &function->code[i];
        const struct ptx_operand *to = &in->operands[0];
        bool is_sum = in->opcode == PTX_OP_add || in->opcode == PTX_OP_sub ||
                      in->opcode == PTX_OP_mul || in->opcode == PTX_OP_mad ||
                      in->opcode == PTX_OP_shl || in->opcode == PTX_OP_shr ||
                      in->opcode == PTX_OP_cvt || in->opcode == PTX_OP_mov;
        if (is_sum && in->guard == PTX_NONE && to->kind == PTX_REGISTER &&
            f->writes[to->index] == 1 && has_uniform_sources(f, in))
            f->uniform[to->index] = true;
    }
}

static uint32_t kin_of(struct finder *f, uint32_t reg)
{
    if (f->kin[reg] < f->lost) {
        f->first[f->count] = NONE;
        f->kin[reg] = f->count++;
    }
    return f->kin[reg];
}

static void lose_kin(void *context, uint32_t reg)
{
    struct finder *f = context;
    f->kin[reg] = LOST;
}

/* Returns the register to which IN adds a number that is the same in all lanes, or NONE. */
static uint32_t moved_register(const struct finder *f, const struct ptx_instruction *in)
{
    const struct ptx_operand *a = &in->operands[1], *b = &in->operands[2];
    uint8_t type = in->types[0];
    bool is_address = type == PTX_s32 || type == PTX_u32 || type == PTX_s64 || type == PTX_u64;
    if ((in->opcode != PTX_OP_add && in->opcode != PTX_OP_sub) || in->modifier_count ||
        !is_address || in->operands[0].kind != PTX_REGISTER)
        return NONE;
    if (a->kind == PTX_REGISTER && is_uniform(f, b))
        return a->index;
    return in->opcode == PTX_OP_add && b->kind == PTX_REGISTER && is_uniform(f, a) ? b->index
                                                                                   : NONE;
}

static void visit(struct finder *f, uint32_t pc)
{
    const struct ptx_instruction *in = &f->image->function->code[pc - f->image->start];
    struct inst *inst = &f->kernel->code[pc];
    uint32_t moved = moved_register(f, in), kin = moved == NONE ? NONE : kin_of(f, moved);
    if (inst_is_load(inst) || inst->run == store_run) {
        uint32_t base = in->operands[inst_is_load(inst)].index;
        uint32_t *first = base == PTX_NONE ? NULL : &f->first[kin_of(f, base)];
        if (first && *first != NONE)
            inst->mem.kin = *first;
        else if (first)
            *first = pc;
    }
    operands_written(in, lose_kin, f);
    if (moved != NONE)
        f->kin[in->operands[0].index] = kin;
}

static void visit_image(struct finder *f)
{
    f->count = f->lost = LOST + 1;
    find_uniform(f);
    for (uint32_t pc = f->image->start; pc < f->image->end; pc++) {
        if (!f->kernel->code[pc].follows)
            f->lost = f->count;
        if (f->kernel->code[pc].stretch)
            visit(f, pc);
    }
}

bool kin_find(struct kernel *kernel)
{
    bool ok = true;
    for (uint32_t i = 0; ok && i < kernel->image_count; i++) {
        struct finder f = {.kernel = kernel, .image = &kernel->images[i]};
        size_t registers = (size_t)f.image->function->register_count + 1;
        /* an instruction uses a number for its address or for the register that it adds to */
        size_t numbers = (size_t)f.image->function->code_count + 1;
        f.writes = calloc(registers, sizeof *f.writes);
        f.uniform = calloc(registers, sizeof *f.uniform);
        f.kin = calloc(registers, sizeof *f.kin);
        f.first = malloc(numbers * sizeof *f.first);
        ok = f.writes && f.uniform && f.kin && f.first;
        if (ok)
            visit_image(&f);
        free(f.writes);
        free(f.uniform);
        free(f.kin);
        free(f.first);
    }
    return ok;
}
