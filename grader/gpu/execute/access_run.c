/* Executes loads, stores and atomics: turns the addresses of 32 lanes into accesses to bytes in the
 * host's memory.
 *
 * Every access is checked before it touches a byte. find_lanes() turns addresses into host
 * pointers; it reports lanes with bad addresses and excludes them from the access. A repeated
 * pattern of addresses takes a fast path: is_again(). */
#include "gpu/execute/access.h"

#include "gpu/execute/access_find.h"
#include "gpu/execute/access_values.h"
#include "gpu/execute/operations.h"
#include "gpu/execute/raw.h"

/* --- loads and stores ------------------------------------------------------------------------- */

/* Sets the fields of ACCESS that the instruction alone determines. */
LANES_INLINE void start_access(const struct warp *warp, const struct inst *inst,
                               struct obs_access *access)
{
    access->pc = warp->pc;
    access->kind = inst->mem.event;
    access->bytes = (uint8_t)(inst->mem.bytes * inst->mem.count);
    access->element = inst->mem.bytes;
    access->is_bulk = access->is_texture = false;
}

/* Writes to ACCESS, for the observers, the values that a store will write. */
LANES_INLINE void show_values(const struct warp *warp, const struct inst *inst,
                              struct obs_access *access)
{
    for (unsigned k = 0; k < inst->mem.count; k++)
        access->value[k] = slot_at(warp, inst->mem.vector[k]);
    access->value_bytes = inst->mem.vector[0].bytes;
}

/* Returns whether PATTERN_WINDOW bytes from the pattern's lowest address on can be read. */
LANES_INLINE bool has_window(const struct pattern *pattern, uint64_t first)
{
    if (pattern->space == PTX_SHARED)
        return true; /* cta.c allocates PATTERN_WINDOW extra bytes */
    if (!is_global(pattern->space))
        return false;
    uint64_t low = first + (uint64_t)(int64_t)pattern->low - pattern->block->addr;
    return pattern->block->size >= PATTERN_WINDOW && low <= pattern->block->size - PATTERN_WINDOW;
}

/* Stores in PATTERN the values that is_again() and lies_apart() need. Called after an access in
 * which all addresses were valid. FIRST is the first lane's address. */
LANES_INLINE void remember(const struct warp *warp, const struct inst *inst,
                           struct pattern *pattern, uint64_t first)
{
    struct worker *worker = warp->cta->worker;
    const struct mem_block *block = pattern->block;
    uint64_t span = (uint64_t)((int64_t)pattern->high - pattern->low) + pattern->bytes;
    if (pattern->shape == PATTERN_NEAR && !has_window(pattern, first))
        pattern->shape = PATTERN_ANY;
    if (pattern->shape == PATTERN_NEAR && pattern->space != PTX_SHARED)
        span = PATTERN_WINDOW;
    pattern->repeat = (struct obs_repeat){.first = first,
                                          .low = pattern->low,
                                          .high = pattern->high,
                                          .pc = warp->pc,
                                          .mask = pattern->mask,
                                          .times = 1,
                                          .kind = inst->mem.event,
                                          .space = pattern->space,
                                          .bytes = pattern->bytes,
                                          .dense = pattern->shape == PATTERN_DENSE};
    pattern->ready = pattern->mask;
    pattern->serial = ++worker->serial;
    pattern->stretch = worker->stretches;
    pattern->kin = 0;
    pattern->stride = 0;
    pattern->strays = 0;
    pattern->step = 0;
    if (pattern->space == PTX_SHARED) {
        pattern->host = NULL;
        pattern->begin = inst->mem.low - (uint64_t)(int64_t)pattern->low;
        pattern->room = shared_end(warp, inst) - inst->mem.low - span;
    } else if (is_global(pattern->space)) {
        pattern->host = block->host - pattern->low;
        pattern->begin = block->addr - (uint64_t)(int64_t)pattern->low;
        pattern->room = block->size - span;
    } else if (pattern->space == PTX_LOCAL) {
        const struct launch *launch = warp->cta->launch;
        pattern->host = NULL;
        pattern->begin = 0 - (uint64_t)(int64_t)pattern->low;
        pattern->room = launch->kernel->function->local_bytes - span;
        pattern->stride = launch->own_bytes;
    } else {
        pattern->ready = 0;
    }
}

