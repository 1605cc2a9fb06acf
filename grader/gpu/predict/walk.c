#include "gpu/predict/walk.h"

#include <stdlib.h>

#include "gpu/lanes.h"
#include "gpu/observe/old_rules.h"

struct walk_cta *walk_new(uint64_t number, uint32_t warps)
{
    struct walk_cta *cta = calloc(1, sizeof *cta + warps * sizeof *cta->walk);
    if (cta) {
        cta->cta = number;
        cta->warps = warps;
    }
    return cta;
}

void walk_free(struct walk_cta *cta)
{
    for (uint32_t w = 0; cta && w < cta->warps; w++) {
        free(cta->walk[w].runs);
        free(cta->walk[w].accesses);
        free(cta->walk[w].lines);
    }
    free(cta);
}

void walk_free_list(struct walk_cta *cta)
{
    for (struct walk_cta *next; cta; cta = next) {
        next = cta->next;
        walk_free(cta);
    }
}

uint64_t walk_executed(const struct walk_cta *cta)
{
    uint64_t executed = 0;
    for (uint32_t w = 0; w < cta->warps; w++)
        executed += cta->walk[w].executed;
    return executed;
}

uint64_t walk_kept(const struct walk_cta *cta)
{
    uint64_t kept = 0;
    for (uint32_t w = 0; w < cta->warps; w++)
        kept += cta->walk[w].kept;
    return kept;
}

#define LEAST_ROOM 32u

/* Grows ARRAY if it has no room for the element with index COUNT. It may hold up to LEAST_ROOM
 * elements fewer. An element has SIZE bytes. Returns false when out of memory. */
static bool grow(struct walk *walk, void *array, uint32_t count, uint32_t *room, size_t size)
{
    void **list = array;
    if (count < *room)
        return true;
    uint32_t wanted = *room ? 2 * *room : LEAST_ROOM;
    void *larger = realloc(*list, wanted * size);
    walk->failed |= !larger;
    walk->is_cut |= !larger;
    if (!larger)
        return false;
    *list = larger;
    *room = wanted;
    return true;
}

void walk_step(struct walk *walk, const struct obs_step *step, uint64_t most)
{
    walk->executed += step->count;
    walk->is_cut |= walk->kept >= most;
    if (walk->is_cut)
        return;
    struct walk_run *last = walk->run_count ? &walk->runs[walk->run_count - 1] : NULL;
    walk->kept += step->count;
    if (last && last->pc + last->count == step->pc && last->lanes == step->lanes) {
        last->count += step->count;
        return;
    }
    if (grow(walk, &walk->runs, walk->run_count, &walk->run_room, sizeof *walk->runs))
        walk->runs[walk->run_count++] =
            (struct walk_run){step->pc, step->count, step->lanes, walk->access_count};
}

/* --- accesses --------------------------------------------------------------------------------- */

static void add_line(struct walk *walk, struct walk_access *into, uint64_t line)
{
    if (!grow(walk, &walk->lines, walk->line_count, &walk->line_room, sizeof *walk->lines))
        return;
    walk->lines[walk->line_count++] = line;
    into->line_count++;
}

/* Adds the sector at ADDR to the access's lines. */
static void add_sector(struct walk *walk, struct walk_access *into, uint64_t addr)
{
    uint64_t line = addr & ~(uint64_t)127, bit = 1u << (addr >> 5 & 3);
    for (uint32_t i = walk->line_count; i-- > into->lines;)
        if (WALK_LINE(walk->lines[i]) == line) {
            walk->lines[i] |= bit;
            return;
        }
    add_line(walk, into, line | bit);
}

static void add_lines(struct walk *walk, struct walk_access *into, const struct obs_access *access)
{
    uint64_t bytes = access->bytes > 32 ? access->bytes : 1;
    if (access->dense) {
        uint64_t end = access->addr[0] + 32u * access->bytes;
        for (uint64_t at = access->addr[0] & ~(uint64_t)31; at < end; at += 32)
            add_sector(walk, into, at);
        return;
    }
    for (uint32_t left = access->mask; left; left &= left - 1)
        add_sector(walk, into, access->addr[__builtin_ctz(left)] + bytes - 1);
}

