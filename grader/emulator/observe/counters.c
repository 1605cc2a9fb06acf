/* The counters observer: how a warp's addresses become sectors, lines and wavefronts.
 *
 * Sectors and lines are distinct 32- and 128-byte pieces of the addresses. A wavefront reads one word
 * from each of 32 banks, so it takes as many as the fullest bank has distinct words. Nearly every
 * access is dense (lane i right behind lane i - 1) or uniform, and both are counted without a look at
 * the 32 addresses. */
#include <stdlib.h>
#include <string.h>

#include "emulator/execute/machine.h"

#define LANES 32u
#define BANKS 32u

/* Of one instruction in one space: requests, then what the space counts. */
struct traffic {
    uint64_t requests, pieces, ideal, lines;
};

struct state {
    uint32_t count;
    struct traffic *global, *shared; /* count of each, by pc */
    uint8_t *kind;                   /* of the access at each pc: enum obs_access_kind */
};

static void *counters_begin(const struct obs_launch *launch)
{
    struct state *state = calloc(1, sizeof *state);
    if (!state)
        return NULL;
    state->count = launch->kernel->code_count + 1;
    state->global = calloc(2 * (size_t)state->count, sizeof *state->global);
    state->kind = calloc(state->count, 1);
    state->shared = state->global ? state->global + state->count : NULL;
    if (state->global && state->kind)
        return state;
    free(state->global);
    free(state->kind);
    free(state);
    return NULL;
}

/* --- distinct values ---------------------------------------------------------------------------- */

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static unsigned count_distinct_by_sorting(const uint64_t *values, unsigned shift)
{
    uint64_t sorted[LANES];
    for (unsigned i = 0; i < LANES; i++)
        sorted[i] = values[i] >> shift;
    qsort(sorted, LANES, sizeof *sorted, by_value);
    unsigned distinct = 1;
    for (unsigned i = 1; i < LANES; i++)
        distinct += sorted[i] != sorted[i - 1];
    return distinct;
}

#define BITMAP_WORDS 64u

/* How many different values the addresses have once SHIFT low bits are dropped: a bitmap where they
 * lie close together, else sorted. */
LANES_INLINE unsigned count_distinct(const uint64_t *addr, uint64_t low, uint64_t high,
                                     unsigned shift)
{
    uint64_t first = low >> shift, span = (high >> shift) - first;
    if (span == 0)
        return 1;
    if (span >= 64 * BITMAP_WORDS)
        return count_distinct_by_sorting(addr, shift);
    uint64_t bits[BITMAP_WORDS];
    unsigned words = (unsigned)(span / 64) + 1, distinct = 0;
    memset(bits, 0, words * sizeof *bits);
    for (unsigned i = 0; i < LANES; i++) {
        uint64_t at = (addr[i] >> shift) - first;
        bits[at / 64] |= (uint64_t)1 << (at % 64);
    }
    for (unsigned i = 0; i < words; i++)
        distinct += (unsigned)__builtin_popcountll(bits[i]);
    return distinct;
}

static unsigned log2_of(unsigned power_of_two)
{
    return (unsigned)__builtin_ctz(power_of_two);
}

/* --- global memory ------------------------------------------------------------------------------ */

/* Inactive lanes repeat an active one's address, so all 32 can be counted. */
LANES_INLINE void count_global(struct traffic *traffic, const struct obs_access *access)
{
    uint64_t low = access->addr[0], high = low;
    unsigned bytes = access->bytes;
    traffic->requests++;
    if (access->dense) {
        high = low + (LANES - 1) * bytes;
        traffic->pieces += (high + bytes - 1) / 32 - low / 32 + 1;
        traffic->lines += (high + bytes - 1) / 128 - low / 128 + 1;
        traffic->ideal += LANES * bytes / 32;
        return;
    }
    for (unsigned i = 1; i < LANES; i++) {
        low = access->addr[i] < low ? access->addr[i] : low;
        high = access->addr[i] > high ? access->addr[i] : high;
    }
    unsigned words = count_distinct(access->addr, low, high, log2_of(bytes));
    traffic->pieces += count_distinct(access->addr, low, high, 5);
    traffic->lines += count_distinct(access->addr, low, high, 7);
    traffic->ideal += (words * bytes + 31) / 32;
}

/* --- shared memory ------------------------------------------------------------------------------ */

/* Distinct 4-byte words that LANES lanes from FIRST on ask for, per bank: *DISTINCT grows by their
 * number. Words are kept in small open lists: a bank rarely has more than a few. */
