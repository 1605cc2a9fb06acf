/* Finds deciders: registers that can affect the further execution of a loop.
 *
 *     while (*flag == 0)        ld.volatile  f, [p]      p: the address that is polled
 *         spins++;              add          n, n, 1     n: not a decider, only counts
 *                               setp.eq      q, f, 0     f: q is computed from it
 *                               @q bra                   q: whether the loop continues
 *
 * A register is a decider if its value is read by an instruction that branches, accesses memory or
 * synchronises with other threads, or if another decider is computed from it. Only instructions
 * that the worker has executed since deciders_begin() are considered. As long as the worker
 * executes no other instructions, no other register can affect execution. A clock is not a
 * register: if a decider is computed from a clock, the result is uncertain. */
#include "gpu/execute/deciders.h"

#include <stdlib.h>

#include "gpu/analyse/operands.h"
#include "gpu/execute/operations.h"
#include "gpu/execute/stretch.h"

struct deciders {
    uint64_t *before; /* number of executions of each instruction before deciders_begin() */
    bool *executed;   /* whether each instruction has been executed since then */
    bool *decides;    /* whether each register of all images is a decider */
    bool grew;        /* the current pass has found another decider */
};

/* --- one instruction -------------------------------------------------------------------------- */

static bool names_address(const struct ptx_instruction *in)
{
    for (uint32_t k = 0; k < in->operand_count; k++)
        if (in->operands[k].kind == PTX_ADDRESS)
            return true;
    return false;
}

static bool names_clock(const struct ptx_instruction *in)
{
    for (uint32_t k = 0; k < in->operand_count; k++)
        if (in->operands[k].kind == PTX_SPECIAL_REGISTER &&
            ptx_special_is_dynamic((enum ptx_special)in->operands[k].index))
            return true;
    return false;
}

/* Returns whether the instruction does more than compute registers from registers. Also returns
 * true for an instruction with a carry, because the carry is a register without a name. */
static bool acts(const struct inst *inst, const struct ptx_instruction *in)
{
    return inst->kind != KIND_LANES || in->opcode == PTX_OP_call || names_address(in) ||
           inst->run == carry_run_32 || inst->run == carry_run_64;
}

struct visit {
    struct deciders *deciders;
    bool *decides; /* the part of deciders->decides that belongs to the image's registers */
    bool any;
};

static void ask(void *context, uint32_t reg)
{
    struct visit *visit = context;
    visit->any |= visit->decides[reg];
}

static void mark(void *context, uint32_t reg)
{
    struct visit *visit = context;
    visit->deciders->grew |= !visit->decides[reg];
    visit->decides[reg] = true;
}

/* Marks the registers that the instruction at PC reads as deciders, if the instruction acts or
 * computes a decider. Returns false if such an instruction also reads a clock. */
static bool follow(struct deciders *deciders, const struct kernel *kernel, uint32_t pc)
{
    const struct image *image = kernel_image(kernel, pc);
    if (pc == image->end)
        return true;
    const struct ptx_instruction *in = &image->function->code[pc - image->start];
    struct visit visit = {deciders, deciders->decides + image->first_register,
                          acts(&kernel->code[pc], in)};
    operands_written(in, ask, &visit);
    if (!visit.any)
        return true;
    operands_read(in, mark, &visit);
    return !names_clock(in);
}

/* --- the watch -------------------------------------------------------------------------------- */

struct deciders *deciders_make(const struct kernel *kernel)
{
    struct deciders *deciders = calloc(1, sizeof *deciders);
    if (!deciders)
        return NULL;
    deciders->before = calloc((size_t)kernel->code_count + 1, sizeof *deciders->before);
    deciders->executed = calloc((size_t)kernel->code_count + 1, sizeof *deciders->executed);
    deciders->decides = calloc((size_t)kernel->register_count + 1, sizeof *deciders->decides);
    if (deciders->before && deciders->executed && deciders->decides)
        return deciders;
    deciders_free(deciders);
    return NULL;
}

void deciders_free(struct deciders *deciders)
{
    if (!deciders)
        return;
    free(deciders->before);
    free(deciders->executed);
    free(deciders->decides);
    free(deciders);
}

void deciders_begin(struct deciders *deciders, const struct worker *worker)
{
    const struct kernel *kernel = worker->launch->kernel;
    uint64_t warps = 0;
    for (uint32_t pc = 0; pc < kernel->code_count; pc++) {
        deciders->before[pc] = warps = stretch_warps(worker, pc, warps);
        deciders->executed[pc] = false;
    }
    for (uint32_t i = 0; i < kernel->register_count; i++)
        deciders->decides[i] = false;
}

enum deciders_answer deciders_look(struct deciders *deciders, const struct worker *worker)
{
    const struct kernel *kernel = worker->launch->kernel;
    bool more = false, certain = true;
    uint64_t warps = 0;
    for (uint32_t pc = 0; pc < kernel->code_count; pc++) {
        warps = stretch_warps(worker, pc, warps);
        bool executed = warps != deciders->before[pc];
        more |= executed && !deciders->executed[pc];
        deciders->executed[pc] |= executed;
    }
    do {
        deciders->grew = false;
        for (uint32_t pc = 0; pc < kernel->code_count; pc++)
            if (deciders->executed[pc])
                certain &= follow(deciders, kernel, pc);
    } while (deciders->grew);
    return !certain ? DECIDERS_UNSURE : more ? DECIDERS_MORE : DECIDERS_SAME;
}

const bool *deciders_of(const struct deciders *deciders, const struct image *image)
{
    return deciders->decides + image->first_register;
}