/* Adds the lines of an access that is like the one to which COST belongs. All its lines moved by
 * the same distance, and in all of them the accessed sectors, too. */
static void add_moved_lines(struct walk *walk, struct walk_access *into,
                            const struct walk_cost *cost, uint64_t first)
{
    uint64_t count = cost->line_count, to = first >> 5 & 3, from = cost->place >> 5;
    if (!grow(walk, &walk->lines, walk->line_count + cost->line_count, &walk->line_room,
              sizeof *walk->lines))
        return;
    for (uint64_t i = 0; i < count; i++)
        walk->lines[walk->line_count + i] =
            (WALK_LINE(first) + WALK_LINE(cost->lines[i])) | (cost->lines[i] & 15) << to >> from;
    walk->line_count += cost->line_count;
    into->line_count = cost->line_count;
}

/* Adds the lines of an access by the rules for half-warps (old_rules.h). If a half-warp's accesses
 * do not coalesce, each lane makes its own transaction. */
static void add_transactions(struct walk *walk, struct walk_access *into,
                             const struct obs_access *access)
{
    for (unsigned first = 0; first < WARP; first += 16) {
        bool coalesces = old_rules_coalesces(access, first);
        uint32_t lines = into->lines;
        /* add_sector() adds a sector to an existing line only if that line is in the list from
         * into->lines on. So each half-warp gets its own transactions, even if both access the same
         * lines. */
        into->lines = walk->line_count;
        for (uint32_t left = access->mask & 0xffffu << first; left; left &= left - 1) {
            into->lines = coalesces ? into->lines : walk->line_count;
            add_sector(walk, into, access->addr[__builtin_ctz(left)]);
        }
        into->lines = lines;
    }
}

/* Adds lines of local memory. A line holds the same word of all 32 lanes. */
static void add_local_lines(struct walk *walk, struct walk_access *into,
                            const struct obs_access *access)
{
    uint64_t own = (uint64_t)1 << 50 | (access->cta << 5 | access->warp) << 24;
    for (uint32_t left = access->mask; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        for (uint64_t at = 0; at < access->bytes; at += 4)
            add_sector(walk, into,
                       own + ((access->addr[lane] + at) / 4 * 128 & 0xffffffu) + lane * 4);
    }
}

/* Sets `turns` to the number of steps in which the second-level cache executes an atomic, and
 * `same` to the largest number of lanes that access the same word. One turn can change several
 * words of a sector, but each word for one lane only. So a sector takes as many turns as its most
 * contended word has lanes. */
static void count_turns(const struct obs_access *access, struct walk_cost *cost)
{
    unsigned turns = 0, most = 0;
    /* for each lane, the number of lanes up to and including it that access its word */
    uint8_t nth[WARP];
    for (unsigned i = 0; i < WARP; i++) {
        bool is_new = access->mask >> i & 1; /* no earlier lane has started this turn */
        nth[i] = 1;
        for (unsigned k = 0; k < i; k++)
            nth[i] += access->mask >> k & 1 && access->addr[k] == access->addr[i];
        for (unsigned k = 0; k < i && is_new; k++)
            is_new = !(access->mask >> k & 1) || access->addr[k] / 32 != access->addr[i] / 32 ||
                     nth[k] != nth[i];
        turns += is_new;
        most = access->mask >> i & 1 && nth[i] > most ? nth[i] : most;
    }
    cost->turns = (uint8_t)turns;
    cost->same = (uint8_t)most;
}

static uint16_t count_addresses(const struct obs_access *access)
{
    uint16_t count = 0;
    for (unsigned i = 0; i < WARP; i++) {
        bool is_new = access->mask >> i & 1;
        for (unsigned k = 0; k < i && is_new; k++)
            is_new = !(access->mask >> k & 1) || access->addr[k] != access->addr[i];
        count += is_new;
    }
    return count;
}

/* Counts the passes through a multiprocessor's memory, which serves both as shared memory and as
 * cache. In both cases, a pass takes one word from each bank. */