/* Tries the second fast path (see find_apart() in repeat.h). Writes to HOST a pointer to each
 * lane's bytes. Returns false if this path does not apply. */
LANES_INLINE bool lies_apart(const struct warp *warp, const struct inst *inst, uint32_t mask,
                             uint8_t **host)
{
    uint64_t at[WARP];
    struct slot base = inst->mem.base;
    uint8_t *start =
        find_apart(warp, inst->mem.event == OBS_LOAD, &warp->cta->worker->patterns[warp->pc],
                   slot_at(warp, base), base.bytes, (uint64_t)inst->mem.offset,
                   inst->mem.space == PTX_GENERIC, mask, at);
    for (unsigned l = 0; l < WARP && start; l++)
        host[l] = start + at[l];
    return start;
}

/* Loads values whose addresses do not repeat the pattern. */
LANES_CLONES static void load_in_full(struct warp *warp, const struct inst *inst, uint32_t mask)
{
    uint8_t *host[WARP];
    if (lies_apart(warp, inst, mask, host)) {
        load_elements(warp, inst, host, mask, false);
        return;
    }
    for (uint32_t todo = mask; todo;) {
        struct obs_access access;
        uint64_t stride;
        start_access(warp, inst, &access);
        find_addresses(warp, inst, mask, access.addr);
        uint32_t group = take_space(warp, inst, todo, &access);
        struct pattern *pattern = report(warp, &access, group);
        uint8_t *start = find_pattern(warp, &access, pattern, &stride);
        if (start) {
            remember(warp, inst, pattern, access.addr[0]);
            load_found(warp, inst, start, stride, pattern, group);
        } else {
            access_find_slowly(warp, &access, group, host);
        }
        if (!start)
            load_elements(warp, inst, host, group, false);
        todo &= ~group;
    }
}

LANES_CLONES static void store_in_full(struct warp *warp, const struct inst *inst, uint32_t mask)
{
    uint8_t *host[WARP];
    if (lies_apart(warp, inst, mask, host)) {
        store_elements(warp, inst, host, mask);
        return;
    }
    for (uint32_t todo = mask; todo;) {
        struct obs_access access;
        uint64_t stride;
        start_access(warp, inst, &access);
        find_addresses(warp, inst, mask, access.addr);
        uint32_t group = take_space(warp, inst, todo, &access);
        if (warp->cta->launch->wanted & OBS_VALUES)
            show_values(warp, inst, &access);
        struct pattern *pattern = report(warp, &access, group);
        uint8_t *start = find_pattern(warp, &access, pattern, &stride);
        uint32_t lanes = start ? group : access_find_slowly(warp, &access, group, host);
        if (start) {
            remember(warp, inst, pattern, access.addr[0]);
            store_found(warp, inst, start, stride, pattern, group);
        }
        if (!start && lanes)
            store_elements(warp, inst, host, lanes);
        todo &= ~group;
    }
}

/* --- accesses that repeat --------------------------------------------------------------------- */

/* Reports a repeated access, with the addresses of all lanes, to one listener. FIRST is the first
 * lane's address. */
LANES_CLONES static void report_in_full(const struct warp *warp, const struct inst *inst,
                                        const struct pattern *pattern, uint64_t first,
                                        const struct listener *listener)
{
    struct obs_access access;
    start_access(warp, inst, &access);
    for (unsigned l = 0; l < WARP; l++)
        access.addr[l] = first + (uint64_t)(int64_t)pattern->delta[l];
    access.mask = pattern->mask;
    access.space = pattern->space;
    access.dense = pattern->shape == PATTERN_DENSE;
    access.repeats = true;
    access.warp = warp->index;
    access.cta = warp->cta->linear;
    if (inst->mem.event != OBS_LOAD && warp->cta->launch->wanted & OBS_VALUES)
        show_values(warp, inst, &access);
    worker_add_cost(warp->cta->worker, access.dense, access.mask);
    listener->observer->access(listener->state, &access);
}

