/* Checks one access in the shadow of memory: finds the earlier accesses with which it races. */
#include <string.h>

#include "gpu/analyse/flags.h"
#include "gpu/observe/race_cause.h"

bool race_checks_every_access;

/* --- signals between threads, and equal values: these are not races --------------------------- */

static unsigned flag_use(struct race *race, struct race_site *site)
{
    if (!site->use_known) {
        uint32_t index;
        const struct ptx_function *function = view_function(race->launch, site->pc, &index);
        site->flag_use = (uint8_t)analyse_flag(function, index);
        site->use_known = true;
    }
    return site->flag_use;
}

/* Returns whether one of the two sites sends a signal to another thread, and the other is the load
 * that waits for it. Inside a warp, in shared memory, relaxed accesses are judged as volatile ones:
 * the memory model calls them no race, but the load's value depends on which lane runs first. */
static bool is_signal(struct race *race, uint32_t one, uint32_t other, bool is_shared,
                      bool is_same_warp)
{
    struct race_site *a = &race->sites[one], *b = &race->sites[other];
    struct race_site *read = a->kind == RACE_READ ? a : b;
    if (a->kind == RACE_ATOMIC || b->kind == RACE_ATOMIC)
        if (read->kind == RACE_READ && flag_use(race, read) & FLAG_GUESSED)
            return true;
    if (a->strength == RACE_WEAK || b->strength == RACE_WEAK)
        return false;
    bool is_exchange = is_shared && is_same_warp && read->kind == RACE_READ &&
                       a->kind != RACE_ATOMIC && b->kind != RACE_ATOMIC;
    if ((a->strength == RACE_STRONG || b->strength == RACE_STRONG) && !is_exchange)
        return true;
    if (a->kind == RACE_WRITE && b->kind == RACE_WRITE)
        return false;
    unsigned use = flag_use(race, read);
    return use & FLAG_POLLED_THERE || (use & (FLAG_POLLED | FLAG_COMPARED) && !is_shared);
}

/* Returns the bytes that LANE stores at ADDR. */
static const uint8_t *value_at(const struct obs_access *access, uint32_t lane, uint64_t addr)
{
    uint64_t at = addr - access->addr[lane];
    return access->value[at / access->element] + (size_t)lane * access->value_bytes +
           at % access->element;
}

/* Returns whether LANE writes the value that is already in memory, or that another lane of the same
 * instruction writes. */
static bool writes_same(const struct race *race, const struct obs_access *access, uint32_t lane,
                        uint64_t addr, unsigned bytes, uint64_t old, bool is_same_instruction)
{
    uint32_t other = stamp_thread(old) % WARP;
    const struct race_shared *shared = race_shared_of(race, access);
    const uint8_t *there =
        shared ? shared->bytes + addr : mem_range(race->launch->memory, addr, bytes);
    if (is_same_instruction)
        there = value_at(access, other, addr);
    const uint8_t *mine = value_at(access, lane, addr);
    return there && memcmp(there, mine, bytes) == 0;
}

/* --- a cell ----------------------------------------------------------------------------------- */

/* An access of a warp, while it is being checked. */
struct visit {
    struct race *race;
    const struct obs_access *access;
    const struct order_cta *cta; /* the running CTA */
    struct race_moment when;
    uint32_t site;
    /* bit masks of lanes: `joints` has the lanes whose address follows directly after the previous
     * lane's, `same` those whose address equals it */
    uint32_t joints, same;
};

/* Returns whether LANE's store overwrites a signal that LANE has received: FIRST is the latest
 * write to the address, and LANE has acquired it. */
static bool is_answer(const struct visit *visit, struct race_access first, uint32_t lane)
{
    const struct race *race = visit->race;
    const struct obs_access *access = visit->access;
    const struct race_site *old = &race->sites[first.site], *site = &race->sites[visit->site];
    return old->kind == RACE_WRITE && site->kind == RACE_WRITE && old->strength != RACE_WEAK &&
           site->strength != RACE_WEAK &&
           order_has_acquired(&race->order, access->addr[lane],
                              race_owner(race_shared_of(race, access)), first.cta, first.thread,
                              access->warp, lane);
}

/* Returns the remembered load at SITE. If there is none, returns an entry that the caller may
 * overwrite with it. */
static struct race_load *find_load(struct race *race, uint32_t site)
{
    for (uint32_t i = 0; i < RACE_LOADS; i++)
        if (race->loads[i].site == site)
            return &race->loads[i];
    return &race->loads[race->next_load++ % RACE_LOADS];
}