static uint16_t count_passes(const struct obs_access *access, uint16_t *ideal)
{
    struct obs_access banks = *access;
    uint32_t passes, fewest;
    if (access->space == PTX_LOCAL)
        return access->bytes / 4;
    banks.space = PTX_SHARED;
    if (access->space == PTX_GLOBAL && access->kind > OBS_STORE)
        banks.kind = OBS_STORE;
    obs_measure(&banks, &passes, &fewest);
    if (access->space == PTX_SHARED)
        *ideal = (uint16_t)fewest;
    return (uint16_t)passes;
}

/* Returns whether COST belongs to an access with the same lanes, the same distances between them,
 * and the same position in a line as ACCESS, or to one that ACCESS repeats. */
static bool is_alike(const struct walk_cost *cost, const struct obs_access *access, bool half_warps)
{
    uint64_t other = 0;
    if (cost->is_latest && access->repeats && !access->dense && !half_warps)
        return true;
    for (unsigned l = 0; l < WARP; l++)
        other |= (access->addr[l] - access->addr[0]) ^ cost->distance[l];
    return !other && cost->mask == access->mask && cost->space == access->space &&
           cost->place == (access->addr[0] & 127);
}

static void measure(struct walk_cost *cost, const struct obs_access *access, bool half_warps)
{
    uint32_t sectors, ideal = 0;
    for (unsigned l = 0; l < WARP; l++)
        cost->distance[l] = access->addr[l] - access->addr[0];
    cost->mask = access->mask;
    cost->space = access->space;
    cost->place = (uint8_t)(access->addr[0] & 127);
    bool is_atomic = access->kind == OBS_ATOMIC || access->kind == OBS_REDUCTION;
    if (access->space == PTX_GLOBAL)
        obs_measure(access, &sectors, &ideal);
    cost->ideal = (uint16_t)ideal;
    cost->passes =
        access->space == PTX_CONST ? count_addresses(access) : count_passes(access, &cost->ideal);
    /* these chips have 16 banks, and each bank serves one request in two cycles */
    if (half_warps && access->space == PTX_SHARED) {
        struct old_cost old = old_rules_measure(EMU_G80, access);
        cost->passes = (uint16_t)(2 * old.pieces);
        cost->ideal = (uint16_t)(2 * old.ideal);
    }
    if (is_atomic)
        count_turns(access, cost);
}

/* Adds the lines of an access to global memory or constants. ALIKE says that COST has its lines. */
static void add_global_lines(struct walk *walk, struct walk_access *into,
                             const struct obs_access *access, struct walk_cost *cost, bool alike)
{
    if (alike) {
        add_moved_lines(walk, into, cost, access->addr[0]);
        return;
    }
    add_lines(walk, into, access);
    cost->line_count = (uint8_t)into->line_count;
    for (uint32_t i = 0; i < cost->line_count; i++)
        cost->lines[i] = walk->lines[into->lines + i] - WALK_LINE(access->addr[0]);
}

void walk_access(struct walk *walk, const struct obs_access *access, struct walk_cost *cost,
                 bool half_warps)
{
    cost->is_latest &= access->repeats;
    if (walk->is_cut || !walk->run_count ||
        !grow(walk, &walk->accesses, walk->access_count, &walk->access_room,
              sizeof *walk->accesses))
        return;
    struct walk_access *into = &walk->accesses[walk->access_count++];
    bool alike = is_alike(cost, access, half_warps);
    if (!alike)
        measure(cost, access, half_warps);
    cost->is_latest = true;
    *into = (struct walk_access){.pc = access->pc,
                                 .lines = walk->line_count,
                                 .passes = cost->passes,
                                 .ideal = cost->ideal,
                                 .kind = access->kind,
                                 .space = access->space,
                                 .bytes = access->bytes,
                                 .turns = cost->turns,
                                 .same = cost->same,
                                 .lanes = (uint8_t)__builtin_popcount(access->mask)};
    if (access->space == PTX_GLOBAL && half_warps && access->kind <= OBS_STORE)
        add_transactions(walk, into, access);
    else if (access->space == PTX_GLOBAL || access->space == PTX_CONST)
        add_global_lines(walk, into, access, cost, alike);
    else if (access->space == PTX_LOCAL)
        add_local_lines(walk, into, access);
}