/* Reports a repeated access to all listeners. FIRST is the first lane's address. Not inlined, like
 * note_other_repeat(), so that the common paths save no registers. */
__attribute__((noinline)) static void report_repeat(const struct warp *warp,
                                                    const struct inst *inst,
                                                    struct pattern *pattern, uint64_t first)
{
    struct worker *worker = warp->cta->worker;
    struct obs_repeat *repeat = &pattern->repeat;
    enum obs_answer all = OBS_COUNT_ONLY;
    flush(worker, warp->pc);
    pattern->step = first - repeat->first;
    repeat->first = first;
    repeat->cta = warp->cta->linear;
    repeat->warp = warp->index;
    for (unsigned i = 0; i < worker->listeners[inst->mem.event != OBS_LOAD]; i++) {
        const struct listener *listener = &worker->listener[i];
        enum obs_answer answer = OBS_FULL;
        if (listener->observer->repeat)
            answer = listener->observer->repeat(listener->state, repeat);
        if (answer == OBS_FULL)
            report_in_full(warp, inst, pattern, first, listener);
        all = answer < all ? answer : all;
    }
    pattern->answer = (uint8_t)all;
}

/* Adds a repeat to the pattern's latest series, or begins a new series. Returns false if the repeat
 * must be reported by itself: a dense access at another place in its line costs more or less. */
static bool add_to_series(const struct warp *warp, struct pattern *pattern, uint64_t first)
{
    struct obs_series *latest = &pattern->latest;
    if (pattern->answer != OBS_SERIES ||
        (pattern->repeat.dense && (first - pattern->repeat.first) % 128))
        return false;
    if (latest->times == 1 && latest->warp == warp->index && latest->cta == warp->cta->linear) {
        pattern->step = first - latest->first;
        latest->step = (int64_t)pattern->step;
        latest->times = 2;
        return true;
    }
    if (latest->times)
        pattern->series[pattern->series_count++] = *latest;
    *latest = (struct obs_series){
        .first = first, .cta = warp->cta->linear, .warp = warp->index, .times = 1};
    if (pattern->series_count == PATTERN_SERIES - 1)
        access_flush_repeats(warp->cta->worker, warp->pc);
    return true;
}

/* Counts or reports a repeat that continues no series. */
__attribute__((noinline)) static void note_other_repeat(const struct warp *warp,
                                                        const struct inst *inst,
                                                        struct pattern *pattern, uint64_t first)
{
    if (!add_to_series(warp, pattern, first))
        report_repeat(warp, inst, pattern, first);
}

/* Returns whether an access to FIRST continues the pattern's latest series. */
LANES_INLINE bool continues(const struct warp *warp, const struct pattern *pattern, uint64_t first)
{
    const struct obs_series *latest = &pattern->latest;
    return latest->warp == warp->index && latest->cta == warp->cta->linear &&
           first - latest->first == latest->times * (uint64_t)latest->step && latest->times > 1;
}

/* Counts or reports a repeated access. FIRST is the first lane's address. */
LANES_INLINE void note_repeat(const struct warp *warp, const struct inst *inst,
                              struct pattern *pattern, uint64_t first)
{
    if (pattern->answer == OBS_COUNT_ONLY)
        pattern->times++;
    else if (continues(warp, pattern, first))
        pattern->latest.times++;
    else
        note_other_repeat(warp, inst, pattern, first);
}

LANES_INLINE struct pattern *pattern_at(const struct warp *warp)
{
    return &warp->cta->worker->patterns[warp->pc];
}

/* Tries the fast path for repeated accesses (see repeat.h). Nearly all accesses take this path.
 * Sets *FIRST to the first lane's address. The caller must then call note_repeat(). If the fast
 * path does not apply, counts and reports nothing and returns false. */
