/* The racecheck observer: two accesses of one byte by different threads, at least one of them a write,
 * with nothing that orders them.
 *
 * race_order.h says what orders accesses, race_shadow.h who accessed a byte before. One worker runs a
 * launch that is watched, CTA after CTA, so that the findings are the same every time.
 *
 * A cp.async counts as a write when it begins: threads that may read what it brings come behind a
 * barrier that its own thread reaches later, and those that read what was there have passed one before.
 *
 * What is no race: two atomics; two writes of the same value, as whoever comes last makes no
 * difference; a volatile load that waits for a volatile or atomic write, or only looks whether it
 * happened; the plain load with which a loop around atomicCAS() begins. Lanes of one warp are as little ordered as any other threads: it takes a __syncwarp(),
 * and shuffles and votes do not order memory either (CUDA programming guide, "Warp Shuffle
 * Functions"). Volatile data that lanes take from each other without it is a race too. */
#include <stdlib.h>
#include <string.h>

#include "emulator/analyse/flags.h"
#include "emulator/observe/race.h"

bool race_takes_no_short_cuts;

/* --- sites -------------------------------------------------------------------------------------- */

static uint8_t strength_of(const struct ptx_instruction *in)
{
    if (in->opcode == PTX_OP_atom || in->opcode == PTX_OP_red || ptx_has(in, PTX_MOD_relaxed) ||
        ptx_has(in, PTX_MOD_acquire) || ptx_has(in, PTX_MOD_release))
        return RACE_STRONG;
    /* what goes past the first-level cache is used for the same purpose */
    return ptx_has(in, PTX_MOD_volatile) || ptx_has(in, PTX_MOD_cv) || ptx_has(in, PTX_MOD_cg) ||
                   ptx_has(in, PTX_MOD_wt)
               ? RACE_VOLATILE
               : RACE_WEAK;
}

static bool is_access(const struct inst *inst)
{
    return inst->run == load_run || inst->run == store_run || inst->run == atomic_run ||
           inst->run == copy_run;
}

static const struct ptx_instruction *instruction_at(const struct kernel *kernel, uint32_t pc)
{
    const struct image *image = kernel_image(kernel, pc);
    return &image->function->code[pc - image->start];
}

/* Kernels with more memory instructions than stamps can tell apart share the last site. */
static bool find_sites(struct race *race, const struct kernel *kernel)
{
    race->site_of = calloc((size_t)kernel->code_count + 1, sizeof *race->site_of);
    race->sites = calloc(STAMP_SITES, sizeof *race->sites);
    race->site_count = 1; /* 0: none */
    for (uint32_t pc = 0; race->site_of && race->sites && pc < kernel->code_count; pc++) {
        const struct inst *inst = &kernel->code[pc];
        if (!is_access(inst))
            continue;
        uint32_t site = race->site_count < STAMP_SITES - 1 ? race->site_count++ : STAMP_SITES - 1;
        const struct ptx_instruction *in = instruction_at(kernel, pc);
        race->site_of[pc] = (uint16_t)site;
        race->sites[site] = (struct race_site){
            .pc = pc,
            .kind = inst->run == load_run     ? RACE_READ
                    : inst->run == atomic_run ? RACE_ATOMIC
                                              : RACE_WRITE, /* of cp.async: in shared memory */
            .strength = strength_of(in),
            .implies_fence = ptx_has(in, PTX_MOD_release) || ptx_has(in, PTX_MOD_acq_rel),
        };
    }
    return race->site_of && race->sites;
}

static unsigned flag_use(struct race *race, struct race_site *site)
{
    if (!site->use_known) {
        const struct image *image = kernel_image(race->launch->kernel, site->pc);
        site->flag_use = (uint8_t)analyse_flag(image->function, site->pc - image->start);
        site->use_known = true;
    }
    return site->flag_use;
}

/* --- what only looks like a race ---------------------------------------------------------------- */

