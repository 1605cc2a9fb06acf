/* The counters observer counts the sectors, lines and wavefronts that each memory access needs.
 *
 * Sectors and lines are aligned pieces of memory of 32 and 128 bytes. The cost of an access to
 * global memory is the number of distinct sectors or lines that its addresses touch. A wavefront
 * reads one word from each of 32 banks, so an access to shared memory takes as many wavefronts as
 * the fullest bank has distinct words. Nearly every access is dense (lane i right after lane i - 1)
 * or repeats the previous pattern of its instruction. In both cases the cost is known without
 * reading all 32 addresses. */
#include <stdlib.h>
#include <string.h>

#include "gpu/analyse/uses.h"
#include "gpu/lanes.h"
#include "gpu/observe/losses.h"
#include "gpu/observe/old_rules.h"
#include "gpu/observe/traffic.h"

/* The ways in which a GPU executes an atomic in shared memory; see find_form(). NOT_ATOMIC is for
 * an access to an mbarrier, unless it tells a lane how many others have arrived. */
enum atomic_form { UNKNOWN, NOT_ATOMIC, ONE_PASS, TWO_PASSES, POPULATION };

struct state {
    uint32_t count;
    enum emu_rules rules;
    const struct launch_view *launch;
    uint8_t *form; /* enum atomic_form of each pc, UNKNOWN until it is needed */
    /* The counts of each pc in each memory space. The four pointers point into one array. In
     * `constant`, `pieces` is the number of distinct words. */
    struct traffic *global, *shared, *local, *constant;
    /* for each entry of that array, the kind of the latest access: enum obs_access_kind, or
     * OF_TEXTURE for a load from a texture or surface, or OF_TEXTURE + 1 for a store to one */
    uint8_t *kind;
    struct sample *samples; /* the most wasteful access of each pc (losses.h) */
    /* for each pc, the number of accesses to other CTAs' shared memory; NULL if there are no
     * clusters */
    uint64_t *others;
    uint64_t *bulk;       /* for each pc, the bytes of global memory that its bulk copies access */
    uint64_t bulk_shared; /* bytes of shared memory that bulk copies access */
    uint64_t *host;       /* for each pc, the sectors of page-locked memory that it touches */
    /* The number of sectors that each warp has loaded from global memory, indexed by CTA and warp.
     * The array has `places` entries. In a very large grid, several warps share an entry and count
     * as one warp. */
    uint32_t *loaded, warps; /* number of warps in a CTA */
    uint64_t places;         /* a power of two */
};

#define MOST_PLACES ((uint64_t)1 << 22)
#define SPACES      4u /* global, shared, local and constant memory */
#define OF_TEXTURE  4u

static void counters_free(struct state *state)
{
    free(state->global);
    free(state->kind);
    free(state->form);
    free(state->others);
    free(state->bulk);
    free(state->host);
    free(state->loaded);
    for (uint32_t i = 0; state->samples && i < state->count; i++)
        free(state->samples[i].seen);
    free(state->samples);
    free(state);
}

/* Returns the index of the counts of PC and SPACE in `global` and `kind`. */
static size_t entry_of(const struct state *state, uint8_t space, uint32_t pc)
{
    unsigned place = space == PTX_SHARED ? 1 : space == PTX_LOCAL ? 2 : space == PTX_CONST ? 3 : 0;
    return pc + (size_t)state->count * place;
}

static void *counters_begin(const struct launch_view *launch)
{
    struct state *state = calloc(1, sizeof *state);
    if (!state)
        return NULL;
    state->launch = launch;
    state->count = launch->code_count + 1;
    state->rules = launch->options->rules;
    state->global = calloc(SPACES * (size_t)state->count, sizeof *state->global);
    state->kind = calloc(SPACES * (size_t)state->count, 1);
    state->form = calloc(state->count, 1);
    state->shared = state->global ? state->global + state->count : NULL;
    state->local = state->global ? state->shared + state->count : NULL;
    state->constant = state->global ? state->local + state->count : NULL;
    state->samples = calloc(state->count, sizeof *state->samples);
    bool has_others = launch->cluster_size > 1;
    state->others = has_others ? calloc(state->count, sizeof *state->others) : NULL;
    state->bulk = calloc(state->count, sizeof *state->bulk);
    state->host = calloc(state->count, sizeof *state->host);
    state->warps = launch->warps;
    state->places = 1;
    while (state->places < launch->cta_count * state->warps && state->places < MOST_PLACES)
        state->places *= 2;
    state->loaded = calloc(state->places, sizeof *state->loaded);
    if (state->global && state->kind && state->form && state->samples && state->loaded &&
        state->bulk && state->host && (state->others || !has_others))
        return state;
    counters_free(state);
    return NULL;
}

