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

struct state {
    const struct emu_trace *trace;
    uint32_t *line_of; /* index in `best` of each pc's line, or NO_LINE */
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
    state->line_of = calloc(room, sizeof *state->line_of);
    state->best = aligned_alloc(_Alignof(struct obs_recorded), room * sizeof *state->best);
    state->steps = calloc(STEP_COUNTERS, sizeof *state->steps);
    if (state->line_of && state->best && state->steps) {
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

static bool is_chosen(const struct emu_trace *trace, const struct obs_access *access, uint32_t step)
{
    return (trace->block == EMU_ANY || trace->block == access->cta) &&
           (trace->warp == EMU_ANY || trace->warp == access->warp) &&
           (trace->step == EMU_ANY || trace->step == step);
}

static bool is_better(const struct obs_recorded *one, const struct obs_recorded *other)
{
    uint32_t loss = one->cost - one->ideal, other_loss = other->cost - other->ideal;
    if (!other->step || loss != other_loss)
        return !other->step || loss > other_loss;
    if (one->cost != other->cost)
        return one->cost > other->cost;
    if (one->access.cta != other->access.cta)
        return one->access.cta < other->access.cta;
    if (one->access.warp != other->access.warp)
        return one->access.warp < other->access.warp;
    return one->step < other->step;
}

static void recorder_access(void *argument, const struct obs_access *access)
{
    struct state *state = argument;
    uint32_t line = state->line_of[access->pc];
    uint64_t warp = access->cta * state->cta_warps + access->warp;
    if (line == NO_LINE || warp >= state->warps || !is_drawable(access))
        return;
    struct obs_recorded *best = &state->best[line], now = {.access = *access, .place = best->place};
    now.step = ++state->steps[warp * state->line_count + line];
    if (!is_chosen(state->trace, access, now.step))
        return;
    obs_measure(access, &now.cost, &now.ideal);
    if (is_better(&now, best))
        *best = now;
}

/* --- results ---------------------------------------------------------------------------------- */

static void recorder_join(void *into, void *argument)
{
    struct state *total = into, *state = argument;
    for (uint32_t i = 0; i < total->line_count; i++)
        if (state->best[i].step && is_better(&state->best[i], &total->best[i]))
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
    .join = recorder_join,
    .end = recorder_end,
};