/* Whether accesses of these sites are how threads tell each other something. */
static bool is_signal(struct race *race, uint32_t one, uint32_t other, bool is_shared)
{
    struct race_site *a = &race->sites[one], *b = &race->sites[other];
    struct race_site *read = a->kind == RACE_READ ? a : b;
    if (a->kind == RACE_ATOMIC || b->kind == RACE_ATOMIC)
        if (read->kind == RACE_READ && flag_use(race, read) & FLAG_GUESSED)
            return true;
    if (a->strength == RACE_WEAK || b->strength == RACE_WEAK)
        return false;
    if (a->strength == RACE_STRONG || b->strength == RACE_STRONG)
        return true;
    if (a->kind == RACE_WRITE && b->kind == RACE_WRITE)
        return false;
    unsigned use = flag_use(race, read);
    return use & FLAG_POLLED_THERE || (use & (FLAG_POLLED | FLAG_COMPARED) && !is_shared);
}

/* What LANE's store writes at ADDR, a byte of it. */
static const uint8_t *value_at(const struct obs_access *access, uint32_t lane, uint64_t addr)
{
    uint64_t at = addr - access->addr[lane];
    return access->value[at / access->element] + (size_t)lane * access->value_bytes +
           at % access->element;
}

/* Whether LANE writes what is there already, by an earlier store or one of the same instruction. */
static bool writes_same(const struct race *race, const struct obs_access *access, uint32_t lane,
                        uint64_t addr, unsigned bytes, uint64_t old, bool is_same_instruction)
{
    uint32_t other = stamp_thread(old) % WARP;
    const uint8_t *there = access->space == PTX_SHARED
                               ? race->shared_bytes + addr
                               : mem_range(race->launch->launch->memory, addr, bytes);
    if (is_same_instruction)
        there = value_at(access, other, addr);
    const uint8_t *mine = value_at(access, lane, addr);
    return there && memcmp(there, mine, bytes) == 0;
}

/* --- one byte's past ---------------------------------------------------------------------------- */

/* A warp's access on its way through the shadow. */
struct visit {
    struct race *race;
    const struct obs_access *access;
    const struct order_cta *cta;
    const uint64_t *known; /* by the warp */
    uint64_t base;         /* address where the shadow begins */
    uint32_t site;
};

static void look_closer(const struct visit *visit, uint64_t old, uint32_t lane, uint64_t addr,
                        unsigned bytes)
{
    struct race *race = visit->race;
    const struct obs_access *access = visit->access;
    uint32_t thread = access->warp * WARP + lane, other = stamp_thread(old);
    uint32_t old_site = stamp_site(old);
    uint64_t time = stamp_time(old);
    uint64_t cta =
        time >= visit->cta->begun ? visit->cta->linear : order_cta_at(&race->order, time);
    bool same_cta = cta == visit->cta->linear, is_shared = access->space == PTX_SHARED;
    if ((same_cta && other == thread) ||
        order_is_before(&race->order, time, other, access->warp, lane) ||
        is_signal(race, old_site, visit->site, is_shared))
        return;
    uint64_t there = access->addr[other % WARP];
    bool is_same_instruction = time == visit->cta->now[access->warp] && old_site == visit->site &&
                               other / WARP == access->warp && same_cta &&
                               access->mask >> (other % WARP) & 1 && addr >= there &&
                               addr + bytes <= there + access->bytes;
    bool both_write = race->sites[old_site].kind == RACE_WRITE && access->kind == OBS_STORE;
    if (both_write && access->value[0] &&
        writes_same(race, access, lane, addr, bytes, old, is_same_instruction))
        return;
    enum race_distance distance = !same_cta                           ? RACE_GRID
                                  : other / WARP != access->warp      ? RACE_ONE_CTA
                                  : both_write && is_same_instruction ? RACE_ONE_INSTRUCTION
                                                                      : RACE_ONE_WARP;
    race_add(race, (struct race_access){old_site, other, cta},
             (struct race_access){visit->site, thread, visit->cta->linear}, distance, is_shared,
             addr);
}

/* Whether an access that left this stamp needs no closer look. */
static inline bool is_harmless(const struct visit *visit, uint64_t stamp, uint32_t thread)
{
    uint64_t time = stamp_time(stamp);
    uint32_t other = stamp_thread(stamp);
    if (time < visit->cta->begun)
        return stamp == 0;
    return time < visit->known[other / WARP] || other == thread;
}