/* --- global memory ---------------------------------------------------------------------------- */

/* Remembers the latest access, so that the next access can be recognised as a repeat. */
LANES_INLINE void remember(struct sample *sample, const struct obs_access *access)
{
    if (!access->dense && !access->repeats)
        sample->form = access_form(access->addr, access->mask);
    uint64_t form = access->dense ? DENSE_FORM : sample->form;
    sample_again(sample, access->repeats, access->warp,
                 (struct access_seen){access->cta, access->addr[0], form, access->mask});
}

/* Counts an access to global memory. Returns the number of sectors that it touched. */
LANES_INLINE uint64_t count_global(struct traffic *traffic, struct sample *sample,
                                   const struct obs_access *access)
{
    traffic->requests++;
    if (access->dense) {
        uint32_t sectors = dense_pieces(access->addr[0], access->bytes, 32);
        sample_take(sample, access, sectors, access->bytes);
        traffic->pieces += sectors;
        traffic->ideal += LANES * access->bytes / 32u;
        traffic->lines += dense_pieces(access->addr[0], access->bytes, 128);
        return sectors;
    }
    if (!access->repeats)
        measure_global(traffic, access);
    sample_take(sample, access, traffic->last_pieces, traffic->last_ideal);
    traffic->pieces += traffic->last_pieces;
    traffic->ideal += traffic->last_ideal;
    traffic->lines += traffic->last_lines;
    traffic->collisions += traffic->last_collisions;
    return traffic->last_pieces;
}

LANES_INLINE void note_load(struct state *state, uint64_t cta, uint32_t warp, uint64_t sectors)
{
    state->loaded[(cta * state->warps + warp) & (state->places - 1)] += (uint32_t)sectors;
}

/* --- page-locked memory of the host ----------------------------------------------------------- */

/* Returns whether ADDR is in page-locked memory. Managed memory is not: its pages move to the
 * GPU. */
static bool is_on_host(const struct state *state, uint64_t addr)
{
    const struct memory *memory = state->launch->memory;
    const struct mem_block *block = memory->lent ? mem_block_at(memory, addr) : NULL;
    return block && block->is_lent && block->keeps_address;
}

/* Adds the SECTORS of an access if at least one lane touches page-locked memory. Leaves out
 * reductions, which fetch nothing: a sum may be on the host. */
static void count_host(struct state *state, const struct obs_access *access, uint64_t sectors)
{
    bool found = false, counts = state->launch->memory->lent && access->kind != OBS_REDUCTION;
    for (unsigned l = 0; counts && l < LANES && !found; l++)
        found = is_on_host(state, access->addr[l]);
    state->host[access->pc] += found ? sectors : 0;
}

/* --- shared memory ---------------------------------------------------------------------------- */

LANES_INLINE void count_shared(struct traffic *traffic, struct sample *sample,
                               const struct obs_access *access)
{
    traffic->requests++;
    if (access->dense) {
        unsigned wavefronts = access->bytes > 4 ? access->bytes / 4 : 1;
        traffic->pieces += wavefronts;
        traffic->ideal += wavefronts;
        return;
    }
    if (!access->repeats)
        measure_shared(traffic, access);
    sample_take(sample, access, traffic->last_pieces, traffic->last_ideal);
    traffic->pieces += traffic->last_pieces;
    traffic->ideal += traffic->last_ideal;
}

/* --- atomics in shared memory (measured on an H100) ------------------------------------------- */

/* Returns how the GPU executes an atomic. Integer atomics and exchanges of 32 bits are one
 * instruction. Compare-and-swap takes two passes. All other atomics become a loop of
 * compare-and-swap, in which each iteration also takes two passes. An addition of 1 whose result
 * is unused takes one step per word: the GPU counts the lanes that use the word and adds this
 * number. */
