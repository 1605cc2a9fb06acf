/* Simulates the accesses of a multiprocessor to shared memory, the two caches and DRAM. */
#include <math.h>
#include <stdlib.h>

#include "gpu/lanes.h"
#include "gpu/predict/sm_parts.h"

#define FULL_LINE 128.0

static uint64_t hash_of(uint64_t line)
{
    line = (line >> 7) * 0x9e3779b97f4a7c15u;
    return line ^ line >> 29;
}

/* Waits from time AT until UNIT is free, and occupies it for CYCLES. Returns the time at which this
 * begins. */
static double take(const struct sm *sm, double *unit, double at, double cycles)
{
    if (sm->options->no_limits)
        return at;
    double start = later(at, *unit);
    *unit = start + cycles;
    return start;
}

/* --- lines accessed so far -------------------------------------------------------------------- */

static struct touched_line *place_of(struct touched_line *table, uint32_t room, uint64_t line)
{
    uint32_t i = (uint32_t)(hash_of(line) >> 20) & (room - 1);
    while (table[i].line && table[i].line != line)
        i = (i + 1) & (room - 1);
    return &table[i];
}

static bool make_room(struct sm *sm)
{
    if (2 * sm->touched_count < sm->touched_room)
        return true;
    uint32_t room = sm->touched_room ? 2 * sm->touched_room : 1024;
    struct touched_line *table = calloc(room, sizeof *table);
    for (uint32_t i = 0; table && i < sm->touched_room; i++)
        if (sm->touched[i].line)
            *place_of(table, room, sm->touched[i].line) = sm->touched[i];
    sm->failed |= !table;
    if (!table)
        return false;
    free(sm->touched);
    sm->touched = table;
    sm->touched_room = room;
    return true;
}

static struct touched_line *touched_at(struct sm *sm, uint64_t line)
{
    static struct touched_line none;
    if (!make_room(sm))
        return &none;
    struct touched_line *touched = place_of(sm->touched, sm->touched_room, line);
    sm->touched_count += !touched->line;
    touched->line = line;
    return touched;
}

/* --- behind the first-level cache ------------------------------------------------------------- */

/* Returns the index of the buffer that contains LINE, or buffer_count if there is none. */
static unsigned buffer_of(const struct sm_memory *memory, uint64_t line)
{
    unsigned i = 0;
    while (i < memory->buffer_count &&
           (line + 128 <= memory->buffers[i].begin || line >= memory->buffers[i].end))
        i++;
    return i;
}

/* Returns the time that DRAM takes for SECTORS of a line, in units of its time for a whole line. On
 * chips that coalesce half-warps into transactions of 64 bytes, two such transactions take as long
 * as a whole line. */
static double line_cost(const struct emu_chip *chip, uint32_t sectors)
{
    unsigned halves = dram_halves(sectors);
    return chip->half_warps ? halves / 2.0 : dram_cost(halves);
}

/* Fetches SECTORS of LINE. Returns the time when they arrive.
 *
 * A line comes from the second-level cache or from DRAM. A hash of its address decides which, so
 * that all its sectors come from the same place. There are two fractions of lines from DRAM. The
 * fraction `misses` uses DRAM's bandwidth: it is this multiprocessor's share of DRAM's reads. The
 * fraction `cold` has DRAM's latency. In the first wave of blocks it is the larger of the two,
 * because all multiprocessors that request the same line at the same time wait for DRAM. In later
 * waves, another multiprocessor has already fetched the line. */
