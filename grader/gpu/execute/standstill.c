/* Detects a standstill: no thread of the launch can ever do more than poll. A thread that polls
 * memory for a new value never sees it if all other threads also wait.
 *
 * The next steps of a path depend only on its pc, on the registers that can affect them
 * (deciders.c) and on memory. So a path that returns to an earlier state while memory has not
 * changed will loop for ever. If every path loops in this way or waits at a barrier, the launch is
 * stuck. Every store counts as a change of memory, even if it stores the old value. An atomic
 * counts only if it changes the value. A path keeps the hash of one earlier state and replaces it
 * after 1, 2, 4, 8… checks (Brent's cycle detection), so loops of any length are found.
 *
 * A worker checks its paths when all its CTAs have only spun for several turns. `epoch` is the
 * number of checks that found a change of memory. A worker whose paths all loop publishes the
 * current epoch. When all workers have published the same epoch, the launch is stuck. A loop whose
 * end depends on a counter or a clock never returns to an earlier state; the instruction limit ends
 * it. The host program can change memory that it lends to the device. So a launch that polls lent
 * memory is stuck only if the program has no other thread that could change this memory.
 *
 * If the launch may be parked, it is parked instead, because the host can continue and may change
 * memory. It is also parked when its CTAs have only spun for a long time without returning to an
 * earlier state: a thread that counts its polls or reads a clock can wait for the host, too. */
#include "gpu/execute/standstill.h"

#include <string.h>
#include <time.h>

#include "gpu/execute/deciders.h"
#include "gpu/execute/operations.h"
#include "gpu/execute/schedule.h"
#include "gpu/execute/stretch.h"

/* Numbers of successive rounds in which all CTAs only spin. */
#define PATIENCE 64u /* after these rounds, paths are checked for loops */
/* after these rounds, a launch that may be parked is parked even if no loop was found */
#define TIRED 512u
/* If a CTA polled and passed a barrier MOST_LOOKS times in a round, the round counts as this number
 * of rounds. */
#define LONG_ROUND 16u

/* --- has memory changed? ---------------------------------------------------------------------- */

static bool is_call(const struct kernel *kernel, uint32_t pc)
{
    const struct image *image = kernel_image(kernel, pc);
    return pc < image->end && image->function->code[pc - image->start].opcode == PTX_OP_call;
}

/* Returns whether the instruction can change memory. Returns false for atomics, because they count
 * their own changes. A KIND_WAIT changes nothing. */
static bool may_change(const struct kernel *kernel, uint32_t pc)
{
    const struct inst *in = &kernel->code[pc];
    return in->run == store_run || in->run == copy_run || in->run == commit_run ||
           in->run == wait_group_run || in->run == wait_all_run || in->run == surface_store_run ||
           in->run == matrix_store_run || in->run == rows_run || in->run == bulk_run ||
           in->run == bulk_wait_run || (in->run == mbarrier_run && in->kind != KIND_WAIT) ||
           (in->kind == KIND_LANES && is_call(kernel, pc));
}

uint64_t standstill_changes(const struct worker *worker)
{
    const struct kernel *kernel = worker->launch->kernel;
    uint64_t changes = worker->atomic_changes, warps = 0;
    for (uint32_t pc = 0; pc < kernel->code_count; pc++) {
        warps = stretch_warps(worker, pc, warps);
        changes += warps && may_change(kernel, pc) ? warps : 0;
    }
    return changes;
}

bool standstill_sees_lent(const struct worker *worker)
{
    const struct kernel *kernel = worker->launch->kernel;
    for (uint32_t pc = 0; pc < kernel->code_count; pc++)
        if (kernel->code[pc].observes && worker->patterns[pc].block &&
            worker->patterns[pc].block->is_lent)
            return true;
    return false;
}

/* --- has a path been here before? ------------------------------------------------------------- */

static uint64_t mix(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 29;
}

static uint64_t mix_bytes(uint64_t hash, const uint8_t *bytes, size_t count)
{
    for (; count >= sizeof hash; count -= sizeof hash, bytes += sizeof hash) {
        uint64_t word;
        memcpy(&word, bytes, sizeof word);
        hash = mix(hash, word);
    }
    while (count--)
        hash = mix(hash, *bytes++);
    return hash;
}

static uint64_t mix_registers(uint64_t hash, const struct frame *frame,
                              const struct deciders *deciders)
{
    const struct image *image = frame->image;
    const bool *decides = deciders_of(deciders, image);
    for (uint32_t i = 0; i < image->function->register_count; i++) {
        unsigned bytes = ptx_type_bytes(image->function->registers[i].type);
        if (decides[i] && image->fixed[i].offset == NO_SLOT)
            hash = mix_bytes(hash, frame->registers + image->slots[i], bytes ? bytes * WARP : 4);
    }
    return hash;
}

static uint64_t state_of(const struct path *path, const struct deciders *deciders)
{
    uint64_t hash = path->depth;
    for (uint32_t i = 0; i < path->depth; i++) {
        const struct path_entry *entry = &path->stack[i];
        hash = mix(mix(hash, entry->pc), (uint64_t)entry->meet << 32 | entry->lanes);
    }
    const struct frame *frame = path->stack[path->depth - 1].frame;
    for (; frame; frame = frame->caller) {
        hash = mix_registers(hash, frame, deciders);
        hash = mix_bytes(hash, frame->params, (size_t)frame->image->frame_bytes * WARP);
    }
    return hash;
}

