/* The recorder keeps one access for each requested source line: the access that wastes most,
 * measured as cost minus ideal cost. The report draws this access with all its addresses.
 *
 * The accesses that a warp makes on a line are numbered from 1. These numbers are called steps.
 * With them, a student can ask for "the third time that warp 2 comes here". The number of step
 * counters is fixed, so that memory use does not grow with the launch. Therefore some warps of a
 * very large launch are not recorded. Of two accesses with equal costs, the recorder keeps the one
 * with the lower block, warp and step. The result thus does not depend on the number of workers. */
#include <stdlib.h>
#include <string.h>

#include "gpu/lanes.h"
#include "gpu/observe/view.h"

/* there is one counter for each warp and line; counters take no memory until they are used */
#define STEP_COUNTERS ((size_t)1 << 20)
#define NO_LINE       UINT32_MAX

/* The cost of an instruction's latest access. A repeat of this access has the same cost. The cost
 * of a dense access depends on its place in a line. */
struct known {
    uint32_t cost, ideal;
    uint8_t place, space;
    bool is_valid;
};

struct state {
    const struct emu_trace *trace;
    struct known (*known)[2]; /* for each pc: of accesses that are not dense, and of dense ones */
    uint32_t *line_of;        /* index in `best` of each pc's line, or NO_LINE */
    uint32_t line_count;
    uint32_t cta_warps;
    uint64_t warps;  /* number of recorded warps, counted over all blocks */
    uint32_t *steps; /* for each warp: line_count counters */
    /* the access that is kept for each line; `step` is 0 if there is none yet */
    struct obs_recorded *best;
};

/* --- lines that are recorded ------------------------------------------------------------------ */

/* Returns whether PATH is FILE or ends with "/FILE". */
static bool is_file(struct ptx_name path, const char *file)
{
    size_t length = strlen(file);
    if (length > path.length || memcmp(path.text + path.length - length, file, length) != 0)
        return false;
    return length == path.length || path.text[path.length - length - 1] == '/';
}

static bool is_wanted(const struct launch_view *launch, const struct emu_trace *trace,
                      struct source_line place)
{
    return place.line && (!trace->line || place.line == trace->line) &&
           (!trace->file || is_file(ptx_file_path(launch->module, place.file), trace->file));
}

/* Returns the index of PLACE's line in `best`. Adds the line if it is new. */
static uint32_t index_of(struct state *state, struct source_line place)
{
    uint32_t i = 0;
    while (i < state->line_count &&
           (state->best[i].place.line != place.line || state->best[i].place.file != place.file))
        i++;
    if (i == state->line_count)
        state->best[state->line_count++].place = place;
    return i;
}

static void find_lines(struct state *state, const struct launch_view *launch)
{
    for (uint32_t pc = 0; pc < launch->code_count; pc++) {
        struct source_line place = view_line(launch, pc);
        state->line_of[pc] =
            is_wanted(launch, state->trace, place) ? index_of(state, place) : NO_LINE;
    }
}

static void recorder_free(struct state *state)
{
    free(state->known);
    free(state->line_of);
    free(state->steps);
    free(state->best);
    free(state);
}

static void *recorder_begin(const struct launch_view *launch)
{
    size_t room = (size_t)launch->code_count + 1;
    struct state *state = calloc(1, sizeof *state);
    if (!state)
        return NULL;
    state->trace = launch->options->trace;
    state->cta_warps = launch->warps;
    state->known = calloc(room, sizeof *state->known);
    state->line_of = calloc(room, sizeof *state->line_of);
    state->best = aligned_alloc(_Alignof(struct obs_recorded), room * sizeof *state->best);
    state->steps = calloc(STEP_COUNTERS, sizeof *state->steps);
    if (state->known && state->line_of && state->best && state->steps) {
        memset(state->best, 0, room * sizeof *state->best);
        find_lines(state, launch);
        state->warps = state->line_count ? STEP_COUNTERS / state->line_count : 0;
        return state;
    }
    recorder_free(state);
    return NULL;
}

/* --- accesses that are kept ------------------------------------------------------------------- */

/* Returns whether the access can be drawn. The counters observer must also count it as an access to
 * global or shared memory. */
static bool is_drawable(const struct obs_access *access)
{
    uint64_t bits = 0;
    for (unsigned l = 0; l < WARP; l++)
        bits |= access->addr[l];
    return ((access->space == PTX_GLOBAL && !access->is_texture) ||
            (access->space == PTX_SHARED && access->kind <= OBS_STORE)) &&
           !(bits & (access->bytes - 1u));
}

static bool is_chosen(const struct emu_trace *trace, uint64_t cta, uint32_t warp, uint32_t step)
{
    return (trace->block == EMU_ANY || trace->block == cta) &&
           (trace->warp == EMU_ANY || trace->warp == warp) &&
           (trace->step == EMU_ANY || trace->step == step);
}