static unsigned fullest_bank(const struct obs_access *access, unsigned first, unsigned lanes,
                             unsigned *distinct)
{
    uint32_t seen[BANKS][LANES * 2];
    uint8_t held[BANKS] = {0};
    unsigned words = access->bytes > 4 ? access->bytes / 4 : 1, fullest = 0;
    for (unsigned i = first; i < first + lanes; i++) {
        for (unsigned k = 0; k < words; k++) {
            uint32_t word = (uint32_t)(access->addr[i] / 4 + k), bank = word % BANKS, n = 0;
            while (n < held[bank] && seen[bank][n] != word)
                n++;
            if (n < held[bank])
                continue;
            seen[bank][held[bank]++] = word;
            (*distinct)++;
            fullest = held[bank] > fullest ? held[bank] : fullest;
        }
    }
    return fullest;
}

static unsigned in_wavefronts(unsigned words)
{
    return (words + BANKS - 1) / BANKS;
}

/* 128-bit accesses go half a warp at a time, however few words they ask for (measured on an H200). */
static void count_by_halves(struct traffic *traffic, const struct obs_access *access)
{
    for (unsigned half = 0; half < 2; half++) {
        unsigned distinct = 0;
        if (!(access->mask >> (16 * half) & 0xffff))
            continue;
        traffic->pieces += fullest_bank(access, 16 * half, 16, &distinct);
        traffic->ideal += in_wavefronts(distinct);
    }
}

/* True if no bank is asked for two different words. Each lane writes its word into its bank's place and
 * looks whether it is still there. */
LANES_INLINE bool is_free_of_conflicts(const struct obs_access *access)
{
    uint32_t place[BANKS], different = 0;
    for (unsigned i = 0; i < LANES; i++)
        place[access->addr[i] / 4 % BANKS] = (uint32_t)(access->addr[i] / 4);
    for (unsigned i = 0; i < LANES; i++)
        different |= place[access->addr[i] / 4 % BANKS] ^ (uint32_t)(access->addr[i] / 4);
    return !different;
}

LANES_INLINE void count_shared(struct traffic *traffic, const struct obs_access *access)
{
    unsigned bytes = access->bytes, distinct = 1, wavefronts = 1;
    traffic->requests++;
    if (bytes > 4 && access->dense) {
        distinct = LANES * bytes / 4;
        wavefronts = bytes / 4;
    } else if (bytes == 16) {
        count_by_halves(traffic, access);
        return;
    } else if (bytes > 4 || !is_free_of_conflicts(access)) {
        distinct = 0;
        wavefronts = fullest_bank(access, 0, LANES, &distinct);
    }
    traffic->pieces += wavefronts;
    traffic->ideal += in_wavefronts(distinct);
}

LANES_CLONES static void counters_access(void *argument, const struct obs_access *access)
{
    struct state *state = argument;
    state->kind[access->pc] = access->kind;
    if (access->space == PTX_GLOBAL)
        count_global(&state->global[access->pc], access);
    else if (access->space == PTX_SHARED && access->kind <= OBS_STORE)
        count_shared(&state->shared[access->pc], access);
}

/* --- results ------------------------------------------------------------------------------------ */

static void counters_free(struct state *state)
{
    free(state->global);
    free(state->kind);
    free(state);
}

static void counters_join(void *into, void *argument)
{
    struct state *total = into, *state = argument;
    for (uint32_t i = 0; i < 2 * total->count; i++) { /* shared lies behind global */
        total->global[i].requests += state->global[i].requests;
        total->global[i].pieces += state->global[i].pieces;
        total->global[i].ideal += state->global[i].ideal;
        total->global[i].lines += state->global[i].lines;
    }
    for (uint32_t i = 0; i < total->count; i++)
        total->kind[i] |= state->kind[i];
    counters_free(state);
}

static void counters_end(void *argument, const struct obs_launch *launch,
                         struct emu_counters *per_instruction)
{
    /* the first of the four counters of each kind, in counters.def's order */
    static const enum emu_counter global[] = {EMU_global_load_requests, EMU_global_store_requests,
                                              EMU_global_atomic_requests,
                                              EMU_global_reduction_requests};
    static const enum emu_counter shared[] = {EMU_shared_load_requests, EMU_shared_store_requests};
    struct state *state = argument;
    for (uint32_t pc = 0; per_instruction && pc < launch->kernel->code_count; pc++) {
        const struct traffic *g = &state->global[pc], *s = &state->shared[pc];
        uint64_t *value = per_instruction[pc].value + global[state->kind[pc]];
        value[0] += g->requests;
        value[1] += g->pieces;
        value[2] += g->ideal;
        value[3] += g->lines;
        if (state->kind[pc] > OBS_STORE)
            continue;
        value = per_instruction[pc].value + shared[state->kind[pc]];
        value[0] += s->requests;
        value[1] += s->pieces;
        value[2] += s->ideal;
        value[3] += s->pieces - s->ideal;
    }
    counters_free(state);
}

const struct observer obs_counters = {
    .name = "counters",
    .events = OBS_ACCESS,
    .begin = counters_begin,
    .access = counters_access,
    .join = counters_join,
    .end = counters_end,
};