static void keep_load(struct race *race, const struct obs_access *access, uint32_t site)
{
    if (race->sites[site].kind != RACE_READ || !race_store_after(race, site))
        return;
    struct race_load *load = find_load(race, site);
    memcpy(load->addr, access->addr, sizeof load->addr);
    load->site = site;
    load->mask = access->mask;
    load->warp = access->warp;
    load->cta = race->order.current->linear;
}

/* Returns whether the store that is being checked is in the same statement as the load at SITE, and
 * LANE read ADDR by this load. */
static bool is_of_statement(const struct visit *visit, uint32_t site, uint32_t lane, uint64_t addr)
{
    const struct race *race = visit->race;
    bool found = false;
    for (uint32_t i = 0; i < RACE_LOADS; i++) {
        const struct race_load *load = &race->loads[i];
        found |= load->site == site && race->sites[site].store == visit->site &&
                 load->warp == visit->access->warp && load->cta == visit->cta->linear &&
                 load->mask >> lane & 1 && addr - load->addr[lane] < visit->access->bytes;
    }
    return found;
}

static void find_race(const struct visit *visit, uint64_t old, uint32_t lane, uint64_t addr,
                      unsigned bytes)
{
    struct race *race = visit->race;
    const struct obs_access *access = visit->access;
    uint32_t thread = access->warp * WARP + lane, other = stamp_thread(old);
    uint32_t old_site = stamp_site(old);
    uint64_t time = stamp_time(old);
    uint64_t cta =
        time >= visit->when.begun ? visit->cta->linear : order_cta_at(&race->order, time);
    bool same_cta = cta == visit->cta->linear, is_shared = access->space != PTX_GLOBAL;
    bool is_pending = time == COPY_PENDING;
    if ((same_cta && other == thread && !is_pending) ||
        order_is_before(&race->order, time, other, access->warp, lane) ||
        is_signal(race, old_site, visit->site, is_shared,
                  same_cta && other / WARP == access->warp) ||
        is_answer(visit, (struct race_access){old_site, other, cta}, lane))
        return;
    uint64_t there = access->addr[other % WARP];
    bool is_same_instruction = time == visit->when.now && old_site == visit->site &&
                               other / WARP == access->warp && same_cta &&
                               access->mask >> (other % WARP) & 1 && addr >= there &&
                               addr + bytes <= there + access->bytes;
    bool both_write = race->sites[old_site].kind == RACE_WRITE && access->kind == OBS_STORE;
    if (both_write && access->value[0] &&
        writes_same(race, access, lane, addr, bytes, old, is_same_instruction))
        return;
    enum race_distance distance = is_pending                          ? RACE_COPY
                                  : !same_cta                         ? RACE_GRID
                                  : other / WARP != access->warp      ? RACE_ONE_CTA
                                  : both_write && is_same_instruction ? RACE_ONE_INSTRUCTION
                                                                      : RACE_ONE_WARP;
    struct race_pair *pair = race_add(race, (struct race_access){old_site, other, cta},
                                      (struct race_access){visit->site, thread, visit->cta->linear},
                                      distance, is_shared, addr);
    if (pair && distance == RACE_ONE_WARP && is_of_statement(visit, old_site, other % WARP, addr))
        pair->is_same_round = true;
}

/* Returns whether it is certain that the access with this stamp does not race with THREAD. */
static inline bool is_harmless(const struct visit *visit, uint64_t stamp, uint32_t thread)
{
    uint64_t time = stamp_time(stamp);
    uint32_t other = stamp_thread(stamp);
    if (time < visit->when.begun)
        return stamp == 0;
    return time < visit->when.known[other / WARP] || (other == thread && time != COPY_PENDING);
}

/* Returns the distance between THREAD and the thread of the access with this stamp: 3 for another
 * CTA, 2 for another warp, 1 for another lane. Returns 0 if THREAD itself made the access, or if
 * the access is ordered before THREAD's. */
static inline unsigned distance_of(const struct visit *visit, uint64_t stamp, uint32_t thread)
{
    uint32_t other = stamp_thread(stamp);
    if (is_harmless(visit, stamp, thread))
        return 0;
    return stamp_time(stamp) < visit->when.begun ? 3 : other / WARP != thread / WARP ? 2 : 1;
}

