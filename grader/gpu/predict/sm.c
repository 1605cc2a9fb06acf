#include "gpu/predict/sm.h"

#include <stdlib.h>
#include <string.h>

#include "gpu/predict/sm_parts.h"

/* --- the queue of warps ----------------------------------------------------------------------- */

/* The warps hold a tournament: sm->first[1] is the warp whose turn comes first, and sm->first[i] is
 * the first one of the warps sm->first[2 * i] and sm->first[2 * i + 1]. The entries from
 * sm->places on are all warps. */

#define NO_TURN UINT64_MAX /* the time of a warp that is not in the queue */

/* Plays the matches of WARP again, after its turn has changed. Has no branches that depend on the
 * results, because a CPU could not predict them. */
static void play(struct sm *sm, uint32_t warp)
{
    uint32_t first = warp;
    struct sm_turn best = sm->turns[warp];
    for (uint32_t i = sm->places + warp; i > 1; i /= 2) {
        uint32_t other = sm->first[i ^ 1];
        struct sm_turn turn = sm->turns[other];
        bool loses =
            (turn.time < best.time) | ((turn.time == best.time) & (turn.order < best.order));
        first = loses ? other : first;
        best.time = loses ? turn.time : best.time;
        best.order = loses ? turn.order : best.order;
        sm->first[i / 2] = first;
    }
}

static void push(struct sm *sm, const struct sm_warp *warp, double time)
{
    uint32_t number = (uint32_t)(warp - sm->warps);
    struct sm_turn *turn = &sm->turns[number];
    memcpy(&turn->time, &time, sizeof time); /* positive doubles compare like their bits */
    turn->order = sm->order++;
    play(sm, number);
}

/* Takes the warp whose turn comes first out of the queue, and sets *TIME. Returns NULL if the queue
 * is empty. The matches of the warp are only played again if it does not get another turn before
 * the next call, which is rare. */
static struct sm_warp *pop(struct sm *sm, double *time)
{
    if (sm->turns[sm->taken].time == NO_TURN)
        play(sm, sm->taken);
    sm->taken = sm->first[1];
    struct sm_turn *turn = &sm->turns[sm->taken];
    if (turn->time == NO_TURN)
        return NULL;
    memcpy(time, &turn->time, sizeof *time);
    turn->time = NO_TURN;
    return &sm->warps[sm->taken];
}

static bool open_queue(struct sm *sm, uint32_t warps)
{
    sm->places = 1;
    while (sm->places < warps)
        sm->places *= 2;
    sm->first = calloc(2 * sm->places, sizeof *sm->first);
    sm->turns = calloc(sm->places, sizeof *sm->turns);
    if (!sm->first || !sm->turns)
        return false;
    for (uint32_t i = sm->places; i-- > 0;) {
        sm->turns[i].time = NO_TURN;
        sm->first[sm->places + i] = i;
    }
    for (uint32_t i = sm->places; i-- > 1;)
        sm->first[i] = sm->first[2 * i];
    return true;
}

/* --- the path of a warp ----------------------------------------------------------------------- */

/* Returns whether WALK executes BLOCK, which is a block or a region, from the first to the last
 * instruction, starting in run RUN (walk.h). If so, sets *LAST to the run in which it ends. */
static bool goes_through(const struct walk *walk, uint32_t run, const struct machine_block *block,
                         uint32_t *last)
{
    uint32_t pc = block->first;
    for (; run < walk->run_count; run++) {
        const struct walk_run *r = &walk->runs[run];
        if (pc > block->first ? r->pc < pc || r->pc >= block->end
                              : r->pc > pc || r->pc + r->count <= pc)
            return false;
        pc = r->pc + r->count;
        *last = run;
        if (pc >= block->end)
            return true;
    }
    return false;
}

/* Returns whether the warp's next runs (walk.h) are COUNT iterations of BLOCK with the same lanes.
 * If so, sets `starts` and `last_run`. */
static bool cover(struct sm_warp *warp, const struct machine_block *block, uint32_t count)
{
    uint32_t run = warp->run, last = run;
    const struct walk *walk = warp->walk;
    for (uint32_t i = 0; i < count; i++) {
        if (!goes_through(walk, run, block, &last) ||
            walk->runs[run].lanes != walk->runs[warp->run].lanes ||
            (i + 1 < count && walk->runs[last].pc + walk->runs[last].count != block->end))
            return false;
        warp->starts[i] = run;
        run = last + 1;
    }
    for (uint32_t i = count; i <= UNROLL; i++)
        warp->starts[i] = run;
    warp->last_run = last;
    return true;
}

