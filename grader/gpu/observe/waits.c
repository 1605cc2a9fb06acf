/* The waits observer counts how often warps wait for a load from global memory.
 *
 * A GPU does not wait at a load, but at the first instruction that uses the loaded value. The
 * latency of memory is hidden if the warp executes enough other instructions in between. The
 * observer therefore follows each warp's path. It counts a wait if the warp reaches the first use
 * of the value of a load (or an atomic) too soon. async.c counts waits for copies by cp.async in
 * the same way.
 *
 * A kernel could hide waits by instructions that are of no use. For the counter waits_uncovered,
 * only instructions that add or multiply floats hide a wait, and each lane counts. A lab that knows
 * how many of these its job needs can refuse more.
 *
 * The uses are found before the launch (analyse/uses.c). At run time, the observer notes for each
 * warp and load how many instructions the warp had executed when it last started the load. The
 * emulator reports a step before the accesses of its instructions. So the observer advances through
 * a step only up to the instruction whose access has been reported. */
#include <stdlib.h>
#include <string.h>

#include "gpu/analyse/uses.h"
#include "gpu/observe/view.h"

#define NO_LOAD UINT32_MAX
#define NO_CTA  UINT64_MAX

/* The instruction at `pc` uses the value of the load with index `load`. */
struct use {
    uint32_t pc, load;
};

/* The position of a warp. `executed` is the number of instructions that it executed before `pc`,
 * and `added` the number of float additions and multiplications of its lanes. */
struct progress {
    uint64_t executed, added;
    uint64_t arrival; /* value of `added` that covers the latest load */
    uint32_t lanes;   /* number of lanes that execute the step */
    /* the rest of the step that was reported last is from `pc` up to `end`, exclusive */
    uint32_t pc, end;
};

struct waits {
    const struct launch_view *launch;
    uint32_t load_count, use_count;
    uint32_t *load_at; /* for each pc, the index of the load there, or NO_LOAD */
    struct use *uses;  /* sorted by pc */
    /* for each pc, and for the end of the code: the index in `uses` of the first use at this pc or
     * later */
    uint32_t *first_use;
    uint32_t *adds;       /* for each pc and the end: view_instruction.adds */
    uint64_t *counts;     /* for each load, how often a warp has waited for it */
    uint64_t *uncovered;  /* for each load, the same for waits_uncovered */
    uint64_t *seats;      /* for each seat (view.h), the running CTA, or NO_CTA */
    struct progress *now; /* for each seat and warp */
    /* for each seat, warp and load, the value of `executed` after the load started, or 0 if the
     * loaded value has been used; and the value of `added` that covers the load */
    uint64_t *started, *arrivals;
};

/* --- begin ------------------------------------------------------------------------------------ */

static void waits_free(struct waits *waits)
{
    free(waits->load_at);
    free(waits->uses);
    free(waits->first_use);
    free(waits->adds);
    free(waits->counts);
    free(waits->uncovered);
    free(waits->seats);
    free(waits->now);
    free(waits->started);
    free(waits->arrivals);
    free(waits);
}

static bool is_load(const struct launch_view *launch, uint32_t pc, const struct ptx_instruction *in)
{
    enum view_kind kind = view_instruction(launch, pc).kind;
    enum ptx_space space = ptx_space_of(in);
    return kind == VIEW_TEXTURE ||
           ((kind == VIEW_LOAD || kind == VIEW_ATOMIC || kind == VIEW_MATRIX) &&
            (space == PTX_GLOBAL || space == PTX_GENERIC));
}

/* The list of uses while it is being filled. */
struct list {
    struct waits *waits;
    uint32_t start, room; /* pc of the first instruction of the function */
    bool failed;
};

static void add_use(void *context, uint32_t at)
{
    struct list *list = context;
    struct waits *waits = list->waits;
    if (waits->use_count == list->room) {
        uint32_t room = list->room ? 2 * list->room : 64;
        struct use *uses = realloc(waits->uses, room * sizeof *uses);
        list->failed |= !uses;
        if (!uses)
            return;
        waits->uses = uses;
        list->room = room;
    }
    waits->uses[waits->use_count++] = (struct use){list->start + at, waits->load_count};
}