/* Stores MINE, the stamp of a read or an atomic, as one of the two stamps of CELL. */
static inline void note(const struct visit *visit, struct shadow *shadow, uint64_t **kept,
                        uint32_t cell, uint64_t mine, uint32_t thread)
{
    uint64_t latest = kept[0][cell];
    if ((latest ^ mine) >> STAMP_SITE_BITS) {
        unsigned distance = distance_of(visit, latest, thread);
        if (distance && distance >= distance_of(visit, kept[1][cell], thread)) {
            if (shadow_own(shadow, &kept[1]))
                kept[1][cell] = latest;
            else
                visit->race->failed = true;
        }
    }
    kept[0][cell] = mine;
}

static inline void check(const struct visit *visit, uint64_t stamp, uint32_t lane, uint64_t addr,
                         unsigned bytes)
{
    if (!is_harmless(visit, stamp, visit->access->warp * WARP + lane))
        find_race(visit, stamp, lane, addr, bytes);
}

/* Returns whether THREAD is ordered after all earlier atomics on a byte. All earlier atomics
 * contributed to the old value that the latest atomic returned. So it is enough that THREAD, or a
 * thread ordered before it, received this value. Example: the block that draws the last ticket
 * resets the counter. */
static bool follows_all(const struct visit *visit, uint64_t latest, uint32_t thread)
{
    const struct race *race = visit->race;
    const struct race_code *code = &race->code[race->sites[stamp_site(latest)].pc];
    return latest && code->shows_old && is_harmless(visit, latest, thread);
}

static inline void visit_cell(const struct visit *visit, struct shadow *shadow, uint32_t cell,
                              uint32_t lane, unsigned kind)
{
    uint32_t thread = visit->access->warp * WARP + lane;
    uint64_t mine = stamp_make(visit->when.now, thread, visit->site);
    uint64_t addr = shadow->addr + ((uint64_t)cell << shadow->shift);
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
        note(visit, shadow, shadow->read, cell, mine, thread);
    else if (kind == RACE_ATOMIC)
        note(visit, shadow, shadow->atomic, cell, mine, thread);
    else
        shadow->write[cell] = mine;
}

/* --- consecutive cells, checked with vector operations ---------------------------------------- */

/* The times up to which a warp knows the accesses of other warps (race_order.h). is_simple says
 * that this time is the same for all other warps, and that the kernel has no asynchronous
 * copies. */
struct past {
    uint64_t begun, own, others;
    uint32_t warp;
    bool is_simple;
};

static struct past find_past(const struct visit *visit)
{
    uint32_t warp = visit->access->warp, first = warp == 0;
    uint64_t others = visit->when.known[first], differ = 0;
    for (uint32_t v = 0; v < visit->race->order.warps; v++)
        differ |= v == warp ? 0 : visit->when.known[v] ^ others;
    return (struct past){visit->when.begun, visit->when.known[warp], others, warp,
                         !differ && !visit->race->has_copies};
}

/* Eight stamps that are compared at once. A comparison sets an element to all ones where it is
 * true. */
typedef uint64_t stamps __attribute__((vector_size(64), aligned(8), may_alias));
#define STAMPS 8u
/* the vector ABI does not matter, because all functions with vectors are inlined */
#pragma GCC diagnostic ignored "-Wpsabi"

LANES_INLINE bool is_any(stamps all)
{
    uint64_t any = 0;
    for (unsigned i = 0; i < STAMPS; i++)
        any |= all[i];
    return any;
}

/* The next two functions do the same as is_harmless() and distance_of(), for eight stamps at
 * once. */
LANES_INLINE stamps is_past(const struct past *past, stamps stamp, stamps thread)
{
    stamps time = stamp >> (STAMP_SITE_BITS + STAMP_THREAD_BITS);
    stamps other = stamp >> STAMP_SITE_BITS & ((1u << STAMP_THREAD_BITS) - 1);
    stamps is_own = (stamps)(other / WARP == past->warp), is_nobody = (stamps)(stamp == 0);
    stamps known = (is_own & past->own) | (~is_own & past->others);
    stamps is_known = (stamps)(time < known), is_same = (stamps)(other == thread);
    stamps is_old = (stamps)(time < past->begun);
    return is_nobody | (~is_old & (is_known | is_same));
}

LANES_INLINE stamps past_distance(const struct past *past, stamps stamp, stamps thread)
{
    stamps other = stamp >> STAMP_SITE_BITS & ((1u << STAMP_THREAD_BITS) - 1);
    stamps is_other = (stamps)(other / WARP != past->warp);
    stamps is_old = (stamps)(stamp >> (STAMP_SITE_BITS + STAMP_THREAD_BITS) < past->begun);
    return ~is_past(past, stamp, thread) & (1 + ((is_old & 2) | (~is_old & is_other & 1)));
}