static enum atomic_form find_form(const struct launch_view *launch, uint32_t pc)
{
    struct view_instruction in = view_instruction(launch, pc);
    bool is_word = in.bytes == 4 && ptx_type_class(in.type) != 'F';
    uint32_t index;
    const struct ptx_function *function = view_function(launch, pc, &index);
    if (in.kind != VIEW_ATOMIC)
        return analyse_counts_arrivals(function, index) ? ONE_PASS : NOT_ATOMIC;
    if (is_word && in.adds_one && in.access == OBS_REDUCTION)
        return POPULATION;
    if (in.op == PTX_MOD_exch)
        return ONE_PASS;
    return is_word && in.op != PTX_MOD_cas ? ONE_PASS : TWO_PASSES;
}

static enum atomic_form form_at(struct state *state, uint32_t pc)
{
    if (state->form[pc] == UNKNOWN)
        state->form[pc] = (uint8_t)find_form(state->launch, pc);
    return state->form[pc];
}

LANES_INLINE void count_shared_atomic(struct traffic *traffic, const struct obs_access *access,
                                      enum atomic_form form)
{
    unsigned passes = form == TWO_PASSES ? 2 : 1;
    if (form == NOT_ATOMIC)
        return;
    traffic->requests++;
    traffic->lanes += (uint64_t)__builtin_popcount(access->mask);
    if (access->dense) {
        traffic->pieces += passes * access->bytes / 4;
        traffic->ideal += passes * access->bytes / 4;
        return;
    }
    if (form == POPULATION && !access->repeats) {
        uint32_t active = (uint32_t)__builtin_popcount(access->mask);
        traffic->last_collisions = active - measure_shared(traffic, access);
    } else if (!access->repeats) {
        measure_serialised(traffic, access);
        measure_collisions(traffic, access);
    }
    traffic->collisions += traffic->last_collisions;
    traffic->pieces += passes * traffic->last_pieces;
    traffic->ideal += passes * traffic->last_ideal;
}

/* --- local memory ----------------------------------------------------------------------------- */

static void count_local(struct traffic *traffic, const struct obs_access *access)
{
    if (!access->repeats || access->dense)
        traffic->last_pieces = measure_local(access);
    traffic->requests += local_requests(access->bytes);
    traffic->pieces += traffic->last_pieces;
}

/* --- constant memory -------------------------------------------------------------------------- */

LANES_INLINE void count_constant(struct traffic *traffic, const struct obs_access *access)
{
    if (!access->repeats || access->dense)
        traffic->last_pieces = measure_constant(access);
    traffic->requests++;
    traffic->pieces += traffic->last_pieces;
}

static void count_bulk(struct state *state, const struct obs_access *access)
{
    if (access->space != PTX_GLOBAL) {
        state->bulk_shared += access->bytes;
        return;
    }
    state->kind[entry_of(state, access->space, access->pc)] = access->kind;
    state->bulk[access->pc] += access->bytes;
    count_host(state, access, (access->bytes + 31u) / 32);
}

/* Counts a texture fetch or an access to a surface. There are no findings about textures, so no
 * sample is kept. */
LANES_INLINE void count_texture(struct state *state, const struct obs_access *access)
{
    struct sample unused = {0};
    state->kind[access->pc] = access->kind == OBS_LOAD ? OF_TEXTURE : OF_TEXTURE + 1;
    uint64_t sectors = count_global(&state->global[access->pc], &unused, access);
    count_host(state, access, sectors);
    if (access->kind == OBS_LOAD)
        note_load(state, access->cta, access->warp, sectors);
}

LANES_CLONES static void counters_access(void *argument, const struct obs_access *access)
{
    struct state *state = argument;
    if (access->is_bulk) { /* a bulk copy is not a request, as in Nsight Compute */
        count_bulk(state, access);
        return;
    }
    if (access->is_texture) {
        count_texture(state, access);
        return;
    }
    if (access->space == PTX_CLUSTER) {
        state->others[access->pc]++;
        return;
    }
    state->kind[entry_of(state, access->space, access->pc)] = access->kind;
    if (access->space == PTX_LOCAL) {
        count_local(&state->local[access->pc], access);
    } else if (access->space == PTX_CONST) {
        count_constant(&state->constant[access->pc], access);
    } else if (access->space == PTX_GLOBAL) {
        remember(&state->samples[access->pc], access);
        uint64_t sectors =
            count_global(&state->global[access->pc], &state->samples[access->pc], access);
        count_host(state, access, sectors);
        if (access->kind == OBS_LOAD)
            note_load(state, access->cta, access->warp, sectors);
    } else if (access->space == PTX_SHARED && access->kind <= OBS_STORE)
        count_shared(&state->shared[access->pc], &state->samples[access->pc], access);
    else if (access->space == PTX_SHARED)
        count_shared_atomic(&state->shared[access->pc], access, form_at(state, access->pc));
}