static double fetch(struct sm *sm, uint64_t line, uint32_t sectors, double at)
{
    struct touched_line *touched = touched_at(sm, line);
    unsigned count = (unsigned)__builtin_popcount(sectors), b = buffer_of(sm->memory, line);
    bool is_new = sectors & ~touched->sectors, is_first = is_new && b < sm->memory->buffer_count;
    double fate = (double)(hash_of(line) & 0xffffff) / 0x1000000;
    touched->sectors |= sectors;
    sm->result->l2_sectors += count;
    sm->result->packets += count + 1;
    sm->result->traffic.received++;
    sm->result->traffic.sent += count / 2.0;
    double start = take(sm, &sm->l2, at, (count + 1) * sm->l2_cycles);
    if (!sm->memory->buffer_count && sm->memory->l2 && is_new && !l2_holds(sm->memory->l2, line))
        return start + sm->chip->dram_latency;
    bool pays = is_first && fate < sm->memory->misses[b];
    if (!pays && !(is_first && sm->is_first_wave && fate < sm->memory->cold[b]))
        return start + sm->chip->l2_latency;
    /* DRAM moves halves of a line, so the other sector of a half arrives, too */
    touched->sectors |= (sectors & 3 ? 3u : 0) | (sectors & 12 ? 12u : 0);
    if (!pays)
        return start + sm->chip->dram_latency;
    sm->result->dram_sectors += count;
    sm->result->traffic.crossed += 2 * dram_halves(sectors) + 0.5;
    double *queue = &sm->dram[(hash_of(line) >> 32) % sm->queues];
    return take(sm, queue, start, line_cost(sm->chip, sectors) * sm->dram_cycles) +
           sm->chip->dram_latency;
}

static double load_line(struct sm *sm, uint64_t entry, bool is_cached, double at)
{
    uint64_t line = WALK_LINE(entry);
    uint32_t sectors = WALK_SECTORS(entry);
    struct l1_line *held = is_cached ? l1_find(&sm->l1, line) : NULL;
    uint32_t missing = held ? sectors & ~held->sectors : sectors;
    if (held && !missing)
        return later(at + sm->chip->l1_latency, held->filled);
    double filled = fetch(sm, line, missing, at);
    if (is_cached && !held)
        held = l1_add(&sm->l1, line);
    if (held) {
        held->sectors |= missing;
        held->filled = later(held->filled, filled);
    }
    return filled;
}

/* Counts the traffic in the second-level cache that a multiprocessor causes when it sends COUNT
 * sectors of a line. */
static void count_sent(struct sm *sm, unsigned count)
{
    sm->result->l2_sectors += count;
    sm->result->packets += count + 1;
    sm->result->traffic.received += count + 1;
    sm->result->traffic.crossed += count + 0.5;
}

static void store_line(struct sm *sm, uint64_t entry, double at)
{
    unsigned count = (unsigned)__builtin_popcount(WALK_SECTORS(entry));
    double start = take(sm, &sm->port, at, (count + 1) * 32 / sm->chip->sm_store_bytes);
    start = take(sm, &sm->l2, start, (count + 1) * sm->l2_cycles);
    start = take(sm, &sm->stores, start, (count + 1) * sm->store_cycles);
    count_sent(sm, count);
    sm->result->store_packets += count + 1;
    double writes = count * sm->memory->write_backs;
    if (writes > 0)
        take(sm, &sm->dram[(hash_of(WALK_LINE(entry)) >> 32) % sm->queues], start,
             writes * sm->dram_cycles);
}

/* A store to local memory also goes to the second-level cache, but the first-level cache keeps the
 * line. */
static void store_local_line(struct sm *sm, uint64_t entry, double at)
{
    struct l1_line *held = l1_find(&sm->l1, WALK_LINE(entry));
    held = held ? held : l1_add(&sm->l1, WALK_LINE(entry));
    if (held)
        held->sectors |= WALK_SECTORS(entry);
    store_line(sm, entry, at);
}

/* Bits that are 0 in all addresses. In the table of lines, they mark the entries of units and words
 * of atomics, and of spilled values. */
#define UNIT_MARK  ((uint64_t)1 << 62)
#define WORD_MARK  ((uint64_t)1 << 61)
#define SPILL_MARK ((uint64_t)1 << 51)

/* Returns the unit of the second-level cache that executes atomics on LINE. As measured on an H100
 * (red_words_* in tests/hardware/chip), each 1,024 bytes belong to two units, which take turns
 * every 256 bytes. */
