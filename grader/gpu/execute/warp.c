/* Runs a warp: 32 lanes that execute together as long as they take the same branches.
 *
 * A path is a group of lanes with a stack of entries. An entry contains a set of these lanes, their
 * pc, and `meet`, the pc at which they reconverge with the lanes of lower entries. The top entry
 * runs. When a branch diverges, its lanes reconverge at the branch's immediate post-dominator. The
 * top entry's pc is set to this instruction, and an entry for each side of the branch is pushed:
 *
 *         bra ──┬── then ──┐            top   pc=then  meet=M  lanes=t
 *               └── else ──┴─ M ──            pc=else  meet=M  lanes=e
 *                                             pc=M     meet=…  lanes=t|e
 *
 * An entry is popped when its pc reaches `meet`. A lane that exits is removed from its path's
 * stack.
 *
 * Since Volta, lanes of a warp may wait for each other. With a single stack, such a warp would
 * hang: a lane that holds a lock can wait at M for the other lanes, which spin in the entry above
 * it and wait for the lock. Each path runs for a limited number of instructions at a time, called
 * its slice. A poll is a load or an atomic that checks whether another lane has changed a value. If
 * a path polled in its slice or is at a barrier, it is split: the lanes that did not run after a
 * failed poll, or in the second half of the slice, become a new path and can run. Paths that later
 * reach the same place merge again. */
#include <stdlib.h>
#include <string.h>

#include "gpu/execute/absent.h"
#include "gpu/execute/access.h"
#include "gpu/execute/control.h"
#include "gpu/execute/heartbeat.h"
#include "gpu/execute/operations.h"
#include "gpu/execute/path.h"
#include "gpu/execute/schedule.h"
#include "gpu/execute/values.h"

/* --- running ---------------------------------------------------------------------------------- */

/* Distinguishes two reasons why a launch reaches its limit of instructions. If the current warp has
 * executed at least 1/MANY_WARPS of the limit, it is in an endless loop. Otherwise, the launch has
 * too many warps. Even if all 32 warps of one block were in an endless loop, each of them would
 * have executed about 1/32 of the limit. */
#define MANY_WARPS 100

/* A worker adds its count of instructions to the launch's count when it has reached 1/ACCOUNTS of
 * the limit. An atomic update of the shared count after each warp would cost more than the work of
 * a short warp, because the CPU first waits for all pending stores. */
#define ACCOUNTS 256

/* Returns the CTA's first warp that still runs and has executed at least as many instructions as
 * WARP. If several warps are in the same loop, the report is about the first of them. */
static struct warp *first_as_busy(struct warp *warp)
{
    for (struct warp *other = warp->cta->warps; other != warp; other++)
        for (uint32_t i = 0; i < other->path_count; i++)
            if (other->paths[i]->state == PATH_READY && other->executed >= warp->executed)
                return other;
    return warp;
}

/* Adds N to the launch's executed instructions. Stops the launch if it exceeds its limit, and ends
 * the watch if the watch costs too much. */
static void account(struct warp *warp, uint64_t n)
{
    struct launch *launch = warp->cta->launch;
    struct worker *worker = warp->cta->worker;
    worker->watch_cost += n;
    if (launch->watch_limit && worker->watch_cost > launch->watch_limit && !launch->watch_is_over)
        launch_end_watch(worker);
    worker->unaccounted += n;
    if (!launch->limit || worker->unaccounted < launch->limit / ACCOUNTS)
        return;
    uint64_t executed =
        atomic_fetch_add(&launch->executed, worker->unaccounted) + worker->unaccounted;
    worker->unaccounted = 0;
    if (executed > launch->limit && !atomic_load(&launch->stopping)) {
        enum obs_fault_kind kind =
            warp->executed < launch->limit / MANY_WARPS ? OBS_TOO_MUCH_WORK : OBS_ENDLESS_LOOP;
        warp = kind == OBS_ENDLESS_LOOP ? first_as_busy(warp) : warp;
        warp_fault(warp, kind, (unsigned)__builtin_ctz(warp->alive ? warp->alive : 1), NULL);
        launch_stop(launch, EMU_TIMEOUT);
    }
}

/* Returns the number of lanes in LANES. Avoids popcount for a full warp, because popcount is a call
 * on older CPUs. */
static uint32_t count_of(uint32_t lanes)
{
    return lanes == ALL_LANES ? WARP : (uint32_t)__builtin_popcount(lanes);
}

/* Reports a step to the observer that follows the CTA: LANES have executed COUNT instructions from
 * PC on. */
static void report_step(const struct warp *warp, uint32_t pc, uint32_t count, uint32_t lanes)
{
    const struct listener *follower = &warp->cta->worker->follower;
    struct obs_step step = {warp->cta->linear, warp->index, pc, count, lanes};
    follower->observer->step(follower->state, &step);
}