/* If the warp executes UNROLL complete iterations of BLOCK next, or a complete region, simulates
 * these as a unit. Returns whether this is so. */
static bool enter_whole(const struct sm *sm, struct sm_warp *warp,
                        const struct machine_block *block, bool is_region)
{
    if (!sm->chip->unrolls)
        return false;
    bool unrolls = block->unrolled_count && cover(warp, block, UNROLL);
    if (!unrolls && !(is_region && cover(warp, block, 1)))
        return false;
    warp->is_whole = true;
    warp->at = unrolls ? block->unrolled : block->ops;
    warp->end = warp->at + (unrolls ? block->unrolled_count : block->count);
    return true;
}

/* Moves WARP to the operations of the basic block that begins at PC. */
static void enter_block(const struct sm *sm, struct sm_warp *warp, uint32_t pc)
{
    uint32_t number = sm->machine->block_of[pc];
    warp->at_block = number;
    warp->is_whole = false;
    warp->last_run = warp->run;
    warp->at = warp->end = 0;
    if (number == NO_BLOCK)
        return;
    const struct machine_block *block = &sm->machine->blocks[number];
    if (pc == block->first && block->region != NO_BLOCK && !block->may_spill &&
        enter_whole(sm, warp, &sm->machine->blocks[block->region], true)) {
        warp->at_block = sm->machine->block_of[sm->machine->blocks[block->region].end - 1];
        return;
    }
    if (pc == block->first && enter_whole(sm, warp, block, false))
        return;
    warp->last_run = warp->run;
    warp->at = block->ops;
    warp->end = warp->at + block->count;
}

/* Returns whether the warp jumps over a block that ptxas predicates. The GPU then still issues the
 * instructions of this block. */
static bool skips_predicated(const struct sm *sm, const struct sm_warp *warp)
{
    const struct walk *walk = warp->walk;
    uint32_t number = warp->at_block;
    if (number == NO_BLOCK || warp->is_off || !sm->machine->blocks[number].predicates ||
        warp->run + 1 >= walk->run_count)
        return false;
    const struct walk_run *run = &walk->runs[warp->run];
    return run->pc + run->count == sm->machine->blocks[number].end &&
           run[1].pc == sm->machine->blocks[number + 1].end;
}

/* Goes to the block after the current one. Returns false if the warp has no more instructions. */
static bool next_block(const struct sm *sm, struct sm_warp *warp)
{
    warp->run = warp->last_run;
    const struct walk_run *run = &warp->walk->runs[warp->run];
    uint32_t number = warp->at_block;
    uint32_t pc = number == NO_BLOCK ? run->pc + run->count : sm->machine->blocks[number].end;
    if (!warp->is_off && pc < run->pc + run->count) {
        enter_block(sm, warp, pc);
        return true;
    }
    if (skips_predicated(sm, warp)) {
        const struct machine_block *off = &sm->machine->blocks[++warp->at_block];
        warp->is_off = true;
        warp->at = off->ops;
        warp->end = off->ops + off->count;
        return true;
    }
    warp->is_off = false;
    warp->run++;
    if (warp->run >= warp->walk->run_count)
        return false;
    if (warp->run <= warp->walk->run_count / 2) {
        warp->from = warp->now;
        warp->from_run = warp->run;
    }
    if (warp->run <= warp->walk->run_count - warp->walk->run_count / 8) {
        warp->to = warp->now;
        warp->to_run = warp->run;
    }
    enter_block(sm, warp, warp->walk->runs[warp->run].pc);
    return true;
}

void sm_next_op(const struct sm *sm, struct sm_warp *warp)
{
    for (;;) {
        const struct walk_run *run = &warp->walk->runs[warp->run];
        while (warp->at < warp->end) {
            const struct op *op = &sm->machine->ops[warp->at++];
            if (warp->is_whole || warp->is_off || op->pc - run->pc < run->count) {
                warp->op = op;
                return;
            }
        }
        if (!next_block(sm, warp))
            break;
    }
    warp->op = NULL;
}

/* --- blocks ----------------------------------------------------------------------------------- */

static void advance(struct sm *sm, struct sm_warp *warp);

/* Lets the warps of BLOCK continue if all of them have arrived at the barrier. */
static void try_barrier(struct sm *sm, struct sm_block *block)
{
    if (!block->arrived || block->arrived < block->alive)
        return;
    block->arrived = 0;
    for (uint32_t w = 0; w < block->warp_count; w++) {
        struct sm_warp *warp = &block->warps[w];
        if (!warp->waits)
            continue;
        double at = block->latest + sm->chip->barrier_latency +
                    sm->chip->barrier_warp_cycles * block->warp_count;
        if (sm->result->blame)
            sm->result->blame[warp->blamed] += at - warp->now;
        warp->waits = false;
        warp->now = at;
        advance(sm, warp);
    }
}