/* The cost of a repeat, as in struct traffic. */
struct cost {
    uint32_t pieces, ideal, lines, collisions;
};

/* Returns the cost of a repeat in global or shared memory. FIRST is the address of lane 0. */
LANES_INLINE struct cost repeat_cost(const struct traffic *traffic, uint8_t space, bool dense,
                                     uint64_t first, uint32_t bytes)
{
    uint32_t wavefronts = bytes > 4 ? bytes / 4 : 1;
    if (!dense)
        return (struct cost){traffic->last_pieces, traffic->last_ideal, traffic->last_lines,
                             traffic->last_collisions};
    if (space == PTX_SHARED)
        return (struct cost){.pieces = wavefronts, .ideal = wavefronts};
    return (struct cost){.pieces = dense_pieces(first, bytes, 32),
                         .ideal = LANES * bytes / 32,
                         .lines = dense_pieces(first, bytes, 128)};
}

LANES_INLINE void add_cost(struct traffic *traffic, struct cost cost, uint64_t times)
{
    traffic->requests += times;
    traffic->pieces += cost.pieces * times;
    traffic->ideal += cost.ideal * times;
    traffic->lines += cost.lines * times;
    traffic->collisions += cost.collisions * times;
}

/* Counts a repeat in global or shared memory. Returns OBS_FULL, which requests all addresses, if
 * the repeat wastes more than the instruction's sample (losses.h). In shared memory, repeats
 * without waste need no further check, so counting them is enough. */
LANES_INLINE enum obs_answer count_repeat(struct state *state, struct traffic *traffic,
                                          const struct obs_repeat *repeat)
{
    struct sample *sample = &state->samples[repeat->pc];
    struct cost cost =
        repeat_cost(traffic, repeat->space, repeat->dense, repeat->first, repeat->bytes);
    bool wastes = cost.pieces > cost.ideal;
    if (wastes && sample_is_worse(sample, cost.pieces, cost.ideal, repeat->cta, repeat->warp))
        return OBS_FULL;
    add_cost(traffic, cost, repeat->times);
    if (repeat->space == PTX_SHARED)
        return wastes ? OBS_SERIES : OBS_COUNT_ONLY;
    /* the lanes of a repeat are in one allocation */
    if (repeat->kind != OBS_REDUCTION && is_on_host(state, repeat->first))
        state->host[repeat->pc] += (uint64_t)cost.pieces * repeat->times;
    if (repeat->kind == OBS_LOAD)
        note_load(state, repeat->cta, repeat->warp, cost.pieces);
    uint64_t form = repeat->dense ? DENSE_FORM : sample->form;
    sample_again(sample, true, repeat->warp,
                 (struct access_seen){repeat->cta, repeat->first, form, repeat->mask});
    return OBS_SERIES;
}

/* Takes an access of a series as the instruction's sample. */
static void take_from_series(struct sample *sample, const struct obs_series_list *list,
                             const struct obs_series *series, struct cost cost)
{
    struct obs_access access = {.mask = list->mask,
                                .kind = list->kind,
                                .space = list->space,
                                .bytes = list->bytes,
                                .warp = series->warp,
                                .cta = series->cta};
    for (unsigned l = 0; l < LANES; l++)
        access.addr[l] = series->first + (uint64_t)(int64_t)list->delta[l];
    sample_take(sample, &access, cost.pieces, cost.ideal);
}