LANES_INLINE bool is_again(const struct warp *warp, const struct inst *inst,
                           struct pattern *pattern, uint32_t mask, uint64_t *first)
{
    unsigned lead = mask == ALL_LANES ? 0 : (unsigned)__builtin_ctz(mask);
    struct slot base = inst->mem.base;
    const void *values = slot_at(warp, base);
    if (pattern->ready != mask || /* `ready` is 0 for parameters, so they never take this path */
        !lies_as_kin(warp->cta->worker, inst, pattern, values, mask, lead) ||
        !is_in_place(pattern, values, base.bytes, (uint64_t)inst->mem.offset,
                     inst->mem.space == PTX_GENERIC, lead, first))
        return false;
    pattern->strays = 0;
    return true;
}

/* Saves the values of register D before an instruction that may poll. If the instruction does not
 * change them, the poll has failed. If the instruction loads a vector, D is its first element. */
LANES_INLINE void keep_seen(const struct warp *warp, struct slot d, uint8_t seen[8 * WARP])
{
    if (d.offset != NO_SLOT)
        memcpy(seen, slot_at(warp, d), (size_t)d.bytes * WARP);
}

LANES_INLINE void count_failed(struct warp *warp, struct slot d, const uint8_t seen[8 * WARP])
{
    warp->failed +=
        d.offset != NO_SLOT && memcmp(seen, slot_at(warp, d), (size_t)d.bytes * WARP) == 0;
}

/* Loads values in any way that load_words_run() and load_longs_run() do not handle. */
LANES_CLONES void load_run(struct warp *warp, const struct inst *inst, uint32_t mask)
{
    uint8_t seen[8 * WARP];
    uint64_t first;
    struct pattern *pattern = pattern_at(warp);
    if (inst->mem.space == PTX_PARAM && parameter_load(warp, inst, mask))
        return;
    if (inst->mem.space == PTX_FRAME && frame_load(warp, inst, mask))
        return;
    if (inst->observes)
        keep_seen(warp, inst->mem.vector[0], seen);
    if (inst->signals)
        signals_follow(warp, inst, mask);
    if (is_again(warp, inst, pattern, mask, &first)) {
        note_repeat(warp, inst, pattern, first);
        load_found(warp, inst, repeat_start(warp, pattern, first), pattern->stride, pattern, mask);
    } else {
        load_in_full(warp, inst, mask);
    }
    if (inst->observes)
        count_failed(warp, inst->mem.vector[0], seen);
}

LANES_INLINE void take_word(void *d, const uint32_t *word, uint32_t mask)
{
    if (mask == ALL_LANES)
        memcpy(d, word, WARP * sizeof *word);
    else
        put_uint32_t(d, word, mask);
}

/* Loads one word for each lane by a repeated access. FIRST is the first lane's address. If the word
 * is the first of a quad, loads all words of the quad (see quads.c). */
LANES_INLINE void load_repeated_words(const struct warp *warp, const struct inst *inst,
                                      const struct pattern *pattern, uint32_t mask, uint64_t first)
{
    uint32_t *d = (uint32_t *)(void *)slot_at(warp, inst->mem.vector[0]);
    const uint8_t *start = repeat_start(warp, pattern, first);
    if (!inst->mem.quad || inst->mem.word || pattern->shape != PATTERN_ANY ||
        first - pattern->begin + 3 * sizeof *d > pattern->room) {
        load_words(d, start, pattern, mask);
        return;
    }
    struct quad *quad = &warp->cta->worker->quads[inst->mem.quad];
    fetch_ahead(start, pattern);
    load_quads(quad->words, start, pattern->delta);
    quad->stretch = warp->cta->worker->stretches;
    quad->pattern = pattern->serial;
    quad->first = first;
    take_word(d, quad->words[0], mask);
}

LANES_INLINE void load_repeated_longs(const struct warp *warp, const struct inst *inst,
                                      const struct pattern *pattern, uint32_t mask, uint64_t first)
{
    load_longs((uint64_t *)(void *)slot_at(warp, inst->mem.vector[0]),
               repeat_start(warp, pattern, first), pattern, mask);
}

/* Define the loads of one value of 4 or 8 bytes for each lane. Most loads are of this kind, and in
 * most of them, all lanes load rows. The other shapes have their own function, so that the common
 * path saves no registers. For the same reason, a repeat is reported last. */
