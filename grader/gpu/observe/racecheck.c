/* The racecheck observer finds races. A race is two accesses to the same byte by different threads,
 * at least one of which is a write, if nothing orders the two accesses.
 *
 * race_order.h decides which accesses are ordered. race_shadow.h records which threads accessed a
 * byte before. A single worker runs a launch that racecheck checks, so that the findings are the
 * same in every run.
 *
 * A cp.async can write at any time from its start until its thread has waited for it. So an earlier
 * access must be ordered before the start. An access in between is never ordered with the copy,
 * even if the copy's own thread makes it. The same is true of a cp.async.bulk to shared memory,
 * until a thread waits for its mbarrier.
 *
 * The following pairs are not races:
 *
 *   - two atomics
 *   - two writes of the same value, because their order makes no difference
 *   - a volatile load that waits for a volatile or atomic write, or checks whether it has happened
 *   - an atomicCAS() and the plain load with which the loop around it begins
 *
 * The lanes of a warp are not ordered either. Only __syncwarp() orders them; shuffles and votes do
 * not order memory (CUDA programming guide, "Warp Shuffle Functions"). So lanes that exchange
 * volatile data without __syncwarp() also race. */
#include <stdlib.h>
#include <string.h>

#include "gpu/observe/race.h"

/* --- sites ------------------------------------------------------------------------------------ */

static uint8_t strength_of(const struct ptx_instruction *in)
{
    if (in->opcode == PTX_OP_atom || in->opcode == PTX_OP_red || ptx_has(in, PTX_MOD_relaxed) ||
        ptx_has(in, PTX_MOD_acquire) || ptx_has(in, PTX_MOD_release))
        return RACE_STRONG;
    /* accesses that bypass the L1 cache serve the same purpose as volatile ones */
    return ptx_has(in, PTX_MOD_volatile) || ptx_has(in, PTX_MOD_cv) || ptx_has(in, PTX_MOD_cg) ||
                   ptx_has(in, PTX_MOD_wt)
               ? RACE_VOLATILE
               : RACE_WEAK;
}

static bool is_access(enum view_kind kind)
{
    return kind == VIEW_LOAD || kind == VIEW_STORE || kind == VIEW_ATOMIC || kind == VIEW_COPY ||
           kind == VIEW_ROWS || kind == VIEW_MATRIX || kind == VIEW_TEXTURE;
}

/* Lists the kernel's memory instructions, called sites. If there are more of them than a stamp can
 * distinguish, the last ones share a site. */
static bool find_sites(struct race *race, const struct launch_view *launch)
{
    /* at most this many sites: an asynchronous copy has two */
    size_t most = 2 * (size_t)launch->code_count + 2;
    race->code = calloc((size_t)launch->code_count + 1, sizeof *race->code);
    race->sites = calloc(most < STAMP_SITES ? most : STAMP_SITES, sizeof *race->sites);
    race->site_count = 1; /* index 0 means that there is no site */
    for (uint32_t pc = 0; race->code && race->sites && pc < launch->code_count; pc++) {
        struct view_instruction view = view_instruction(launch, pc);
        if (!is_access(view.kind))
            continue;
        uint32_t site = race->site_count < STAMP_SITES - 1 ? race->site_count++ : STAMP_SITES - 1;
        const struct ptx_instruction *in = view_ptx(launch, pc);
        race->code[pc] = (struct race_code){
            .site = (uint16_t)site,
            .bytes = view.kind == VIEW_ROWS ? 16 : view.bytes,
            .is_copy = view.kind == VIEW_COPY,
            .shows_old = view.kind == VIEW_ATOMIC && view.access == OBS_ATOMIC,
        };
        race->sites[site] = (struct race_site){
            .pc = pc,
            .kind = view.access == OBS_LOAD ? RACE_READ
                    : view.kind == VIEW_ATOMIC || view.access == OBS_REDUCTION
                        ? RACE_ATOMIC
                        : RACE_WRITE, /* a copy writes to shared memory */
            .strength = strength_of(in),
            .implies_fence = ptx_has(in, PTX_MOD_release) || ptx_has(in, PTX_MOD_acq_rel),
        };
        race->has_copies |= view.kind == VIEW_COPY;
        /* the second site of a copy: its read */
        if (view.kind == VIEW_COPY && race->site_count < STAMP_SITES - 1)
            race->sites[race->site_count++] = (struct race_site){.pc = pc, .kind = RACE_READ};
    }
    return race->code && race->sites;
}

/* --- accesses --------------------------------------------------------------------------------- */

/* Records that an atomic or volatile access orders threads: a write makes a release, and a read
 * makes an acquire (race_order.h). */