static bool find_uses(struct waits *waits)
{
    struct list list = {.waits = waits};
    for (uint32_t pc = 0; pc < waits->launch->code_count; pc++) {
        uint32_t index;
        const struct ptx_function *function = view_function(waits->launch, pc, &index);
        waits->load_at[pc] = NO_LOAD;
        waits->adds[pc] = waits->adds[pc + 1] = view_instruction(waits->launch, pc).adds;
        if (index >= function->code_count || !is_load(waits->launch, pc, &function->code[index]))
            continue;
        list.start = pc - index;
        if (!analyse_first_uses(function, index, UINT32_MAX, add_use, &list) || list.failed)
            return false;
        waits->load_at[pc] = waits->load_count++;
    }
    return true;
}

static int by_pc(const void *a, const void *b)
{
    uint32_t x = ((const struct use *)a)->pc, y = ((const struct use *)b)->pc;
    return (x > y) - (x < y);
}

static void sort_uses(struct waits *waits)
{
    uint32_t use = 0;
    if (waits->use_count)
        qsort(waits->uses, waits->use_count, sizeof *waits->uses, by_pc);
    for (uint32_t pc = 0; pc <= waits->launch->code_count; pc++) {
        while (use < waits->use_count && waits->uses[use].pc < pc)
            use++;
        waits->first_use[pc] = use;
    }
}

static bool make_seats(struct waits *waits)
{
    size_t seats = waits->launch->resident, warps = seats * waits->launch->warps;
    waits->counts = calloc((size_t)waits->load_count + 1, sizeof *waits->counts);
    waits->seats = malloc(seats * sizeof *waits->seats);
    waits->now = calloc(warps, sizeof *waits->now);
    waits->started = calloc(warps * waits->load_count + 1, sizeof *waits->started);
    waits->arrivals = calloc(warps * waits->load_count + 1, sizeof *waits->arrivals);
    waits->uncovered = calloc((size_t)waits->load_count + 1, sizeof *waits->uncovered);
    for (size_t i = 0; waits->seats && i < seats; i++)
        waits->seats[i] = NO_CTA;
    return waits->counts && waits->seats && waits->now && waits->started && waits->arrivals &&
           waits->uncovered;
}

static void *waits_begin(const struct launch_view *launch)
{
    size_t count = (size_t)launch->code_count + 1;
    struct waits *waits = calloc(1, sizeof *waits);
    if (!waits)
        return NULL;
    waits->launch = launch;
    waits->load_at = malloc(count * sizeof *waits->load_at);
    waits->first_use = malloc(count * sizeof *waits->first_use);
    waits->adds = malloc(count * sizeof *waits->adds);
    if (waits->load_at && waits->first_use && waits->adds && find_uses(waits) &&
        make_seats(waits)) {
        sort_uses(waits);
        return waits;
    }
    waits_free(waits);
    return NULL;
}

/* --- events ----------------------------------------------------------------------------------- */

/* Returns the seat of CTA, or launch->resident if CTA is not running. */
static uint32_t seat_of(const struct waits *waits, uint64_t cta)
{
    uint32_t seat = 0;
    while (seat < waits->launch->resident && waits->seats[seat] != cta)
        seat++;
    return seat;
}

static bool waits_follows(void *state, uint64_t cta)
{
    struct waits *waits = state;
    uint32_t seat = seat_of(waits, NO_CTA), warps = waits->launch->warps;
    if (!waits->use_count || seat == waits->launch->resident)
        return false;
    waits->seats[seat] = cta;
    memset(waits->now + (size_t)seat * warps, 0, warps * sizeof *waits->now);
    memset(waits->started + (size_t)seat * warps * waits->load_count, 0,
           (size_t)warps * waits->load_count * sizeof *waits->started);
    return true;
}

/* Returns how many additions and multiplications a warp will have made when it has executed the
 * instructions of its step before PC. */
static uint64_t added_at(const struct waits *waits, const struct progress *now, uint32_t pc)
{
    return now->added + (uint64_t)now->lanes * (waits->adds[pc] - waits->adds[now->pc]);
}