static bool goes_round(struct path *path, const struct deciders *deciders)
{
    uint64_t now = state_of(path, deciders);
    path->goes_round |= path->age && now == path->past;
    if (!(path->age & (path->age - 1)))
        path->past = now;
    path->age++;
    return path->goes_round;
}

void path_forget(struct path *path)
{
    path->age = 0;
    path->goes_round = false;
}

static bool cta_goes_round(struct cta *cta, const struct deciders *deciders, bool afresh)
{
    bool all = true;
    for (uint32_t w = 0; w < cta->started; w++) {
        for (uint32_t i = 0; i < cta->warps[w].path_count; i++) {
            struct path *path = cta->warps[w].paths[i];
            if (path->state != PATH_READY)
                continue;
            if (afresh)
                path_forget(path);
            all &= goes_round(path, deciders);
        }
    }
    return all;
}

/* Returns whether all ready paths are in a loop and no cluster's latest turn ended because of
 * MOST_LOOKS. Checks every path, even if an earlier path is not in a loop, because each check also
 * updates the path's hash. */
static bool all_go_round(struct cta *first, const struct deciders *deciders, bool afresh)
{
    bool all = true;
    for (struct cta *leader = first; leader; leader = leader->next) {
        all &= !leader->gave_way;
        for (uint32_t rank = 0; rank < leader->launch->cluster_size; rank++)
            all &= cta_goes_round(leader->cluster[rank], deciders, afresh);
    }
    return all;
}

/* --- rounds ----------------------------------------------------------------------------------- */

void standstill_forget(struct worker *worker)
{
    worker->spun = 0;
    /* once a launch has been parked, atomics count their changes for launch_changes() */
    worker->watches = worker->launch->goes_on;
    atomic_store(&worker->still, 0);
    atomic_store(&worker->is_tired, false);
}

/* Ends WORKER's part in the checks. Raises the epoch, because the worker may have changed memory
 * since its last check, and other workers may wait for that change. */
void standstill_leave(struct worker *worker)
{
    atomic_fetch_add(&worker->launch->epoch, 1);
    atomic_store(&worker->still, UINT64_MAX);
    atomic_store(&worker->is_tired, true);
    deciders_free(worker->deciders);
    worker->deciders = NULL;
}

static bool is_over(struct launch *launch)
{
    uint64_t epoch = atomic_load(&launch->epoch);
    for (uint32_t i = 0; i < launch->workers; i++) {
        uint64_t still = atomic_load(&launch->pool[i].still);
        if (still != epoch && still != UINT64_MAX)
            return false;
    }
    return epoch == atomic_load(&launch->epoch);
}

static bool all_are_tired(const struct launch *launch)
{
    bool all = true;
    for (uint32_t i = 0; i < launch->workers; i++)
        all &= atomic_load(&launch->pool[i].is_tired);
    return all;
}

/* Parks the launch. If there has been a fault, stops the launch instead of waiting for the host. */
static void park(struct launch *launch)
{
    if (atomic_load(&launch->status) != EMU_OK)
        atomic_store(&launch->stopping, true);
    atomic_store(&launch->is_parked, true);
}

/* Parks or stops a launch in which no thread can continue unless the host changes memory. */
static void stand_still(struct launch *launch)
{
    if (launch->may_park) {
        atomic_store(&launch->is_still, true);
        park(launch);
        return;
    }
    atomic_store(&launch->is_stuck, true);
    launch_stop(launch, EMU_DEADLOCK);
}

static bool is_long_round(const struct worker *worker)
{
    const struct cta *leader = worker->first;
    while (leader && !leader->gave_way)
        leader = leader->next;
    return leader;
}

void standstill_look(struct worker *worker)
{
    struct launch *launch = worker->launch;
    if (launch->may_park && worker->spun >= TIRED) {
        atomic_store(&worker->is_tired, true);
        if (all_are_tired(launch))
            park(launch);
    }
    if (!worker->deciders)
        worker->deciders = deciders_make(launch->kernel);
    worker->spun += is_long_round(worker) ? LONG_ROUND : 1;
    if (worker->spun < PATIENCE || !worker->deciders)
        return;
    uint64_t changes = standstill_changes(worker);
    if (!worker->watches || changes != worker->changes)
        atomic_fetch_add(&launch->epoch, 1);
    uint64_t epoch = atomic_load(&launch->epoch);
    bool afresh = epoch != worker->epoch;
    worker->watches = true;
    worker->changes = changes;
    worker->epoch = epoch;
    if (afresh)
        deciders_begin(worker->deciders, worker);
    enum deciders_answer answer = deciders_look(worker->deciders, worker);
    afresh |= answer != DECIDERS_SAME;
    bool all = all_go_round(worker->first, worker->deciders, afresh) && answer == DECIDERS_SAME &&
               (launch->may_park || launch->request.alone || !standstill_sees_lent(worker));
    atomic_store(&worker->still, all ? epoch : 0);
    if (all && is_over(launch)) {
        stand_still(launch);
    } else if (all) {
        /* only another worker can change memory now, so yield the CPU */
        nanosleep(&(struct timespec){.tv_nsec = 50000}, NULL);
    }
}