static void synchronise(struct race *race, const struct obs_access *access,
                        const struct race_site *site)
{
    uint64_t owner = race_owner(race_shared_of(race, access));
    if (site->kind != RACE_READ)
        order_release_at(&race->order, access->warp, access->mask, site->implies_fence,
                         access->addr, owner);
    if (site->kind == RACE_READ || access->kind == OBS_ATOMIC)
        order_acquire(&race->order, access->warp, access->mask, access->addr, owner);
}

struct race_shared *race_shared_of(const struct race *race, const struct obs_access *access)
{
    return access->space == PTX_GLOBAL    ? NULL
           : access->space == PTX_CLUSTER ? &race->seats[access->seat]
                                          : race->shared;
}

uint32_t race_site_of(const struct race *race, const struct obs_access *access)
{
    uint32_t site = race->code[access->pc].site;
    bool is_copied = access->kind == OBS_LOAD && race->code[access->pc].is_copy;
    if (!is_copied)
        return site;
    return site + 1 < STAMP_SITES && race->sites[site + 1].pc == access->pc ? site + 1 : 0;
}

/* Puts a new stamp on the bytes that LANES have copied asynchronously. Leaves out bytes that
 * another access has written since. STAMP is the stamp of lane 0. */
static void stamp_copy(struct shadow *shadow, const uint64_t *addr, uint32_t lanes, uint32_t bytes,
                       uint64_t stamp)
{
    const uint64_t who = (1u << (STAMP_SITE_BITS + STAMP_THREAD_BITS)) - 1;
    for (; lanes; lanes &= lanes - 1) {
        uint64_t lane = (uint64_t)__builtin_ctz(lanes), mine = stamp + (lane << STAMP_SITE_BITS);
        uint64_t *cell = &shadow->write[addr[lane] >> shadow->shift];
        for (uint32_t i = 0; i < bytes >> shadow->shift; i++)
            cell[i] = (cell[i] ^ mine) & who ? cell[i] : mine;
    }
}

static bool visit_shared(void *context, const struct obs_access *access)
{
    struct race *race = context;
    struct race_shared *shared = race_shared_of(race, access);
    shared->is_used = true;
    return race_visit(race, access, &shared->shadow,
                      race_valid_lanes(access, shared->shadow.bytes));
}

/* Ends the interval (race_interval.h). Must be called before any event that an interval cannot
 * note. */
static void end_interval(struct race *race)
{
    if (race->interval.is_deferred)
        race->failed |= !interval_end(&race->interval, visit_shared, race);
}

/* Returns whether an access by the instruction at PC may be noted and checked later. The access
 * must be at least as large as a cell of the shadow (race_shadow.h), because a smaller access makes
 * the cells smaller. */
static bool is_plain(const struct race *race, uint32_t pc, bool is_shared)
{
    const struct race_site *site = &race->sites[race->code[pc].site];
    unsigned least = is_shared ? 1u << race->shared->shadow.shift : 4;
    return site->strength == RACE_WEAK && site->kind != RACE_ATOMIC &&
           race->code[pc].bytes >= least;
}

/* Notes the access if possible. Otherwise ends the interval and returns false. The caller must then
 * check the access immediately. */
static bool is_deferred_access(struct race *race, const struct obs_access *access)
{
    if (race->interval.is_deferred && is_plain(race, access->pc, true) &&
        race_valid_lanes(access, race->interval.bytes) == access->mask &&
        interval_note(&race->interval, access))
        return true;
    end_interval(race);
    interval_miss(&race->interval, access->pc);
    return false;
}

/* Returns whether racecheck checks accesses to this memory. */
static bool is_watched(const struct obs_access *access)
{
    return access->space == PTX_SHARED || access->space == PTX_GLOBAL ||
           (access->space == PTX_CLUSTER && access->seat != OBS_NO_SEAT);
}

static void racecheck_access(void *state, const struct obs_access *access)
{
    struct race *race = state;
    const struct race_code *code = &race->code[access->pc];
    const struct race_site *site = &race->sites[code->site];
    if (race->failed || race->order.failed || !race->order.current || !access->mask ||
        !is_watched(access) || !race_site_of(race, access))
        return;
    if (access->space == PTX_SHARED && is_deferred_access(race, access))
        return;
    if (site->implies_fence)
        end_interval(race);
    /* A store may overwrite a signal at its own address. It must be checked before it is recorded
     * as a release. */
    bool is_sync = site->strength != RACE_WEAK, is_late = site->kind == RACE_WRITE;
    if (is_sync && !is_late)
        synchronise(race, access, site);
    if (access->space == PTX_GLOBAL)
        race->failed |= !global_visit(race, access, is_plain(race, access->pc, false));
    else
        race->failed |= !visit_shared(race, access);
    if (is_sync && is_late)
        synchronise(race, access, site);
    struct race_shared *shared = race_shared_of(race, access);
    if (code->is_copy && shared && access->kind == OBS_STORE)
        stamp_copy(&shared->shadow, access->addr, race_valid_lanes(access, shared->shadow.bytes),
                   access->bytes, stamp_make(COPY_PENDING, access->warp * WARP, code->site));
}