/* Runs at most LEFT instructions of the stretch at PC. Returns the number of instructions that it
 * has executed. */
static uint32_t run_stretch(struct warp *warp, uint32_t pc, uint32_t lanes, uint32_t count,
                            int64_t left)
{
    const struct inst *in = &warp->cta->launch->kernel->code[pc];
    struct profile *profile = &warp->cta->worker->profile[pc];
    uint32_t n = in->stretch < left ? in->stretch : (uint32_t)left, end = pc + n;
    warp->cta->worker->stretches++;
    profile->warps++;
    profile->threads += count;
    if (n < in->stretch) {
        profile[n].warps--;
        profile[n].threads -= count;
    }
    warp->executed += n;
    warp->added += (uint64_t)count * (in[n].adds - in->adds);
    if (warp->cta->is_followed)
        report_step(warp, pc, n, lanes);
    for (uint32_t step; pc < end; pc += step, in += step) {
        step = in->step;
        warp->pc = pc;
        in->run(warp, in, lanes);
    }
    return n;
}

/* Runs instructions that all lanes execute together, up to an instruction that control_run() must
 * execute. Returns that instruction, or NULL if the top entry has reached the point where its lanes
 * reconverge, or if the slice is used up. This is the emulator's hottest loop. */
static const struct inst *run_lanes(struct warp *warp, struct path_entry *top, uint32_t *mask,
                                    int64_t *slice)
{
    const struct inst *code = warp->cta->launch->kernel->code;
    struct profile *profile = warp->cta->worker->profile;
    uint32_t pc = top->pc, lanes = top->lanes, meet = top->meet;
    uint32_t count = count_of(lanes);
    const struct inst *in = NULL;
    const atomic_bool *stopping = &warp->cta->launch->stopping;
    warp->frame = top->frame;
    warp->bank[BANK_REGISTERS] = top->frame->registers;
    while (pc != meet && *slice > 0) {
        in = &code[pc];
        if (in->stretch) {
            if (warp->absent)
                absent_follow(warp, pc, lanes, lanes);
            uint32_t n = run_stretch(warp, pc, lanes, count, warp->absent ? 1 : *slice);
            pc += n;
            *slice -= n;
            in = NULL;
            continue;
        }
        profile[pc].warps++;
        profile[pc].threads += count;
        warp->executed++; /* %clock depends on this */
        if (warp->cta->is_followed)
            report_step(warp, pc, 1, lanes);
        *slice -= in->observes ? OBSERVE_COST : 1;
        warp->looked += in->observes;
        uint32_t active = lanes & guarded_lanes(warp, in);
        warp->pc = pc;
        if (warp->absent)
            absent_follow(warp, pc, lanes, active);
        if (in->kind == KIND_LANES ||
            (in->kind == KIND_MEET && active == warp->alive &&
             (in->names_all || mask_is_good(warp, in->members, active, 0)))) {
            uint64_t failed = warp->failed;
            pc++;
            if (active)
                in->run(warp, in, active);
            *slice -= (int64_t)(warp->failed - failed) * FAILED_COST;
        } else if (in->kind == KIND_BRANCH && (!active || active == lanes) &&
                   !atomic_load_explicit(stopping, memory_order_relaxed)) {
            pc = active ? in->branch.target : pc + 1;
        } else {
            *mask = active;
            break;
        }
        in = NULL;
    }
    top->pc = pc;
    return in;
}

/* Runs one instruction of a CTA whose state an observer receives after each instruction. */
static void run_watched(struct warp *warp, struct path *path, int64_t *slice)
{
    struct path_entry *top = path_top(path);
    const struct inst *in = &warp->cta->launch->kernel->code[top->pc];
    struct obs_state now = {.warp = warp->index, .pc = top->pc, .lanes = top->lanes};
    int64_t one = 1;
    uint32_t mask = 0;
    now.frame = top->frame;
    warp->bank[BANK_REGISTERS] = top->frame->registers;
    now.active = top->lanes & guarded_lanes(warp, in);
    in = run_lanes(warp, top, &mask, &one);
    *slice += one - 1;
    if (in)
        control_run(warp, path, in, mask, &warp->cta->worker->profile[warp->pc]);
    if (path->state == PATH_AT_MEETING) /* the instruction will run later */
        now.active = 0;
    cta_report_state(warp->cta, &now);
}

/* Returns the lanes of the stack entries from DEPTH upwards, where the lowest entry has depth 1. */
static uint32_t lanes_from(const struct path *path, uint32_t depth)
{
    uint32_t lanes = 0;
    for (uint32_t i = depth - 1; i < path->depth; i++)
        lanes |= path->stack[i].lanes;
    return lanes;
}

/* Runs the path until it waits, is done, or has used up its slice. Returns whether it did more than
 * spin. */