static uint64_t unit_of(const struct emu_chip *chip, uint64_t line)
{
    return (line / 1024 * 2 + line / 256 % 2) % (uint64_t)chip->atomic_units;
}

/* Waits from time AT until the unit or word with KEY is free, and occupies it for CYCLES. Returns
 * the time at which this begins. */
static double wait_turn(struct sm *sm, uint64_t key, double at, double cycles)
{
    struct touched_line *place = touched_at(sm, key);
    double start = take(sm, &place->free, at, cycles);
    place->busy += cycles;
    sm->latest = later(sm->latest, place->free);
    sm->result->atomic_cycles = later(sm->result->atomic_cycles, place->busy);
    return start;
}

/* Simulates an atomic on a line. A unit of the second-level cache executes atomics in steps
 * ("turns", see count_turns() in walk.c), one after the other for all multiprocessors. The addition
 * of a float takes longer than a turn. Meanwhile the unit can change other words, so only atomics
 * on the same word wait for the end of the addition (red_f32_line and red_f32_same in
 * tests/hardware/chip). Here, the model treats all words of a sector as the same word. */
static double atomic_line(struct sm *sm, const struct op *op, const struct walk_access *access,
                          uint64_t entry, double tries, double at)
{
    const struct emu_chip *chip = sm->chip;
    unsigned count = (unsigned)__builtin_popcount(WALK_SECTORS(entry));
    double start = take(sm, &sm->port, at, (count + 1) * 32 / chip->sm_store_bytes);
    start = take(sm, &sm->l2, start, (count + 1) * sm->l2_cycles);
    bool is_one = op->is_uniform && access->same == access->lanes;
    double turns = is_one ? 1 : access->turns, same = is_one ? 1 : access->same;
    double each = sm->memory->atomics_sharing / access->line_count * tries;
    uint64_t unit = UNIT_MARK | unit_of(chip, WALK_LINE(entry));
    uint64_t word = WORD_MARK | WALK_LINE(entry) | (uint64_t)__builtin_ctz(WALK_SECTORS(entry));
    start = wait_turn(sm, unit, start, turns * chip->atomic_turn_cycles * each);
    if (op->is_float)
        start = wait_turn(sm, word, start, same * chip->atomic_float_cycles * each);
    count_sent(sm, count);
    return start + chip->atomic_latency;
}

/* --- accesses --------------------------------------------------------------------------------- */

/* Returns the number of cycles that the address unit spends on an access to global or local memory.
 * The unit looks up four lines per cycle, and a pass takes one word from each bank. */
static double address_cycles(const struct sm *sm, const struct walk_access *access, bool is_ideal)
{
    double data = access->lanes * access->bytes / FULL_LINE;
    double lines = access->line_count * sm->chip->lsu_cycles / 4;
    return later(is_ideal ? data : later(lines, access->passes), 1);
}

#define LOOP_OPS 4 /* number of dependent instructions in a compare-and-swap loop */

/* Returns the number of iterations of a compare-and-swap loop until all lanes of a warp have
 * succeeded. The recorded instructions do not show this, because the emulator executes one warp
 * after the other. In each iteration, one of the lanes that compete for a word succeeds. So the
 * number is that of the lanes that compete for the most contended of the warp's words. The formula
 * estimates it for lanes that choose their words at random. */
static double count_rounds(const struct sm *sm, const struct walk_access *access)
{
    double rivals = sm->memory->rivals;
    return rivals + sqrt(2 * (rivals - 1) * log(access->lanes));
}

/* Returns whether the access at PC is in the first iteration of its loop, which means that the run
 * before RUN does not contain PC (walk.h). */
static bool is_first_try(const struct walk *walk, uint32_t run, uint32_t pc)
{
    const struct walk_run *before = &walk->runs[run - 1];
    return !run || pc < before->pc || pc >= before->pc + before->count;
}

