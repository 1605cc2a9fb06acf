/* Finds stretches. A stretch is a series of consecutive instructions that all lanes of a path
 * execute together, whatever values the registers have.
 *
 *         ld.param   stretch 3  step 3
 *         cvta       stretch 2  idle
 *         mov        stretch 1  idle
 *     @p  bra        stretch 0                control_run() decides which lanes go where
 *
 * `stretch` is the number of instructions from this one to the end of the stretch. An idle
 * instruction does nothing, because its result is known before the kernel starts (fixed.c). `step`
 * is the distance to the next instruction that must run. An idle instruction need not run, and
 * neither must a product that the next instruction also computes (fuse.c).
 *
 * Three things are done once for a whole stretch: counting the instructions, checking for the end
 * of the slice, and checking for the place where lanes reconverge. Doing them at each instruction
 * would double the cost of short instructions.
 *
 * So the profile of an instruction is a difference: how often lanes entered a stretch there, minus
 * how often they left a stretch early there. The sum of these differences from the start of the
 * stretch is the count of the instruction. */
#include "gpu/execute/stretch.h"

#include <stdlib.h>

#include "gpu/execute/decode.h"
#include "gpu/execute/operations.h"

#define MOST_STRETCH UINT16_MAX

void idle_run(struct warp *warp, const struct inst *inst, uint32_t mask)
{
    (void)warp, (void)inst, (void)mask;
}

/* Returns whether the instruction can be part of a stretch. These instructions cannot: a clock,
 * because its value depends on the number of instructions executed before it; an instruction that
 * may poll, because it counts as several instructions in a slice; a copy or a wait for a copy,
 * because the instructions between the two are counted. */
static bool is_straight(const struct inst *in)
{
    return in->kind == KIND_LANES && in->guard == NO_SLOT && !in->observes &&
           in->run != read_special_run && in->run != copy_run && in->run != wait_group_run &&
           in->run != wait_all_run;
}

/* Marks the reconvergence points: the instructions where lanes from one side of a branch wait for
 * lanes from the other side. */
static void mark_meetings(const struct kernel *kernel, bool *meets)
{
    for (uint32_t pc = 0; pc < kernel->code_count; pc++) {
        const struct inst *in = &kernel->code[pc];
        if ((in->kind == KIND_BRANCH || in->kind == KIND_RETURN) &&
            in->branch.meet < kernel->code_count)
            meets[in->branch.meet] = true;
    }
}

bool stretches_find(struct kernel *kernel)
{
    bool *meets = calloc((size_t)kernel->code_count + 1, sizeof *meets);
    if (!meets)
        return false;
    mark_meetings(kernel, meets);
    for (uint32_t pc = kernel->code_count; pc-- > 0;) {
        struct inst *in = &kernel->code[pc], *next = in + 1;
        if (!is_straight(in))
            continue;
        in->stretch = in->step = 1;
        if (pc + 1 == kernel->code_count || meets[pc + 1] || !next->stretch ||
            next->stretch == MOST_STRETCH)
            continue;
        next->follows = true;
        in->stretch = (uint16_t)(next->stretch + 1);
        in->step = next->run == idle_run ? (uint16_t)(next->step + 1) : 1;
    }
    free(meets);
    return true;
}

void stretches_add_up(const struct kernel *kernel, struct profile *profile)
{
    for (uint32_t pc = 1; pc < kernel->code_count; pc++) {
        if (!kernel->code[pc].follows)
            continue;
        profile[pc].warps += profile[pc - 1].warps;
        profile[pc].threads += profile[pc - 1].threads;
    }
}