/* Counts series of repeats, which all cost the same. */
static void counters_series(void *argument, const struct obs_series_list *list)
{
    struct state *state = argument;
    struct traffic *traffic = &state->global[entry_of(state, list->space, list->pc)];
    struct sample *sample = &state->samples[list->pc];
    struct cost cost =
        repeat_cost(traffic, list->space, list->dense, list->series[0].first, list->bytes);
    uint64_t form = list->dense ? DENSE_FORM : sample->form;
    bool wastes = cost.pieces > cost.ideal, is_global = list->space == PTX_GLOBAL;
    bool may_be_lent = list->kind != OBS_REDUCTION && state->launch->memory->lent;
    const struct obs_series *end = list->series + list->count;
    add_cost(traffic, cost, list->times);
    for (const struct obs_series *series = list->series; wastes && series < end; series++)
        if (sample_is_worse(sample, cost.pieces, cost.ideal, series->cta, series->warp))
            take_from_series(sample, list, series, cost);
    for (const struct obs_series *series = list->series; is_global && series < end; series++) {
        if (may_be_lent && is_on_host(state, series->first))
            state->host[list->pc] += (uint64_t)cost.pieces * series->times;
        if (list->kind == OBS_LOAD)
            note_load(state, series->cta, series->warp, (uint64_t)cost.pieces * series->times);
        sample_again(sample, true, series->warp,
                     (struct access_seen){series->cta, series->first, form, list->mask});
        sample_move(sample, series);
    }
}

/* Counts repeats in local or constant memory. A dense access may begin in the middle of a word,
 * which changes its cost. */
static enum obs_answer repeat_by_word(struct traffic *traffic, const struct obs_repeat *repeat,
                                      uint32_t requests)
{
    if (repeat->dense)
        return OBS_FULL;
    traffic->requests += (uint64_t)requests * repeat->times;
    traffic->pieces += (uint64_t)traffic->last_pieces * repeat->times;
    return OBS_COUNT_ONLY;
}

static enum obs_answer counters_repeat(void *argument, const struct obs_repeat *repeat)
{
    struct state *state = argument;
    switch (repeat->space) {
    case PTX_GLOBAL:
        return count_repeat(state, &state->global[repeat->pc], repeat);
    case PTX_SHARED:
        return state->kind[state->count + repeat->pc] > OBS_STORE
                   ? OBS_FULL
                   : count_repeat(state, &state->shared[repeat->pc], repeat);
    case PTX_LOCAL:
        return repeat_by_word(&state->local[repeat->pc], repeat, local_requests(repeat->bytes));
    case PTX_CONST:
        return repeat_by_word(&state->constant[repeat->pc], repeat, 1);
    default:
        return OBS_COUNT_ONLY;
    }
}

LANES_CLONES void obs_measure(const struct obs_access *access, uint32_t *cost, uint32_t *ideal)
{
    struct traffic traffic = {0};
    struct sample unused = {0};
    struct obs_access once = *access;
    once.repeats = false;
    if (access->space == PTX_SHARED)
        count_shared(&traffic, &unused, &once);
    else
        count_global(&traffic, &unused, &once);
    *cost = (uint32_t)traffic.pieces;
    *ideal = (uint32_t)traffic.ideal;
}

/* --- older GPUs ------------------------------------------------------------------------------- */

/* Counts by the rules of older GPUs. Each half of a warp makes its own request. `lines` counts the
 * transactions of global memory. */
static void access_by_old_rules(void *argument, const struct obs_access *access)
{
    struct state *state = argument;
    bool shared = access->space == PTX_SHARED;
    size_t at = entry_of(state, access->space, access->pc);
    if (access->space == PTX_CLUSTER)
        state->others[access->pc]++;
    if (access->space == PTX_LOCAL) {
        state->kind[at] = access->kind;
        count_local(&state->local[access->pc], access);
    }
    if (access->space == PTX_CONST)
        count_constant(&state->constant[access->pc], access);
    if ((!shared && access->space != PTX_GLOBAL) || (shared && access->kind > OBS_STORE) ||
        access->is_texture)
        return;
    struct old_cost cost = old_rules_measure(state->rules, access);
    state->kind[at] = access->kind;
    state->global[at].requests += cost.requests;
    state->global[at].pieces += cost.pieces;
    state->global[at].ideal += cost.ideal;
    state->global[at].lines += cost.transactions;
}

/* --- results ---------------------------------------------------------------------------------- */

static void counters_join(void *into, void *argument)
{
    struct state *total = into, *state = argument;
    for (size_t i = 0; i < SPACES * (size_t)total->count; i++) {
        total->global[i].requests += state->global[i].requests;
        total->global[i].pieces += state->global[i].pieces;
        total->global[i].ideal += state->global[i].ideal;
        total->global[i].lines += state->global[i].lines;
        total->global[i].collisions += state->global[i].collisions;
        total->global[i].lanes += state->global[i].lanes;
        total->kind[i] |= state->kind[i];
    }
    for (uint32_t i = 0; total->others && i < total->count; i++)
        total->others[i] += state->others[i];
    for (uint32_t i = 0; i < total->count; i++)
        sample_join(&total->samples[i], &state->samples[i]);
    for (uint32_t i = 0; i < total->count; i++) {
        total->bulk[i] += state->bulk[i];
        total->host[i] += state->host[i];
    }
    total->bulk_shared += state->bulk_shared;
    for (uint64_t i = 0; i < total->places; i++)
        total->loaded[i] += state->loaded[i];
    counters_free(state);
}

