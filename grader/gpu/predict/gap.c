/* Finds the reason why a launch's time cannot be predicted from the instructions that its warps
 * executed ("gap"): threads wait until another thread stores a value, or functions call
 * themselves. */
#include <stdlib.h>

#include "gpu/analyse/flags.h"
#include "gpu/predict/sample.h"

static const char *const texts[] = {
    [PREDICT_NO_GAP] = "",
    [PREDICT_BLOCKS_WAIT] = "blocks wait for each other",
    [PREDICT_THREADS_WAIT] = "threads wait for a value that others store",
    [PREDICT_CALLS_ITSELF] = "a function calls itself",
};

const char *predict_gap_text(enum predict_gap gap)
{
    return texts[gap];
}

static bool was_executed(const struct emu_counters *counters, uint32_t pc)
{
    return !counters || counters[pc].value[EMU_warp_instructions] > 0;
}

/* --- waits ------------------------------------------------------------------------------------ */

/* Returns whether the instruction at INDEX tries in a loop to take a lock. A loop that repeats
 * an atomicCAS() with the value that it has last read is no lock: one of the threads always
 * succeeds. */
static bool takes_lock(const struct ptx_function *f, uint32_t index)
{
    const struct ptx_instruction *in = &f->code[index];
    if (in->opcode != PTX_OP_atom || !(ptx_has(in, PTX_MOD_cas) || ptx_has(in, PTX_MOD_exch)))
        return false;
    unsigned use = analyse_flag(f, index);
    return use & FLAG_POLLED_THERE && !(use & FLAG_GUESSED);
}

/* Searches the function that begins at pc FIRST for an executed instruction that waits for another
 * thread. Sets P's gap to the first one. Returns whether there is one. */
static bool find_wait(const struct launch_view *launch, const struct emu_counters *counters,
                      uint32_t first, struct prediction *p)
{
    uint32_t index;
    const struct ptx_function *f = view_function(launch, first, &index);
    bool *polls = calloc(f->code_count + 1u, sizeof *polls);
    if (polls)
        analyse_polls(f, polls);
    for (uint32_t i = 0; polls && i < f->code_count && !p->gap; i++) {
        if (!was_executed(counters, first + i) || !(polls[i] || takes_lock(f, i)))
            continue;
        enum ptx_space space = ptx_space_of(&f->code[i]);
        bool far = launch->cta_count > 1 && space != PTX_SHARED;
        p->gap = far ? PREDICT_BLOCKS_WAIT : PREDICT_THREADS_WAIT;
        p->gap_pc = first + i;
    }
    free(polls);
    return p->gap != PREDICT_NO_GAP;
}

/* --- recursion -------------------------------------------------------------------------------- */

struct calls {
    const struct launch_view *launch;
    const struct emu_counters *counters;
    /* state of the depth-first search for each function: is_open while its callees are being
     * searched, is_done afterwards */
    bool *is_open, *is_done;
    struct prediction *p;
};

/* Searches the functions that function NUMBER calls, depth first. If a call leads back to a
 * function that is still open, makes this call P's gap. */
static void visit(struct calls *calls, uint32_t number)
{
    uint32_t first, end;
    view_range(calls->launch, number, &first, &end);
    calls->is_open[number] = true;
    for (uint32_t pc = first; pc < end && !calls->p->gap; pc++) {
        struct view_instruction in = view_instruction(calls->launch, pc);
        if (in.kind != VIEW_CALL || in.callee >= calls->launch->function_count ||
            !was_executed(calls->counters, pc))
            continue;
        if (calls->is_open[in.callee]) {
            calls->p->gap = PREDICT_CALLS_ITSELF;
            calls->p->gap_pc = pc;
        } else if (!calls->is_done[in.callee]) {
            visit(calls, in.callee);
        }
    }
    calls->is_open[number] = false;
    calls->is_done[number] = true;
}

static void find_recursion(const struct launch_view *launch, const struct emu_counters *counters,
                           struct prediction *p)
{
    bool *state = calloc(2u * launch->function_count, sizeof *state);
    struct calls calls = {launch, counters, state, state ? state + launch->function_count : NULL,
                          p};
    if (state)
        visit(&calls, 0);
    free(state);
}

bool predict_find_gap(const struct launch_view *launch, const struct emu_counters *counters,
                      struct prediction *p)
{
    for (uint32_t i = 0; i < launch->function_count; i++) {
        uint32_t first, end;
        view_range(launch, i, &first, &end);
        if (find_wait(launch, counters, first, p))
            return true;
    }
    find_recursion(launch, counters, p);
    return p->gap != PREDICT_NO_GAP;
}
