/* Stretches: consecutive instructions that a path's lanes execute together, whatever their
 * values.
 *
 *         ld.param   stretch 3  step 3        an idle instruction has nothing to do: its result is known
 *         cvta       stretch 2  idle          before the kernel starts (fixed.c), so it is stepped over
 *         mov        stretch 1  idle
 *     @p  bra        stretch 0                control must find out which lanes go where
 *
 * Counting an instruction, checking for the end of the slice and for lanes to wait for is done
 * once for a whole stretch: for short instructions it would double the cost. So a profile counts
 * only how often lanes entered a stretch at an instruction, less how often they left it there
 * early. The running sums from the start of the stretch give the count of each instruction. */
#include "gpu/execute/stretch.h"

#include <stdlib.h>

#include "gpu/execute/decode.h"
#include "gpu/execute/operations.h"

void idle_run(struct warp *warp, const struct inst *inst, uint32_t mask)
{
    (void)warp, (void)inst, (void)mask;
}

/* Clocks count the instructions before them, and instructions that may poll cost more of the
 * slice. */
static bool is_straight(const struct inst *in)
{
    return in->kind == KIND_LANES && in->guard == NO_SLOT && !in->observes &&
           in->run != read_special_run;
}

/* Lanes may wait here for lanes from the other side of a branch. */
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
        if (pc + 1 == kernel->code_count || meets[pc + 1] || !next->stretch)
            continue;
        next->follows = true;
        in->stretch += next->stretch;
        in->step += next->run == idle_run ? next->step : 0;
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