static void counters_end(void *argument, const struct launch_view *launch,
                         struct emu_counters *per_instruction)
{
    /* for each value of `kind`, the first of its four counters; counters.def lists the four one
     * after another */
    static const enum emu_counter global[] = {
        EMU_global_load_requests,      EMU_global_store_requests, EMU_global_atomic_requests,
        EMU_global_reduction_requests, EMU_texture_load_requests, EMU_texture_store_requests};
    static const enum emu_counter shared[] = {EMU_shared_load_requests, EMU_shared_store_requests,
                                              EMU_shared_atomic_requests,
                                              EMU_shared_atomic_requests};
    /* there are no atomics in local memory */
    static const enum emu_counter local[] = {EMU_local_load_requests, EMU_local_store_requests,
                                             EMU_local_store_requests, EMU_local_store_requests};
    struct state *state = argument;
    for (uint32_t pc = 0; per_instruction && pc < launch->code_count; pc++) {
        if (!per_instruction[pc].value[EMU_warp_instructions])
            continue;
        const struct traffic *g = &state->global[pc], *s = &state->shared[pc];
        bool is_atomic = state->kind[pc] == OBS_ATOMIC || state->kind[pc] == OBS_REDUCTION;
        uint64_t *value = per_instruction[pc].value + global[state->kind[pc]];
        value[0] += g->requests;
        value[1] += g->pieces;
        value[2] += g->ideal;
        value[3] += g->lines;
        value = per_instruction[pc].value + shared[state->kind[state->count + pc]];
        value[0] += s->requests;
        value[1] += s->pieces;
        value[2] += s->ideal;
        value[3] += s->pieces - s->ideal;
        per_instruction[pc].value[EMU_shared_atomic_lanes] += s->lanes;
        per_instruction[pc].value[EMU_atomic_collisions] +=
            (is_atomic ? g->collisions : 0) + s->collisions;
        if (state->kind[pc] == OBS_LOAD || state->kind[pc] == OF_TEXTURE)
            per_instruction[pc].value[EMU_load_collisions] += g->collisions;
        per_instruction[pc].value[EMU_host_sectors] += state->host[pc];
        value = per_instruction[pc].value + local[state->kind[2 * state->count + pc]];
        value[0] += state->local[pc].requests;
        value[1] += state->local[pc].pieces;
        per_instruction[pc].value[EMU_constant_replays] +=
            state->constant[pc].pieces - state->constant[pc].requests;
        per_instruction[pc]
            .value[state->kind[pc] == OBS_LOAD ? EMU_bulk_load_bytes : EMU_bulk_store_bytes] +=
            state->bulk[pc];
        per_instruction[pc].value[EMU_cluster_requests] = state->others ? state->others[pc] : 0;
    }
    if (per_instruction)
        per_instruction[launch->code_count].value[EMU_bulk_shared_bytes] = state->bulk_shared;
    for (uint64_t i = 0; per_instruction && i < state->places; i++) {
        uint64_t *most = &per_instruction[launch->code_count].value[EMU_longest_warp_load_sectors];
        *most = state->loaded[i] > *most ? state->loaded[i] : *most;
    }
    /* losses are defined only for the rules of today's GPUs */
    if (per_instruction && state->rules == EMU_SECTOR)
        losses_report(launch, per_instruction, state->samples);
    counters_free(state);
}

const struct observer obs_counters = {
    .name = "counters",
    .events = OBS_ACCESS,
    .begin = counters_begin,
    .access = counters_access,
    .repeat = counters_repeat,
    .series = counters_series,
    .join = counters_join,
    .end = counters_end,
};

const struct observer obs_counters_by_old_rules = {
    .name = "counters",
    .events = OBS_ACCESS,
    .begin = counters_begin,
    .access = access_by_old_rules,
    .join = counters_join,
    .end = counters_end,
};