static bool run_slice(struct warp *warp, struct path *path)
{
    struct launch *launch = warp->cta->launch;
    int64_t slice = SLICE;
    uint64_t before = warp->executed, slept = warp->slept, looked = warp->looked;
    uint64_t failed = warp->failed;
    uint32_t mask = 0, lowest = 0; /* smallest depth of the stack after a poll */
    path->gives_way = false;
    /* If a path has all live lanes, run_lanes() executes its KIND_MEET and does not clear has_met.
     * has_met is cleared here, so that the path waits at its next KIND_MEET. */
    path->has_met &= path_top(path)->lanes != warp->alive;
    while (path->state == PATH_READY && slice > 0 && !path->gives_way &&
           !atomic_load(&launch->stopping)) {
        struct path_entry *top = path_top(path);
        if (top->pc == top->meet) {
            path_pop(warp, path);
            continue;
        }
        bool may_wait = warp->failed != failed || (2 * slice < SLICE && warp->looked != looked);
        lowest = may_wait && lowest < path->depth ? lowest : path->depth;
        if (warp->cta->is_watched) {
            run_watched(warp, path, &slice);
            continue;
        }
        const struct inst *in = run_lanes(warp, top, &mask, &slice);
        if (in)
            control_run(warp, path, in, mask, &warp->cta->worker->profile[warp->pc]);
    }
    uint64_t executed = warp->executed - before;
    warp->cta->worker->executed += executed;
    account(warp, executed);
    heartbeat_slice(warp);
    if (path->gives_way) {
        /* if other instructions polled in this slice, they may have seen a change, so the path is
         * not stuck */
        path->is_stuck &= warp->looked - looked == warp->slept - slept;
        return !path->is_stuck;
    }
    path->waits_at = NOWHERE;
    path->is_stuck = false;
    /* a poll uses up more of the slice than other instructions, so if some instructions polled,
     * fewer than SLICE were executed */
    bool spun = path->state == PATH_READY && executed < SLICE;
    if (spun && !atomic_load(&launch->stopping))
        path_split(warp, path, lanes_from(path, lowest));
    return !spun;
}

/* Runs one slice of each path that is ready. Returns whether a path did more than spin. Sets *READY
 * to whether a path is still ready. */
static bool run_paths(struct warp *warp, bool *ready)
{
    bool progress = false;
    *ready = false;
    /* paths that split off in this call run in the next call */
    uint32_t count = warp->path_count;
    for (uint32_t i = 0; i < count; i++) {
        struct path *path = warp->paths[i];
        if (path->state != PATH_READY || atomic_load(&warp->cta->launch->stopping))
            continue;
        progress |= run_slice(warp, path);
    }
    paths_drop_done(warp);
    for (uint32_t i = 0; i < warp->path_count; i++)
        *ready |= warp->paths[i]->state == PATH_READY;
    if (warp->path_count > 1)
        paths_merge(warp);
    return progress;
}

enum warp_end warp_run(struct warp *warp)
{
    for (unsigned round = 0; round < WARP_ROUNDS; round++) {
        bool ready;
        uint32_t paths = warp->path_count;
        bool progress = run_paths(warp, &ready);
        warp->moved |= progress;
        if (atomic_load(&warp->cta->launch->stopping))
            return WARP_STOPPED;
        if (!warp->path_count)
            return WARP_DONE;
        if (control_release_syncs(warp))
            continue;
        if (!ready)
            return WARP_AT_BARRIER;
        if (!progress && warp->path_count <= paths)
            return WARP_SPINS;
    }
    warp->moved = true;
    return WARP_SPINS;
}

uint32_t warp_waiting_at(const struct warp *warp, uint32_t barrier)
{
    uint32_t lanes = 0;
    for (uint32_t i = 0; i < warp->path_count; i++)
        if (warp->paths[i]->state == PATH_AT_BARRIER && warp->paths[i]->wait_id == barrier)
            lanes |= warp->paths[i]->stack[0].lanes;
    return lanes;
}

/* Writes the result of bar.red to the path's lanes. */
static void deliver(struct warp *warp, struct path *path, struct votes total)
{
    const struct inst *in = path->barrier;
    uint32_t lanes = path->stack[0].lanes;
    bool all = total.yes == total.threads, any = total.yes != 0;
    if (in->barrier.vote.offset == NO_SLOT)
        return;
    warp->bank[BANK_REGISTERS] = path_top(path)->frame->registers;
    if (in->barrier.op != PTX_MOD_popc) {
        bool yes = in->barrier.op == PTX_MOD_and ? all : any;
        slot_set_predicate(warp, in->dst, yes ? ALL_LANES : 0, lanes);
        return;
    }
    uint32_t *d = (uint32_t *)(void *)slot_at(warp, in->dst);
    for (unsigned l = 0; l < WARP; l++)
        d[l] = lanes >> l & 1 ? total.yes : d[l];
}