static double access_lines(struct sm *sm, const struct sm_warp *warp, const struct op *op,
                           const struct walk_access *access, double at)
{
    const struct walk *walk = warp->walk;
    uint32_t count = access->line_count;
    bool is_retried = op->is_retried && is_first_try(walk, warp->run, op->pc);
    double tries = is_retried ? (sm->memory->rivals + 1) / 2 : 1;
    if (sm->options->ideal_sectors && access->ideal && (access->ideal + 3u) / 4 < count)
        count = (access->ideal + 3u) / 4;
    double cycles = address_cycles(sm, access, count < access->line_count);
    double start = take(sm, &sm->address, at, cycles), done = start;
    double step = count ? cycles / count : 0;
    sm->result->l1 += cycles;
    sm->result->traffic.passes += later(access->bytes / 4 - cycles, 0);
    bool is_atomic = access->kind == OBS_ATOMIC || access->kind == OBS_REDUCTION;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t entry = walk->lines[access->lines + i];
        if (count < access->line_count)
            entry |= 15;
        if (access->kind == OBS_LOAD)
            done = later(done, load_line(sm, entry, true, start + i * step));
        else if (is_atomic)
            done = later(done, atomic_line(sm, op, access, entry, tries, start + i * step));
        else if (access->space == PTX_LOCAL)
            store_local_line(sm, entry, start + i * step);
        else
            store_line(sm, entry, start + i * step);
    }
    if (is_retried)
        done += (count_rounds(sm, access) - 1) *
                (sm->chip->atomic_latency + LOOP_OPS * sm->chip->alu_latency +
                 sm->chip->predicate_latency + sm->chip->branch_latency);
    return done;
}

/* Simulates an access to shared memory. MERGED is the number of 32-bit loads that were merged into
 * it, or 0. Four merged loads take at least two passes. */
static double access_shared(struct sm *sm, const struct walk_access *access, unsigned merged,
                            double at)
{
    double passes = sm->options->ideal_passes && access->ideal ? access->ideal : access->passes;
    passes = merged == 4 && passes < 2 ? 2 : passes;
    passes = passes > 0 ? passes : 1;
    sm->result->shared += passes;
    double start = take(sm, &sm->address, at, passes);
    bool is_atomic = access->kind == OBS_ATOMIC || access->kind == OBS_REDUCTION;
    return start + passes - 1 + sm->chip->shared_latency * (is_atomic ? 2 : 1);
}

/* Returns whether CACHE lacks LINE. If so, adds LINE to it. Sets *HELD to the line's entry, or to
 * NULL if the cache has size 0. */
static bool misses_constants(struct l1 *cache, uint64_t line, struct l1_line **held)
{
    *held = l1_find(cache, line);
    if (*held)
        return false;
    *held = l1_add(cache, line);
    return true;
}

/* Simulates a load of a constant whose address is the same for all lanes. Each scheduler has a
 * cache for such constants, which fetches one line at a time. Warps that load the same table at
 * about the same time share its lines. But if a long table is read by more warps than the cache has
 * lines, each warp finds its line replaced by those of other warps. */
static double access_immediate(struct sm *sm, uint32_t scheduler, uint64_t line, double at)
{
    struct l1_line *held = NULL;
    double more = sm->chip->constant_far_latency - sm->chip->constant_latency;
    double *misses = &sm->immediate_misses[scheduler];
    if (sm->streams_constants)
        return take(sm, misses, at, more) + more;
    if (misses_constants(&sm->immediates[scheduler], line, &held) && held)
        held->filled = take(sm, misses, at, more) + more;
    return held ? later(at, held->filled) : at;
}

/* Simulates a load of constants whose addresses are in registers. The cache spends time on each
 * distinct constant, and on each line that it fetches, but the waits for several lines overlap. */
static double access_indexed(struct sm *sm, uint64_t line, double at)
{
    struct l1_line *held;
    double more = sm->chip->constant_far_latency - sm->chip->constant_latency;
    if (misses_constants(&sm->indexed, line, &held) && held)
        held->filled = take(sm, &sm->constants, at, sm->chip->constant_miss_cycles) + more;
    return held ? later(at, held->filled) : at;
}