/* How far away from THREAD a stamp is; 0: it comes before, or is its own. */
static inline unsigned distance_of(const struct visit *visit, uint64_t stamp, uint32_t thread)
{
    uint32_t other = stamp_thread(stamp);
    if (is_harmless(visit, stamp, thread))
        return 0;
    return stamp_time(stamp) < visit->cta->begun ? 3 : other / WARP != thread / WARP ? 2 : 1;
}

/* Adds a read (or an atomic) to the two that are kept. */
static inline void note(const struct visit *visit, uint64_t *latest, uint64_t *far, uint64_t mine,
                        uint32_t thread)
{
    if ((*latest ^ mine) >> STAMP_SITE_BITS) {
        unsigned distance = distance_of(visit, *latest, thread);
        if (distance && distance >= distance_of(visit, *far, thread))
            *far = *latest;
    }
    *latest = mine;
}

static inline void check(const struct visit *visit, uint64_t stamp, uint32_t lane, uint64_t addr,
                         unsigned bytes)
{
    if (!is_harmless(visit, stamp, visit->access->warp * WARP + lane))
        look_closer(visit, stamp, lane, addr, bytes);
}

/* Whether the latest atomic on a byte gave THREAD, or one that it follows, the value that all others
 * had made: such as the last block's, which then sets the ticket back. */
static bool follows_all(const struct visit *visit, uint64_t latest, uint32_t thread)
{
    const struct race *race = visit->race;
    const struct inst *inst = &race->launch->kernel->code[race->sites[stamp_site(latest)].pc];
    return latest && inst->mem.event == OBS_ATOMIC && is_harmless(visit, latest, thread);
}

static inline void visit_cell(const struct visit *visit, struct shadow *shadow, uint32_t cell,
                              uint32_t lane, unsigned kind)
{
    uint32_t thread = visit->access->warp * WARP + lane;
    uint64_t mine = stamp_make(visit->cta->now[visit->access->warp], thread, visit->site);
    uint64_t addr = visit->base + ((uint64_t)cell << shadow->shift);
    unsigned bytes = 1u << shadow->shift;
    check(visit, shadow->write[cell], lane, addr, bytes);
    if (kind != RACE_READ) {
        check(visit, shadow->read[0][cell], lane, addr, bytes);
        check(visit, shadow->read[1][cell], lane, addr, bytes);
    }
    if (kind != RACE_ATOMIC && shadow->atomic[0]) {
        check(visit, shadow->atomic[0][cell], lane, addr, bytes);
        if (!follows_all(visit, shadow->atomic[0][cell], thread))
            check(visit, shadow->atomic[1][cell], lane, addr, bytes);
    }
    if (kind == RACE_READ)
        note(visit, &shadow->read[0][cell], &shadow->read[1][cell], mine, thread);
    else if (kind == RACE_ATOMIC)
        note(visit, &shadow->atomic[0][cell], &shadow->atomic[1][cell], mine, thread);
    else
        shadow->write[cell] = mine;
}

/* --- one access --------------------------------------------------------------------------------- */

/* What stamps from FROM on, so many of them, tell of: this CTA's past that all warps know this one to come
 * behind, such as all before the latest barrier. It is harmless to whatever comes. */
struct settled {
    uint64_t from, count;
};

static struct settled find_settled(const struct visit *visit)
{
    const unsigned shift = STAMP_SITE_BITS + STAMP_THREAD_BITS;
    uint64_t known = UINT64_MAX, begun = visit->cta->begun;
    for (uint32_t v = 0; v < visit->cta->warps; v++)
        known = visit->known[v] < known ? visit->known[v] : known;
    known = known > begun ? known : begun;
    return (struct settled){begun << shift, (known - begun) << shift};
}

static inline bool is_settled(struct settled settled, uint64_t stamp)
{
    return !stamp || stamp - settled.from < settled.count;
}

/* Reads of words without atomics, which most accesses are: visit_cell(), with a look at what is settled before
 * it goes into who, when and how far. */