static enum obs_answer racecheck_repeat(void *state, const struct obs_repeat *repeat)
{
    struct race *race = state;
    if (race->failed || race->order.failed || !race->order.current ||
        (repeat->space != PTX_SHARED && repeat->space != PTX_GLOBAL))
        return OBS_DONE;
    if (repeat->space == PTX_GLOBAL)
        return global_repeat(race, repeat) ? OBS_DONE : OBS_FULL;
    return race->interval.is_deferred && is_plain(race, repeat->pc, true) &&
                   interval_note_repeat(&race->interval, repeat)
               ? OBS_DONE
               : OBS_FULL;
}

/* --- CTAs ------------------------------------------------------------------------------------- */

/* Returns whether accesses to shared memory may be noted and checked later. This is not possible in
 * a cluster, because other CTAs may access the memory in between. */
static bool may_defer_shared(const struct race *race)
{
    return race_may_defer(race) && race->launch->cluster_size == 1;
}

bool race_may_defer(const struct race *race)
{
    return !race_checks_every_access && !race->has_copies;
}

/* Makes the shadow of EVENT's CTA, race->seats[event->seat], the current one. If the CTA has just
 * started, clears the shadow and begins an interval. */
static bool take_shared(struct race *race, const struct obs_order *event)
{
    struct race_shared *shared = race->shared = &race->seats[event->seat];
    bool is_new = !shared->shadow.write;
    if (!is_new && shared->cta == event->cta)
        return true;
    if (is_new && !shadow_open(&shared->shadow, race->launch->shared_bytes))
        return false;
    if (shared->is_used)
        shadow_clear(&shared->shadow);
    shared->is_used = false;
    shared->cta = event->cta;
    shared->bytes = event->shared;
    if (may_defer_shared(race))
        interval_begin(&race->interval);
    return true;
}

static void racecheck_order(void *state, const struct obs_order *event)
{
    struct race *race = state;
    const struct order_cta *current = race->order.current;
    bool whole = event->kind == OBS_BARRIER && event->whole;
    if (race->failed || (event->kind == OBS_CTA_RUNS && current && current->linear == event->cta))
        return;
    if (event->kind == OBS_CTA_ENDS)
        interval_end(&race->interval, NULL, NULL);
    else if (!whole)
        end_interval(race);
    order_event(&race->order, event);
    if (event->kind == OBS_COPIED && current)
        stamp_copy(
            &race->shared->shadow, event->place, event->lanes, event->bytes,
            stamp_make(current->now[event->warp], event->warp * WARP, race->code[event->pc].site));
    if (whole && may_defer_shared(race))
        interval_begin(&race->interval);
    if (event->kind == OBS_CTA_RUNS)
        race->failed = !take_shared(race, event);
}

/* --- beginning and end ------------------------------------------------------------------------ */

static void racecheck_free(struct race *race)
{
    order_free(&race->order);
    interval_close(&race->interval);
    global_close(&race->global);
    for (uint32_t i = 0; race->seats && i < race->launch->resident; i++)
        shadow_close(&race->seats[i].shadow);
    free(race->seats);
    free(race->sites);
    free(race->code);
    free(race->pairs);
    free(race);
}

static void *racecheck_begin(const struct launch_view *launch)
{
    struct race *race = calloc(1, sizeof *race);
    if (!race)
        return NULL;
    race->launch = launch;
    order_init(&race->order, launch->warps, launch->resident);
    race->seats = calloc(launch->resident, sizeof *race->seats);
    race->heap_begin = launch->heap->begin;
    race->heap_end = launch->heap->end;
    if (race->seats && find_sites(race, launch) &&
        interval_open(&race->interval, launch->shared_bytes, launch->code_count) &&
        global_open(&race->global, launch->code_count))
        return race;
    racecheck_free(race);
    return NULL;
}

/* a single worker runs the launch, so there is no second state to join */
static void racecheck_join(void *into, void *state)
{
    (void)into;
    racecheck_free(state);
}

static void racecheck_end(void *state, const struct launch_view *launch,
                          struct emu_counters *per_instruction)
{
    (void)launch;
    (void)per_instruction;
    race_report(state);
    racecheck_free(state);
}

const struct observer obs_racecheck = {
    .name = "racecheck",
    .events = OBS_ACCESS | OBS_ORDER | OBS_VALUES,
    .is_serial = true,
    .begin = racecheck_begin,
    .access = racecheck_access,
    .repeat = racecheck_repeat,
    .order = racecheck_order,
    .join = racecheck_join,
    .end = racecheck_end,
};