static void begin_block(struct sm *sm, struct sm_block *block, uint32_t number, double at);

/* Measures the speed of WARP, which has ended, if it has more instructions than all warps before.
 * Leaves out the first half of its runs (walk.h), during which the caches fill, and the last
 * eighth, which may be after the loops. */
static void note_pace(struct sm_result *result, const struct sm_warp *warp)
{
    const struct walk *walk = warp->walk;
    double all = warp->now - warp->begun, rest = 0;
    if (walk->kept <= result->most)
        return;
    for (uint32_t i = warp->from_run; i < warp->to_run; i++)
        rest += walk->runs[i].count;
    result->most = walk->kept;
    result->pace.each = rest > 0 ? (warp->to - warp->from) / rest : all / (double)walk->kept;
    result->pace.fixed = all - result->pace.each * (double)walk->kept;
    if (result->pace.fixed < 0)
        result->pace = (struct sm_pace){0, all / (double)walk->kept};
}

static void end_warp(struct sm *sm, struct sm_warp *warp)
{
    struct sm_block *block = warp->block;
    note_pace(sm->result, warp);
    block->latest = later(block->latest, warp->now);
    sm->latest = later(sm->latest, warp->now);
    if (--block->alive) {
        try_barrier(sm, block);
        return;
    }
    if (sm->result->ended)
        sm->result->ended[block->number] = block->latest;
    begin_block(sm, block, sm->started, block->latest + sm->chip->block_latency);
}

/* Goes to the warp's next op, and puts the warp into the queue. */
static void advance(struct sm *sm, struct sm_warp *warp)
{
    sm_next_op(sm, warp);
    if (warp->op)
        push(sm, warp, sm_ready_at(sm, warp));
    else
        end_warp(sm, warp);
}

void sm_enter(const struct sm *sm, struct sm_warp *warp)
{
    warp->run = 0;
    warp->op = NULL;
    warp->is_off = false;
    if (!warp->walk->run_count)
        return;
    enter_block(sm, warp, warp->walk->runs[0].pc);
    sm_next_op(sm, warp);
}

/* Starts the next CTA of the list, if there is one, in the slot of BLOCK. */
static void begin_block(struct sm *sm, struct sm_block *block, uint32_t number, double at)
{
    const struct walk_cta *cta = sm->next;
    if (sm->started == sm->count)
        return;
    at = later(at, sm->next_start);
    sm->next_start = at + sm->chip->block_cycles * sm->memory->active;
    sm->next = cta->next;
    sm->started++;
    block->number = number;
    block->alive = block->warp_count = cta->warps;
    block->arrived = 0;
    block->latest = at;
    for (uint32_t w = 0; w < cta->warps; w++) {
        struct sm_warp *warp = &block->warps[w];
        warp->walk = &cta->walk[w];
        /* the first warps of blocks often have the most work, so warp 0 gets a different scheduler
         * in each block */
        warp->scheduler = (w + number) % (uint32_t)sm->chip->schedulers;
        warp->now = warp->begun = warp->from = warp->to = at;
        warp->from_run = warp->to_run = 0;
        warp->copies = 0;
        warp->group_count = 0;
        warp->waits = warp->is_off = false;
        warp->run = 0;
        memset(warp->ready, 0, sm->machine->registers * sizeof *warp->ready);
    }
    for (uint32_t w = 0; w < cta->warps; w++) {
        struct sm_warp *warp = &block->warps[w];
        if (warp->walk->run_count)
            enter_block(sm, warp, warp->walk->runs[0].pc);
        if (warp->walk->run_count)
            advance(sm, warp);
        else
            end_warp(sm, warp);
    }
}

static void issue(struct sm *sm, struct sm_warp *warp, double at)
{
    const struct op *op = warp->op;
    double before = warp->now;
    at = sm_execute(sm, warp, at);
    if (sm->result->blame) {
        sm->result->blame[warp->blamed] += at - before;
        sm->result->blame[op->pc] += warp->now - at;
    }
    if (op->kind != OP_BARRIER) {
        advance(sm, warp);
        return;
    }
    warp->waits = true;
    warp->blamed = op->pc;
    warp->block->arrived++;
    warp->block->latest = later(warp->block->latest, warp->now);
    try_barrier(sm, warp->block);
}

/* --- a simulation ----------------------------------------------------------------------------- */