#define ROW_CELLS (4 * WARP) /* a row has at most this many cells */

/* A row is a sequence of COUNT cells, from index CELL on. COUNT is a multiple of STAMPS.
 * Consecutive threads, from THREAD on, access 1 << shift cells each. */
struct row {
    uint32_t cell, count, thread, shift;
    uint64_t mine; /* the first thread's stamp */
};

/* Returns which threads access the eight cells from C on. The row's first thread is 0. */
LANES_INLINE stamps threads_at(struct row row, uint32_t c)
{
    const stamps each = {0, 1, 2, 3, 4, 5, 6, 7};
    return (each + c) >> row.shift;
}

LANES_INLINE void stamp_row(uint64_t *cells, struct row row)
{
    for (uint32_t c = 0; c < row.count; c += STAMPS)
        *(stamps *)(cells + c) = row.mine + (threads_at(row, c) << STAMP_SITE_BITS);
}

/* Does the same as visit_cell(), for all cells of a row that a load reads. If one of them may race,
 * returns false and has changed no stamp. */
LANES_CLONES static bool visit_row_read(const struct past *past, struct shadow *shadow,
                                        struct row row)
{
    const uint64_t *write = shadow->write + row.cell, *far = shadow->read[1] + row.cell;
    uint64_t *latest = shadow->read[0] + row.cell, kept[ROW_CELLS];
    stamps met = {0}, moved = {0};
    for (uint32_t c = 0; c < row.count; c += STAMPS) {
        stamps thread = threads_at(row, c), mine = row.mine + (thread << STAMP_SITE_BITS);
        stamps before = *(const stamps *)(latest + c), other = *(const stamps *)(far + c);
        thread += row.thread;
        stamps distance = past_distance(past, before, thread);
        stamps is_same = (stamps)((before ^ mine) >> STAMP_SITE_BITS == 0);
        stamps is_none = (stamps)(distance == 0);
        stamps is_nearer = (stamps)(distance < past_distance(past, other, thread));
        stamps moves = ~(is_same | is_none | is_nearer);
        met |= ~is_past(past, *(const stamps *)(write + c), thread);
        *(stamps *)(kept + c) = (moves & before) | (~moves & other);
        moved |= moves;
    }
    bool has_moved = is_any(moved);
    if (is_any(met) || (has_moved && !shadow_own(shadow, &shadow->read[1])))
        return false;
    stamp_row(latest, row);
    if (has_moved)
        memcpy(shadow->read[1] + row.cell, kept, row.count * sizeof *kept);
    return true;
}

/* Does the same as visit_row_read(), for a store. */
LANES_CLONES static bool visit_row_write(const struct past *past, struct shadow *shadow,
                                         struct row row)
{
    const uint64_t *latest = shadow->read[0] + row.cell, *far = shadow->read[1] + row.cell;
    uint64_t *write = shadow->write + row.cell;
    stamps met = {0};
    for (uint32_t c = 0; c < row.count; c += STAMPS) {
        stamps thread = threads_at(row, c) + row.thread;
        met |= ~is_past(past, *(const stamps *)(write + c), thread) |
               ~is_past(past, *(const stamps *)(latest + c), thread) |
               ~is_past(past, *(const stamps *)(far + c), thread);
    }
    if (is_any(met))
        return false;
    stamp_row(write, row);
    return true;
}

/* --- one access ------------------------------------------------------------------------------- */

/* Checks COUNT lanes from LANE on in one step. Their addresses form a row. Returns false if one
 * step is not enough. */
static bool visit_row(const struct visit *visit, const struct past *past, struct shadow *shadow,
                      uint32_t lane, uint32_t count)
{
    const struct obs_access *access = visit->access;
    uint32_t shift = (uint32_t)__builtin_ctz(access->bytes) - shadow->shift;
    uint32_t thread = access->warp * WARP + lane;
    struct row row = {.cell = (uint32_t)(access->addr[lane] - shadow->addr) >> shadow->shift,
                      .count = count << shift,
                      .thread = thread,
                      .shift = shift,
                      .mine = stamp_make(visit->when.now, thread, visit->site)};
    if (row.count % STAMPS || row.count > ROW_CELLS || !past->is_simple)
        return false;
    return visit->race->sites[visit->site].kind == RACE_READ ? visit_row_read(past, shadow, row)
                                                             : visit_row_write(past, shadow, row);
}