bool warp_set_free(struct warp *warp)
{
    uint32_t count = warp->path_count;
    for (uint32_t i = 0; i < count; i++)
        if (warp->paths[i]->is_stuck)
            path_split(warp, warp->paths[i], path_top(warp->paths[i])->lanes);
    return warp->path_count > count;
}

void kernel_part_lanes(struct kernel *kernel)
{
    for (uint32_t pc = 0; pc < kernel->code_count; pc++)
        if (kernel->code[pc].run == atomic_run && kernel->code[pc].mem.event == OBS_ATOMIC)
            kernel->code[pc].kind = KIND_APART;
}

void warp_release(struct warp *warp, uint32_t barrier, struct votes total)
{
    for (uint32_t i = 0; i < warp->path_count; i++) {
        struct path *path = warp->paths[i];
        if (path->state != PATH_AT_BARRIER || path->wait_id != barrier)
            continue;
        deliver(warp, path, total);
        path->state = PATH_READY;
    }
    if (warp->path_count > 1)
        paths_merge(warp);
}

/* --- beginning and end ------------------------------------------------------------------------ */

/* Sets the fields that stay the same when another CTA reuses the warp. */
static void prepare(struct warp *warp, struct cta *cta, uint32_t index)
{
    const struct launch *launch = cta->launch;
    const struct kernel *kernel = launch->kernel;
    warp->cta = cta;
    warp->index = index;
    warp->bank[BANK_CONSTANTS] = kernel->constants;
    warp->bank[BANK_LAUNCH] = launch->values;
    warp->bank[BANK_CTA] = cta->values;
    warp->bank[BANK_WARP] = cta->warp_values + (size_t)index * kernel->bank_bytes[BANK_WARP];
    warp->local = cta->local_memory + (size_t)index * WARP * launch->own_bytes;
    values_of_warp(warp);
}

bool warp_start(struct warp *warp, struct cta *cta, uint32_t index, bool again)
{
    uint32_t left = cta->launch->threads - index * WARP;
    if (!again)
        prepare(warp, cta, index);
    warp->alive = left >= WARP ? ALL_LANES : (1u << left) - 1;
    absent_forget(warp);
    warp->executed = 0;
    warp->added = 0;
    warp->arrival = 0;
    warp->waited = 0;
    warp->slept = 0;
    warp->looked = 0;
    warp->failed = 0;
    warp->at_cluster = warp->owes_wait = warp->cluster_released = 0;
    if (warp->has_runtime_error)
        memset(warp->runtime_error, 0, sizeof warp->runtime_error);
    warp->has_runtime_error = false;
    warp->path_count = 0;
    struct frame *frame = frame_open(warp, &cta->launch->kernel->images[0]);
    if (!frame)
        return false;
    frame->holders++;
    struct path *path = path_add(warp);
    if (path)
        path_push(warp, path, 0, NOWHERE, warp->alive, frame);
    frame_release(warp, frame);
    return path;
}

/* The longest time for which a GPU's warp sleeps, and the time that an instruction takes if it
 * needs the result of the one before it: four cycles at 2 GHz. */
#define LONGEST_SLEEP           1000000u
#define INSTRUCTION_NANOSECONDS 2

void sleep_run(struct warp *warp, const struct inst *inst, uint32_t mask)
{
    const uint32_t *time = (const uint32_t *)(void *)slot_at(warp, inst->src[0]);
    uint32_t longest = 0;
    for (uint32_t left = mask; left; left &= left - 1)
        if (time[__builtin_ctz(left)] > longest)
            longest = time[__builtin_ctz(left)];
    if (longest > LONGEST_SLEEP)
        longest = LONGEST_SLEEP;
    warp_lengthen_path(warp, warp_path(warp) + longest / INSTRUCTION_NANOSECONDS);
    warp->slept++;
}

/* Executes a fence. The emulator's memory is always in order, so a fence is only reported to the
 * observers. */
void fence_run(struct warp *warp, const struct inst *inst, uint32_t mask)
{
    cta_report_order(warp->cta, (struct obs_order){.kind = OBS_FENCE,
                                                   .warp = warp->index,
                                                   .lanes = mask,
                                                   .wide = inst->mem.op != PTX_MOD_cta});
}

/* Releases the frames that paths still hold if the launch was stopped, and drops pending copies. */
void warp_stop(struct warp *warp)
{
    for (uint32_t i = 0; i < warp->path_count; i++)
        path_keep(warp, warp->paths[i], 0);
    warp->path_count = 0;
    async_drop(warp);
}

void warp_free(struct warp *warp)
{
    for (unsigned i = 0; i < WARP && warp->paths[i]; i++) {
        free(warp->paths[i]->stack);
        free(warp->paths[i]);
    }
    free(warp->stack);
    absent_forget(warp);
    async_free(warp);
}