/* Advances a warp to END and counts its waits on the way. WARP is its index in `now`. */
static void advance(struct waits *waits, size_t warp, uint32_t end)
{
    struct progress *now = &waits->now[warp];
    uint64_t *started = waits->started + warp * waits->load_count;
    const uint64_t *arrivals = waits->arrivals + warp * waits->load_count;
    for (uint32_t i = waits->first_use[now->pc]; i < waits->first_use[end]; i++) {
        struct use use = waits->uses[i];
        uint64_t executed = now->executed + (use.pc - now->pc);
        if (started[use.load] && executed + 1 - started[use.load] <= EMU_HIDES_LATENCY)
            waits->counts[use.load]++;
        if (started[use.load] && added_at(waits, now, use.pc) < arrivals[use.load]) {
            waits->uncovered[use.load]++;
            now->arrival = 0; /* later loads do not wait for this one */
        }
        started[use.load] = 0;
    }
    now->added = added_at(waits, now, end);
    now->executed += end - now->pc;
    now->pc = end;
}

static void waits_step(void *state, const struct obs_step *step)
{
    struct waits *waits = state;
    size_t warp = (size_t)seat_of(waits, step->cta) * waits->launch->warps + step->warp;
    struct progress *now = &waits->now[warp];
    advance(waits, warp, now->end);
    now->pc = step->pc;
    now->end = step->pc + step->count;
    now->lanes = (uint32_t)__builtin_popcount(step->lanes);
}

static void start(struct waits *waits, uint64_t cta, uint32_t index, uint32_t pc)
{
    uint32_t seat = seat_of(waits, cta), load = waits->load_at[pc];
    if (load == NO_LOAD || seat == waits->launch->resident)
        return;
    size_t warp = (size_t)seat * waits->launch->warps + index;
    if (pc < waits->now[warp].pc || pc >= waits->now[warp].end)
        return;
    /* handle uses before and at this load first, because its address may come from an earlier
     * load */
    advance(waits, warp, pc + 1);
    struct progress *now = &waits->now[warp];
    now->arrival = counters_arrival(now->added, now->arrival);
    waits->started[warp * waits->load_count + load] = now->executed;
    waits->arrivals[warp * waits->load_count + load] = now->arrival;
}

static void waits_access(void *state, const struct obs_access *access)
{
    if (access->space == PTX_GLOBAL && access->kind != OBS_STORE)
        start(state, access->cta, access->warp, access->pc);
}

static enum obs_answer waits_repeat(void *state, const struct obs_repeat *repeat)
{
    if (repeat->times > 1)
        return OBS_COUNT_ONLY;
    if (repeat->space == PTX_GLOBAL && repeat->kind != OBS_STORE)
        start(state, repeat->cta, repeat->warp, repeat->pc);
    return OBS_DONE;
}

static void waits_ended(void *state, uint64_t cta, uint64_t instructions, uint64_t longest)
{
    struct waits *waits = state;
    uint32_t seat = seat_of(waits, cta), warps = waits->launch->warps;
    (void)instructions;
    (void)longest;
    if (seat == waits->launch->resident)
        return;
    for (size_t w = (size_t)seat * warps; w < ((size_t)seat + 1) * warps; w++)
        advance(waits, w, waits->now[w].end);
    waits->seats[seat] = NO_CTA;
}

/* --- end -------------------------------------------------------------------------------------- */

static void waits_join(void *into, void *state)
{
    struct waits *total = into, *waits = state;
    for (uint32_t i = 0; i < total->load_count; i++) {
        total->counts[i] += waits->counts[i];
        total->uncovered[i] += waits->uncovered[i];
    }
    waits_free(waits);
}

static void waits_end(void *state, const struct launch_view *launch,
                      struct emu_counters *per_instruction)
{
    struct waits *waits = state;
    for (uint32_t pc = 0; per_instruction && pc < launch->code_count; pc++) {
        uint32_t load = waits->load_at[pc];
        if (load == NO_LOAD)
            continue;
        per_instruction[pc].value[EMU_waits_for_loads] = waits->counts[load];
        per_instruction[pc].value[EMU_waits_uncovered] = waits->uncovered[load];
    }
    waits_free(waits);
}

const struct observer obs_waits = {
    .name = "waits",
    .events = OBS_ACCESS | OBS_STEP,
    .begin = waits_begin,
    .access = waits_access,
    .repeat = waits_repeat,
    .follows = waits_follows,
    .step = waits_step,
    .ended = waits_ended,
    .join = waits_join,
    .end = waits_end,
};