static void visit_lanes(const struct visit *visit, struct shadow *shadow, uint32_t lanes)
{
    const struct obs_access *access = visit->access;
    unsigned kind = visit->race->sites[visit->site].kind;
    uint32_t cells = access->bytes >> shadow->shift;
    for (; lanes; lanes &= lanes - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(lanes);
        uint32_t first = (uint32_t)(access->addr[l] - shadow->addr) >> shadow->shift;
        for (uint32_t c = 0; c < cells; c++)
            visit_cell(visit, shadow, first + c, l, kind);
    }
}

/* Makes sure that the stamps that an access of this kind sets belong to the shadow, and are not the
 * shared zeros. */
static bool own_stamps(struct shadow *shadow, unsigned kind)
{
    if (kind == RACE_ATOMIC)
        return shadow->atomic[0] || shadow_add_atomics(shadow);
    return shadow_own(shadow, kind == RACE_READ ? &shadow->read[0] : &shadow->write);
}

static bool visit_shadow(const struct visit *visit, struct shadow *shadow, uint32_t lanes)
{
    const struct obs_access *access = visit->access;
    unsigned kind = visit->race->sites[visit->site].kind;
    if ((access->element < 1u << shadow->shift && !shadow_refine(shadow, access->element)) ||
        !own_stamps(shadow, kind))
        return false;
    bool has_rows = kind != RACE_ATOMIC && !shadow->atomic[0] && !race_checks_every_access;
    uint32_t pairs = lanes & lanes << 1, joints = has_rows ? visit->joints & pairs : 0;
    struct past past = joints ? find_past(visit) : (struct past){0};
    /* if three or more neighbouring lanes read the same address, checking the first and the last is
     * enough */
    if (kind == RACE_READ)
        lanes &= ~(visit->same & pairs & (visit->same & pairs) >> 1);
    for (uint32_t left = joints ? lanes : 0; left;) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        uint32_t count = 1 + (uint32_t)__builtin_ctzll(~((uint64_t)joints >> (lane + 1)));
        /* whole groups of STAMPS lanes; the next iteration checks the remaining lanes */
        count = count > STAMPS ? count & ~(STAMPS - 1) : count;
        uint32_t row = ALL_LANES >> (WARP - count) << lane;
        if (!visit_row(visit, &past, shadow, lane, count))
            visit_lanes(visit, shadow, left & row);
        left &= ~row;
    }
    if (!joints)
        visit_lanes(visit, shadow, lanes);
    return true;
}

/* Returns the lanes whose access is aligned and inside bounds. memcheck reports the others. */
LANES_CLONES uint32_t race_valid_lanes(const struct obs_access *access, uint64_t end)
{
    uint32_t lanes = 0;
    if (access->dense && access->addr[0] % access->bytes == 0 && access->addr[0] <= end &&
        end - access->addr[0] >= (uint64_t)WARP * access->bytes)
        return access->mask;
    for (uint32_t l = 0; l < WARP; l++)
        lanes |= (uint32_t)(!(access->addr[l] & (access->bytes - 1u)) && access->addr[l] < end &&
                            end - access->addr[l] >= access->bytes)
                 << l;
    return lanes & access->mask;
}

LANES_CLONES static void find_neighbours(struct visit *visit)
{
    const struct obs_access *access = visit->access;
    for (uint32_t l = 1; l < WARP; l++) {
        uint64_t step = access->addr[l] - access->addr[l - 1];
        visit->joints |= (uint32_t)(step == access->bytes) << l;
        visit->same |= (uint32_t)(step == 0) << l;
    }
}

bool race_visit_then(struct race *race, const struct obs_access *access, struct race_moment when,
                     struct shadow *shadow, uint32_t lanes)
{
    struct visit visit = {.race = race,
                          .access = access,
                          .cta = race->order.current,
                          .when = when,
                          .site = race_site_of(race, access)};
    if (access->dense)
        visit.joints = ALL_LANES << 1;
    else
        find_neighbours(&visit);
    keep_load(race, access, visit.site);
    return visit_shadow(&visit, shadow, lanes);
}

struct race_moment race_now(const struct race *race, uint32_t warp)
{
    const struct order_cta *cta = race->order.current;
    return (struct race_moment){cta->begun, cta->now[warp], cta->known[warp]};
}

bool race_visit(struct race *race, const struct obs_access *access, struct shadow *shadow,
                uint32_t lanes)
{
    return race_visit_then(race, access, race_now(race, access->warp), shadow, lanes);
}