bool sm_open(struct sm *sm, uint32_t warps_each)
{
    uint32_t count = sm->resident * warps_each, registers = sm->machine->registers + 1;
    sm->warps_each = warps_each;
    sm->blocks = calloc(sm->resident, sizeof *sm->blocks);
    sm->warps = calloc(count, sizeof *sm->warps);
    uint32_t pieces = sm->machine->op_count / CODE_PIECE + 1;
    sm->code = malloc(pieces * sizeof *sm->code);
    for (uint32_t i = 0; sm->code && i < pieces; i++)
        sm->code[i] = -1;
    uint64_t constants = (uint64_t)sm->chip->constant_bytes / CONSTANT_LINE * 128;
    bool ok = l1_open(&sm->l1, sm->memory->l1_bytes) && l1_open(&sm->indexed, constants) &&
              sm->code && sm->blocks && sm->warps && open_queue(sm, count);
    for (uint32_t i = 0; ok && i < MOST_SCHEDULERS; i++)
        ok = l1_open(&sm->immediates[i], (uint64_t)sm->chip->immediate_lines * 128);
    for (uint32_t i = 0; ok && i < count; i++) {
        struct sm_warp *warp = &sm->warps[i];
        warp->block = &sm->blocks[i / warps_each];
        warp->ready = malloc(registers * sizeof *warp->ready);
        warp->maker = malloc(registers * sizeof *warp->maker);
        ok = warp->ready && warp->maker;
    }
    for (uint32_t b = 0; ok && b < sm->resident; b++)
        sm->blocks[b].warps = sm->warps + b * warps_each;
    return ok;
}

void sm_close(struct sm *sm)
{
    for (uint32_t i = 0; sm->warps && i < sm->resident * sm->warps_each; i++) {
        free(sm->warps[i].ready);
        free(sm->warps[i].maker);
    }
    free(sm->blocks);
    free(sm->warps);
    free(sm->first);
    free(sm->turns);
    free(sm->touched);
    free(sm->code);
    l1_close(&sm->l1);
    l1_close(&sm->indexed);
    for (uint32_t i = 0; i < MOST_SCHEDULERS; i++)
        l1_close(&sm->immediates[i]);
}

static void sum_up(struct sm *sm)
{
    struct sm_result *result = sm->result;
    result->cycles = later(sm->latest, later(sm->l2, sm->stores));
    result->cycles = later(result->cycles, later(sm->address, sm->port));
    for (uint32_t i = 0; i < sm->queues; i++)
        result->cycles = later(result->cycles, sm->dram[i]);
    for (uint32_t s = 0; s < (uint32_t)sm->chip->schedulers; s++) {
        result->issue = later(result->issue, sm->issued[s]);
        for (int p = 0; p < PIPES; p++)
            result->busy[p] = later(result->busy[p], sm->worked[s][p]);
    }
}

bool sm_run(const struct emu_chip *chip, const struct machine *machine,
            const struct sm_memory *memory, const struct walk_cta *ctas, uint32_t count,
            uint32_t resident, const struct sm_options *options, struct sm_result *result)
{
    double share = chip->l2_bytes_cycle / memory->active;
    struct sm sm = {.chip = chip,
                    .machine = machine,
                    .memory = memory,
                    .options = options,
                    .result = result,
                    .count = count,
                    .resident = resident < count ? resident : count,
                    .next = ctas};
    sm.l2_cycles = 32 / (share < chip->sm_l2_bytes ? share : chip->sm_l2_bytes);
    sm.store_cycles = 32 * memory->active / chip->l2_store_bytes_cycle;
    double dram = chip->dram_gbs * 1e3 / chip->clock_mhz / memory->active;
    dram = dram < chip->sm_l2_bytes ? dram : chip->sm_l2_bytes;
    double queues = dram * chip->dram_latency / 128 / LINES_A_QUEUE;
    sm.queues = queues < 1 ? 1 : queues > MOST_QUEUES ? MOST_QUEUES : (uint32_t)(queues + 0.5);
    sm.dram_cycles = 128 * sm.queues / dram;
    sm.streams_constants = memory->constant_lines > chip->immediate_lines && ctas &&
                           sm.resident * ctas->warps > chip->schedulers * chip->immediate_lines;
    bool ok = ctas && sm_open(&sm, ctas->warps);
    for (uint32_t b = 0; ok && b < sm.resident; b++)
        begin_block(&sm, &sm.blocks[b], sm.started, options->no_limits ? 0 : chip->start_latency);
    double at;
    for (struct sm_warp *warp; ok && !sm.failed && (warp = pop(&sm, &at));)
        issue(&sm, warp, at);
    if (ok)
        sum_up(&sm);
    sm_close(&sm);
    return ok && !sm.failed;
}