static void visit_reads(const struct visit *visit, struct shadow *shadow, uint32_t lanes)
{
    const struct obs_access *access = visit->access;
    struct settled settled = find_settled(visit);
    uint64_t first = stamp_make(visit->cta->now[access->warp], access->warp * WARP, visit->site);
    for (; lanes; lanes &= lanes - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(lanes);
        uint32_t cell = (uint32_t)(access->addr[l] - visit->base) >> shadow->shift;
        uint64_t *latest = &shadow->read[0][cell], mine = first + ((uint64_t)l << STAMP_SITE_BITS);
        if (!is_settled(settled, shadow->write[cell]))
            check(visit, shadow->write[cell], l, visit->base + ((uint64_t)cell << shadow->shift),
                  1u << shadow->shift);
        if (is_settled(settled, *latest))
            *latest = mine;
        else
            note(visit, latest, &shadow->read[1][cell], mine, access->warp * WARP + l);
    }
}

/* Of neighbouring lanes that read one address, those at the ends are enough. */
LANES_CLONES static uint32_t drop_repeats(const struct obs_access *access, uint32_t lanes)
{
    uint32_t as_before = 0;
    for (uint32_t l = 1; l < WARP; l++)
        as_before |= (uint32_t)(access->addr[l] == access->addr[l - 1]) << l;
    as_before &= lanes & lanes << 1;
    return lanes & ~(as_before & as_before >> 1);
}

/* 32 words that nobody has accessed before, which is most of global memory: true if that was so. */
static inline bool visit_fresh(const struct visit *visit, struct shadow *shadow, unsigned kind)
{
    const struct obs_access *access = visit->access;
    uint64_t from = access->addr[0] - visit->base, any = 0;
    if (!access->dense || access->bytes != 4 || shadow->shift != 2 || shadow->atomic[0] ||
        kind == RACE_ATOMIC || from % 4)
        return false;
    if (from >= shadow->bytes || shadow->bytes - from < 4 * WARP) /* it begins or ends in another */
        return false;
    uint64_t *write = shadow->write + from / 4, *read = shadow->read[0] + from / 4;
    for (unsigned l = 0; l < WARP; l++)
        any |= write[l] | read[l];
    if (any)
        return false;
    uint64_t *mark = kind == RACE_READ ? read : write;
    uint64_t first = stamp_make(visit->cta->now[access->warp], access->warp * WARP, visit->site);
    for (unsigned l = 0; l < WARP; l++)
        mark[l] = first + ((uint64_t)l << STAMP_SITE_BITS);
    return true;
}

/* LANES of the access, all of whose addresses are in the shadow. */
static bool visit_shadow(const struct visit *visit, struct shadow *shadow, uint32_t lanes)
{
    const struct obs_access *access = visit->access;
    unsigned kind = visit->race->sites[visit->site].kind;
    if ((access->element < 1u << shadow->shift && !shadow_refine(shadow, access->element)) ||
        (kind == RACE_ATOMIC && !shadow->atomic[0] && !shadow_add_atomics(shadow)))
        return false;
    if (visit_fresh(visit, shadow, kind))
        return true;
    if (kind == RACE_READ)
        lanes = drop_repeats(access, lanes);
    if (kind == RACE_READ && !shadow->atomic[0] && access->bytes == 1u << shadow->shift) {
        visit_reads(visit, shadow, lanes);
        return true;
    }
    for (; lanes; lanes &= lanes - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(lanes);
        uint32_t first = (uint32_t)(access->addr[l] - visit->base) >> shadow->shift;
        uint32_t cells = access->bytes >> shadow->shift;
        for (uint32_t c = 0; c < cells; c++)
            visit_cell(visit, shadow, first + c, l, kind);
    }
    return true;
}

/* Drops lanes that are misaligned or outside: memcheck's affair. */
LANES_CLONES static uint32_t sound_lanes(const struct obs_access *access, uint64_t end)
{
    uint32_t lanes = 0;
    for (uint32_t l = 0; l < WARP; l++)
        lanes |= (uint32_t)(!(access->addr[l] & (access->bytes - 1u)) && access->addr[l] < end &&
                            end - access->addr[l] >= access->bytes)
                 << l;
    return lanes & access->mask;
}