#define LOAD_PLAIN(name, T)                                                                        \
    __attribute__((noinline)) LANES_CLONES static void load_other_##name(                          \
        const struct warp *warp, const struct inst *inst, struct pattern *pattern, uint32_t mask,  \
        uint64_t first)                                                                            \
    {                                                                                              \
        load_repeated_##name(warp, inst, pattern, mask, first);                                    \
        note_repeat(warp, inst, pattern, first);                                                   \
    }                                                                                              \
    LANES_CLONES void load_##name##_run(struct warp *warp, const struct inst *inst, uint32_t mask) \
    {                                                                                              \
        uint64_t first;                                                                            \
        struct pattern *pattern = pattern_at(warp);                                                \
        if (!is_again(warp, inst, pattern, mask, &first) || pattern->stride) {                     \
            load_in_full(warp, inst, mask);                                                        \
            return;                                                                                \
        }                                                                                          \
        if (mask != ALL_LANES || pattern->shape > PATTERN_SAME_ROWS) {                             \
            load_other_##name(warp, inst, pattern, mask, first);                                   \
            return;                                                                                \
        }                                                                                          \
        load_rows_##T((T *)(void *)slot_at(warp, inst->mem.vector[0]),                             \
                      repeat_start(warp, pattern, first), pattern);                                \
        note_repeat(warp, inst, pattern, first);                                                   \
    }
LOAD_PLAIN(words, uint32_t)
LOAD_PLAIN(longs, uint64_t)

/* Loads a word of a quad that is not its first word. If the first load has not loaded it, in the
 * same stretch and with the same deltas, loads it like any word. */
LANES_CLONES void load_quad_run(struct warp *warp, const struct inst *inst, uint32_t mask)
{
    const struct worker *worker = warp->cta->worker;
    const struct quad *quad = &worker->quads[inst->mem.quad];
    struct pattern *pattern = pattern_at(warp);
    uint64_t first = quad->first + inst->mem.word * sizeof(uint32_t);
    if (quad->stretch != worker->stretches || quad->pattern != pattern->kin ||
        pattern->ready != mask || !is_placed(pattern, first)) {
        load_words_run(warp, inst, mask);
        return;
    }
    take_word(slot_at(warp, inst->mem.vector[0]), quad->words[inst->mem.word], mask);
    note_repeat(warp, inst, pattern, first);
}

/* Stores by a repeated access in any way that store_run() does not handle itself. */
__attribute__((noinline)) LANES_CLONES static void store_other(const struct warp *warp,
                                                               const struct inst *inst,
                                                               const struct pattern *pattern,
                                                               uint32_t mask, uint8_t *start)
{
    store_found(warp, inst, start, pattern->stride, pattern, mask);
}

/* Stores one or more values for each lane. As in loads, rare shapes have their own function. */
LANES_CLONES void store_run(struct warp *warp, const struct inst *inst, uint32_t mask)
{
    uint64_t first;
    struct pattern *pattern = pattern_at(warp);
    if (inst->mem.space == PTX_FRAME && frame_store(warp, inst, mask))
        return;
    if (inst->signals)
        signals_follow(warp, inst, mask);
    if (!is_again(warp, inst, pattern, mask, &first)) {
        store_in_full(warp, inst, mask);
        return;
    }
    note_repeat(warp, inst, pattern, first);
    uint8_t *start = repeat_start(warp, pattern, first);
    bool has_rows = pattern->shape <= PATTERN_DENSE_ROWS && !pattern->stride;
    const uint8_t *v = slot_at(warp, inst->mem.vector[0]);
    if (has_rows && inst->mem.moves == MOVES_WORDS)
        store_rows(start, v, pattern, 4);
    else if (has_rows && inst->mem.moves == MOVES_LONGS)
        store_rows(start, v, pattern, 8);
    else
        store_other(warp, inst, pattern, mask, start);
}

/* --- atomics ---------------------------------------------------------------------------------- */

static const void *operand_at(const struct warp *warp, struct slot slot)
{
    return slot.offset == NO_SLOT ? NULL : slot_at(warp, slot);
}