/* Returns whether an access of COST is recorded rather than BEST. It is the STEPth of WARP in block
 * CTA on the line. */
static bool is_better(uint32_t cost, uint32_t ideal, uint64_t cta, uint32_t warp, uint32_t step,
                      const struct obs_recorded *best)
{
    uint32_t loss = cost - ideal, best_loss = best->cost - best->ideal;
    if (!best->step || loss != best_loss)
        return !best->step || loss > best_loss;
    if (cost != best->cost)
        return cost > best->cost;
    if (cta != best->access.cta)
        return cta < best->access.cta;
    if (warp != best->access.warp)
        return warp < best->access.warp;
    return step < best->step;
}

/* Returns the cost of ACCESS, which is only measured if it does not repeat another access. */
static const struct known *cost_of(struct state *state, const struct obs_access *access)
{
    struct known *known = &state->known[access->pc][access->dense];
    uint8_t place = access->addr[0] % 128;
    bool is_same =
        access->dense ? known->place == place && known->space == access->space : access->repeats;
    if (!known->is_valid || !is_same) {
        obs_measure(access, &known->cost, &known->ideal);
        known->place = place;
        known->space = access->space;
        known->is_valid = true;
    }
    return known;
}

/* Returns the counter of WARP's steps on the line of PC, or NULL if its accesses are not
 * recorded. */
static uint32_t *steps_of(const struct state *state, uint32_t pc, uint64_t cta, uint32_t warp)
{
    uint64_t number = cta * state->cta_warps + warp;
    return number < state->warps ? &state->steps[number * state->line_count + state->line_of[pc]]
                                 : NULL;
}

static void recorder_access(void *argument, const struct obs_access *access)
{
    struct state *state = argument;
    uint32_t line = state->line_of[access->pc];
    if (line == NO_LINE)
        return;
    uint32_t *steps = steps_of(state, access->pc, access->cta, access->warp);
    struct obs_recorded *best = &state->best[line];
    /* later repeats are of this access, so the known cost is out of date, even if this access is
     * not measured */
    if (!access->repeats && !access->dense)
        state->known[access->pc][false].is_valid = false;
    if (!steps || !is_drawable(access))
        return;
    uint32_t step = ++*steps;
    if (!is_chosen(state->trace, access->cta, access->warp, step))
        return;
    const struct known *known = cost_of(state, access);
    if (is_better(known->cost, known->ideal, access->cta, access->warp, step, best)) {
        best->access = *access;
        best->step = step;
        best->cost = known->cost;
        best->ideal = known->ideal;
    }
}

/* Only counts nearly all repeats. Asks for all addresses if the repeat will be recorded, or if its
 * cost is not known. */
static enum obs_answer recorder_repeat(void *argument, const struct obs_repeat *repeat)
{
    struct state *state = argument;
    uint32_t line = state->line_of[repeat->pc];
    if (line == NO_LINE)
        return OBS_COUNT_ONLY;
    uint32_t *steps = steps_of(state, repeat->pc, repeat->cta, repeat->warp);
    if (!steps)
        return OBS_DONE;
    const struct known *known = &state->known[repeat->pc][repeat->dense];
    bool is_known = known->is_valid && known->space == repeat->space &&
                    (!repeat->dense || known->place == repeat->first % 128);
    if (!is_known || (is_chosen(state->trace, repeat->cta, repeat->warp, *steps + 1) &&
                      is_better(known->cost, known->ideal, repeat->cta, repeat->warp, *steps + 1,
                                &state->best[line])))
        return OBS_FULL;
    ++*steps;
    return OBS_DONE;
}

/* --- results ---------------------------------------------------------------------------------- */

static bool precedes(const struct obs_recorded *one, const struct obs_recorded *other)
{
    return is_better(one->cost, one->ideal, one->access.cta, one->access.warp, one->step, other);
}

static void recorder_join(void *into, void *argument)
{
    struct state *total = into, *state = argument;
    for (uint32_t i = 0; i < total->line_count; i++)
        if (state->best[i].step && precedes(&state->best[i], &total->best[i]))
            total->best[i] = state->best[i];
    recorder_free(state);
}

static void recorder_end(void *argument, const struct launch_view *launch,
                         struct emu_counters *per_instruction)
{
    struct state *state = argument;
    uint32_t count = 0;
    (void)per_instruction;
    for (uint32_t i = 0; i < state->line_count; i++)
        if (state->best[i].step)
            state->best[count++] = state->best[i];
    launch->recording->list = state->best;
    launch->recording->count = count;
    state->best = NULL;
    recorder_free(state);
}

const struct observer obs_recorder = {
    .name = "recorder",
    .events = OBS_ACCESS,
    .begin = recorder_begin,
    .access = recorder_access,
    .repeat = recorder_repeat,
    .join = recorder_join,
    .end = recorder_end,
};