static bool visit_shared(struct visit *visit)
{
    struct race_shared *shared = visit->race->shared;
    shared->is_used = true;
    return visit_shadow(visit, &shared->shadow, sound_lanes(visit->access, shared->shadow.bytes));
}

static bool is_watched(const struct race *race, uint64_t page)
{
    const struct mem_block *block =
        mem_nearest(race->launch->launch->memory, page + SHADOW_PAGE - 1);
    bool in_heap = page + SHADOW_PAGE > race->heap_begin && page < race->heap_end;
    return block && block->host && block->addr + block->size > page && !in_heap;
}

static bool visit_global(struct visit *visit)
{
    const struct obs_access *access = visit->access;
    uint32_t todo = sound_lanes(access, UINT64_MAX);
    while (todo) {
        uint32_t lanes = 0;
        uint64_t page = access->addr[__builtin_ctz(todo)] / SHADOW_PAGE * SHADOW_PAGE;
        for (uint32_t l = 0; l < WARP; l++)
            lanes |= (uint32_t)(access->addr[l] - page < SHADOW_PAGE) << l;
        lanes &= todo;
        todo &= ~lanes;
        struct shadow *shadow = shadow_find(&visit->race->global, page);
        if (!shadow && !is_watched(visit->race, page))
            continue;
        if (!shadow)
            shadow = shadow_add(&visit->race->global, page);
        visit->base = page;
        if (!shadow || !visit_shadow(visit, shadow, lanes))
            return false;
    }
    return true;
}

/* Atomics and volatile accesses tell others how far this thread is, and what others have told. */
static void exchange_news(struct race *race, const struct obs_access *access,
                          const struct race_site *site)
{
    bool is_shared = access->space == PTX_SHARED;
    if (site->kind != RACE_READ)
        order_publish(&race->order, access->warp, access->mask, site->implies_fence, access->addr,
                      is_shared);
    if (site->kind == RACE_READ || access->kind == OBS_ATOMIC)
        order_hear(&race->order, access->warp, access->mask, access->addr, is_shared);
}

/* Looks at an access in the shadow of its memory. */
static bool visit_access(void *context, const struct obs_access *access)
{
    struct race *race = context;
    const struct order_cta *cta = race->order.current;
    struct visit visit = {.race = race,
                          .access = access,
                          .cta = cta,
                          .known = cta->known[access->warp],
                          .site = race->site_of[access->pc]};
    return access->space == PTX_SHARED ? visit_shared(&visit) : visit_global(&visit);
}

/* Before anything that is not as simple as what race_calm.h knows of. */
static void end_calm(struct race *race)
{
    if (race->calm.is_calm)
        race->failed |= !calm_end(&race->calm, visit_access, race);
}

/* May the calm take an access by the instruction at PC? The first one of less than a word makes the shadow's
 * cells smaller. */
static bool is_plain(const struct race *race, uint32_t pc)
{
    const struct race_site *site = &race->sites[race->site_of[pc]];
    return race->calm.is_calm && site->strength == RACE_WEAK && site->kind != RACE_ATOMIC &&
           race->launch->kernel->code[pc].mem.bytes >= 1u << race->shared->shadow.shift;
}

/* Whether nothing more is to be looked at, as it is calm. */
static bool is_taken_calmly(struct race *race, const struct obs_access *access)
{
    if (is_plain(race, access->pc) && sound_lanes(access, race->calm.bytes) == access->mask &&
        calm_take(&race->calm, access))
        return true;
    end_calm(race);
    calm_miss(&race->calm, access->pc);
    return false;
}

static void racecheck_access(void *state, const struct obs_access *access)
{
    struct race *race = state;
    const struct inst *inst = &race->launch->kernel->code[access->pc];
    const struct race_site *site = &race->sites[race->site_of[access->pc]];
    if (race->failed || race->order.failed || !race->order.current || !access->mask ||
        (access->space != PTX_SHARED && access->space != PTX_GLOBAL))
        return;
    if (!race->site_of[access->pc] || (inst->run == copy_run && access->kind == OBS_LOAD))
        return;
    if (access->space == PTX_SHARED && is_taken_calmly(race, access))
        return;
    if (site->implies_fence)
        end_calm(race);
    if (site->strength != RACE_WEAK)
        exchange_news(race, access, site);
    race->failed |= !visit_access(race, access);
}