/* Adds to atomic_changes the number of lanes whose old value differs from the final value. */
static void count_changes(struct worker *worker, const struct inst *inst, uint8_t *const *host,
                          uint32_t lanes, const uint64_t *old)
{
    for (; lanes; lanes &= lanes - 1) {
        unsigned l = (unsigned)__builtin_ctz(lanes);
        worker->atomic_changes += memcmp(host[l], &old[l], inst->mem.bytes) != 0;
    }
}

/* Returns whether no other CPU thread can change a value between this thread's load and store. */
LANES_INLINE bool is_alone(const struct warp *warp, bool shared)
{
    return shared || (warp->cta->launch->workers == 1 && !warp->cta->launch->memory->lent);
}

/* Executes the atomic on element K for LANES and advances HOST to the next element. The other lanes
 * of GROUP have bad addresses; their result is 0. */
LANES_INLINE void atomic_element(struct warp *warp, const struct inst *inst, unsigned k,
                                 bool shared, uint32_t lanes, uint32_t group, uint8_t **host)
{
    uint64_t old[WARP] = {0};
    struct slot dst = inst->mem.vector[inst->mem.count + k];
    atomic_lanes(inst, shared, is_alone(warp, shared), lanes, host,
                 slot_at(warp, inst->mem.vector[k]), operand_at(warp, inst->src[0]), old);
    if (dst.offset != NO_SLOT)
        write_raw(slot_at(warp, dst), dst.bytes, old, group);
    if (warp->cta->worker->watches)
        count_changes(warp->cta->worker, inst, host, lanes, old);
    for (unsigned l = 0; l < WARP; l++)
        host[l] += inst->mem.bytes;
}

static const uint64_t *longs_at(const struct warp *warp, struct slot slot)
{
    return (const uint64_t *)(const void *)slot_at(warp, slot);
}

/* Executes a 128-bit atomic. The instruction's vector holds b, the result and, for cas, c; each
 * takes two entries, its halves. */
static void atomic_wide(struct warp *warp, const struct inst *inst, uint32_t lanes,
                        uint8_t *const *host)
{
    uint64_t old[2][WARP];
    const struct slot *vector = inst->mem.vector;
    const uint64_t *b[2], *c[2] = {NULL, NULL};
    for (unsigned half = 0; half < 2; half++) {
        b[half] = longs_at(warp, vector[half]);
        if (inst->mem.op == PTX_MOD_cas)
            c[half] = longs_at(warp, vector[4 + half]);
    }
    atomic_wide_lanes(inst, lanes, host, b, c, old);
    for (unsigned half = 0; half < 2; half++) {
        if (vector[2 + half].offset != NO_SLOT)
            write_raw(slot_at(warp, vector[2 + half]), 8, old[half], lanes);
        for (uint32_t left = warp->cta->worker->watches ? lanes : 0; left; left &= left - 1) {
            unsigned l = (unsigned)__builtin_ctz(left);
            warp->cta->worker->atomic_changes += memcmp(host[l] + 8 * half, &old[half][l], 8) != 0;
        }
    }
}

/* Executes an atomic, one lane after another. CUDA allows any order of the lanes. With a fixed
 * order, results are repeatable. */
LANES_CLONES void atomic_run(struct warp *warp, const struct inst *inst, uint32_t mask)
{
    uint8_t seen[8 * WARP];
    struct slot first = inst->mem.vector[inst->mem.count];
    if (inst->observes)
        keep_seen(warp, first, seen);
    signals_follow(warp, inst, mask);
    for (uint32_t todo = mask; todo;) {
        struct obs_access access;
        uint8_t *host[WARP];
        start_access(warp, inst, &access);
        find_addresses(warp, inst, mask, access.addr);
        uint32_t group = take_space(warp, inst, todo, &access);
        const struct pattern *pattern = report(warp, &access, group);
        uint32_t lanes = find_lanes(warp, &access, pattern, group, host);
        if (inst->mem.type == PTX_b128)
            atomic_wide(warp, inst, lanes, host);
        for (unsigned k = 0; k < inst->mem.count && inst->mem.type != PTX_b128; k++)
            atomic_element(warp, inst, k, is_shared(access.space), lanes, group, host);
        todo &= ~group;
    }
    if (inst->observes)
        count_failed(warp, first, seen);
}