static double access_constants(struct sm *sm, const struct sm_warp *warp, const struct op *op,
                               const struct walk_access *access, double at)
{
    bool is_immediate = op->is_uniform && access->passes == 1;
    /* a constant that is an operand of another instruction adds no latency */
    double latency = op->count ? sm->chip->constant_latency : 0;
    double cycles = is_immediate ? 0 : access->passes * sm->chip->constant_cycles;
    double start = is_immediate ? at : take(sm, &sm->constants, at, cycles), held = start;
    for (uint32_t i = 0; i < access->line_count; i++) {
        uint64_t line = WALK_LINE(warp->walk->lines[access->lines + i]);
        uint32_t sectors = WALK_SECTORS(warp->walk->lines[access->lines + i]);
        /* the cache's lines are half as long as those in the walk */
        for (uint32_t half = 0; half < 2; half++) {
            if (!(sectors >> 2 * half & 3))
                continue;
            uint64_t number = 2 * line + 128 * half;
            held = later(held, is_immediate ? access_immediate(sm, warp->scheduler, number, at)
                                            : access_indexed(sm, number, at));
        }
    }
    return held + cycles + latency;
}

static double access_one(struct sm *sm, struct sm_warp *warp, const struct op *op,
                         const struct walk_access *access, double at)
{
    if (access->space == PTX_SHARED || access->space == PTX_CLUSTER)
        return access_shared(sm, access, op->merged, at);
    if (access->space == PTX_CONST)
        return access_constants(sm, warp, op, access, at);
    return access_lines(sm, warp, op, access, at);
}

/* Searches the accesses from index LOW up to END, exclusive. Returns the index of the first access
 * by the instruction at PC or a later one, or END if there is none. */
static uint32_t find_access(const struct walk *walk, uint32_t low, uint32_t end, uint32_t pc)
{
    while (low < end) {
        uint32_t middle = low + (end - low) / 2;
        if (walk->accesses[middle].pc < pc)
            low = middle + 1;
        else
            end = middle;
    }
    return low;
}

double sm_access(struct sm *sm, struct sm_warp *warp, const struct op *op, double at)
{
    const struct walk *walk = warp->walk;
    uint32_t run = warp->is_whole ? warp->starts[op->copy] : warp->run;
    uint32_t next = warp->is_whole ? warp->starts[op->copy + 1] : run + 1;
    sm->is_first_wave = warp->block->number < sm->resident;
    uint32_t end = next < walk->run_count ? walk->runs[next].accesses : walk->access_count;
    double done = at + (op->is_load ? sm->chip->alu_latency : 0);
    uint32_t i = find_access(walk, walk->runs[run].accesses, end, op->pc);
    if (op->is_guarded && (i >= end || walk->accesses[i].pc != op->pc)) {
        take(sm, &sm->address, at, 1); /* no lane is active, but the address unit spends a cycle */
        *(op->space == PTX_SHARED ? &sm->result->shared : &sm->result->l1) += 1;
    }
    for (; i < end && walk->accesses[i].pc == op->pc; i++)
        done = later(done, access_one(sm, warp, op, &walk->accesses[i], at));
    if (op->is_async)
        warp->copies = later(warp->copies, done);
    return done;
}

double sm_spill(struct sm *sm, const struct sm_warp *warp, const struct op *op, double at)
{
    uint64_t place = (uint64_t)(warp - sm->warps);
    uint64_t entry =
        SPILL_MARK | place << 28 | ((uint64_t)(uint32_t)op->offset * 128 & 0xfffffff) | 15;
    sm->result->l1 += op->count;
    double start = take(sm, &sm->address, at, op->count);
    if (!op->is_store)
        return load_line(sm, entry, true, start);
    store_local_line(sm, entry, start);
    return start;
}