static enum obs_answer racecheck_repeat(void *state, const struct obs_repeat *repeat)
{
    struct race *race = state;
    if (race->failed || race->order.failed || !race->order.current ||
        (repeat->space != PTX_SHARED && repeat->space != PTX_GLOBAL))
        return OBS_TAKEN;
    return repeat->space == PTX_SHARED && is_plain(race, repeat->pc) &&
                   calm_take_again(&race->calm, repeat)
               ? OBS_TAKEN
               : OBS_IN_FULL;
}

/* --- CTAs ---------------------------------------------------------------------------------------- */

/* Puts the CTA's shared shadow first in the list. One that begins, begins calmly. */
static bool take_shared(struct race *race, uint64_t cta)
{
    struct race_shared **place = &race->shared, *found;
    while (*place && (*place)->cta != cta)
        place = &(*place)->next;
    found = *place;
    if (!found && !race_takes_no_short_cuts)
        calm_begin(&race->calm);
    if (found) {
        *place = found->next;
    } else if (race->idle) {
        found = race->idle;
        race->idle = found->next;
        if (found->is_used)
            shadow_clear(&found->shadow);
    } else {
        found = calloc(1, sizeof *found);
        if (!found || !shadow_open(&found->shadow, race->launch->launch->shared_bytes)) {
            free(found);
            return false;
        }
    }
    found->is_used &= found->cta == cta;
    found->cta = cta;
    found->next = race->shared;
    race->shared = found;
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
        calm_end(&race->calm, NULL, NULL);
    else if (!whole)
        end_calm(race);
    order_event(&race->order, event);
    race->shared_bytes = event->shared;
    if (whole && !race_takes_no_short_cuts)
        calm_begin(&race->calm);
    if (event->kind == OBS_CTA_RUNS) {
        race->failed = !take_shared(race, event->cta);
    } else if (event->kind == OBS_CTA_ENDS) {
        struct race_shared *shared = race->shared;
        race->shared = shared->next;
        shared->next = race->idle;
        race->idle = shared;
    }
}

/* --- beginning and end ---------------------------------------------------------------------------- */

static void close_shared(struct race_shared *shared)
{
    while (shared) {
        struct race_shared *next = shared->next;
        shadow_close(&shared->shadow);
        free(shared);
        shared = next;
    }
}

static void racecheck_free(struct race *race)
{
    order_free(&race->order);
    calm_close(&race->calm);
    shadow_map_close(&race->global);
    close_shared(race->shared);
    close_shared(race->idle);
    free(race->sites);
    free(race->site_of);
    free(race->pairs);
    free(race);
}

static void *racecheck_begin(const struct obs_launch *launch)
{
    struct race *race = calloc(1, sizeof *race);
    if (!race)
        return NULL;
    race->launch = launch;
    order_init(&race->order, launch->launch->warps);
    race->heap_begin = launch->launch->heap->begin;
    race->heap_end = launch->launch->heap->end;
    if (find_sites(race, launch->kernel) &&
        calm_open(&race->calm, launch->launch->shared_bytes, launch->kernel->code_count))
        return race;
    racecheck_free(race);
    return NULL;
}

static void racecheck_join(void *into, void *state) /* one worker alone runs a launch */
{
    (void)into;
    racecheck_free(state);
}

static void racecheck_end(void *state, const struct obs_launch *launch,
                          struct emu_counters *per_instruction)
{
    (void)launch;
    (void)per_instruction;
    race_report(state);
    racecheck_free(state);
}

const struct observer obs_racecheck = {
    .name = "racecheck",
    .events = OBS_ACCESS | OBS_ORDER,
    .begin = racecheck_begin,
    .access = racecheck_access,
    .repeat = racecheck_repeat,
    .order = racecheck_order,
    .join = racecheck_join,
    .end = racecheck_end,
};
