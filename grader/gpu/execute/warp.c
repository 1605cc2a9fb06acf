/* Runs a warp: 32 lanes that execute together as long as they take the same branches.
 *
 * A path is a group of lanes with a stack of entries. An entry has some of the lanes, their pc, and
 * `meet`, the pc at which they reconverge with the lanes of lower entries. The top entry runs. When
 * a branch diverges, the top entry's pc is set to the branch's immediate post-dominator, where the
 * lanes reconverge, and an entry for each side of the branch is pushed:
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
 * it and wait for the lock. So a path is split if it seems to wait: its slice was full of polls, or
 * it is at a barrier. The lanes that did not run after a failed poll, or in the second half of the
 * slice, become a new path and can run. Paths that later reach the same place merge again. */
#include <stdlib.h>
#include <string.h>

#include "gpu/execute/absent.h"
#include "gpu/execute/access.h"
#include "gpu/execute/heartbeat.h"
#include "gpu/execute/operations.h"
#include "gpu/execute/path.h"
#include "gpu/execute/schedule.h"
#include "gpu/execute/values.h"

/* --- control instructions --------------------------------------------------------------------- */

static void branch(struct warp *warp, struct path *path, const struct inst *in, uint32_t taken,
                   struct profile *profile)
{
    struct path_entry *top = path_top(path);
    struct frame *frame = top->frame;
    uint32_t passed = top->lanes & ~taken, meet = in->branch.meet, pc = warp->pc;
    if (!taken || !passed) {
        top->pc = taken ? in->branch.target : pc + 1;
        return;
    }
    profile->divergent++;
    frame->holders++; /* keeps the frame while the entry that holds it is replaced */
    if (meet == top->meet)
        path_pop(warp, path); /* a lower entry already continues at `meet` */
    else
        top->pc = meet;
    if (pc + 1 != meet)
        path_push(warp, path, (struct path_entry){pc + 1, meet, passed, frame});
    if (in->branch.target != meet)
        path_push(warp, path, (struct path_entry){in->branch.target, meet, taken, frame});
    frame_release(warp, frame);
}

static void leave(struct warp *warp, struct path *path, uint32_t lanes)
{
    warp->alive &= ~lanes;
    path_top(path)->pc++;
    path_keep(warp, path, path->stack[0].lanes & ~lanes);
}

static uint32_t first_word(const struct warp *warp, const struct inst *in, unsigned source,
                           uint32_t lanes)
{
    uint32_t value;
    memcpy(&value, slot_at(warp, in->src[source]) + 4 * __builtin_ctz(lanes), sizeof value);
    return value;
}

/* Makes LANES of the path wait at a barrier. The path's other lanes become a new path. */
static void stop_at(struct warp *warp, struct path *path, const struct inst *in, uint32_t lanes)
{
    path_split(warp, path, lanes);
    path->state = PATH_AT_BARRIER;
    path->barrier = in;
    path->expected = warp->alive;
}

/* Executes one of the two instructions of the cluster's barrier: a thread first arrives and later
 * waits. */
static void arrive_at_cluster(struct warp *warp, struct path *path, const struct inst *in,
                              uint32_t lanes)
{
    path_top(path)->pc++;
    if (in->barrier.arrives) {
        cta_arrive_at_cluster(warp, in, lanes);
    } else if (!cta_waits_for_cluster(warp, lanes)) {
        stop_at(warp, path, in, lanes);
        path->wait_id = CLUSTER_BARRIER;
        path->wait_count = path->votes = 0;
    }
}

/* Makes LANES of the path arrive at a barrier. */
static void arrive(struct warp *warp, struct path *path, const struct inst *in, uint32_t lanes)
{
    uint32_t id = in->source_count > 0 ? first_word(warp, in, 0, lanes) : 0;
    uint32_t count = in->source_count > 1 ? first_word(warp, in, 1, lanes) : 0;
    if (in->barrier.of_cluster) {
        arrive_at_cluster(warp, path, in, lanes);
        return;
    }
    if (id >= BARRIERS) {
        warp_fault(warp, OBS_BAD_BARRIER, (unsigned)__builtin_ctz(lanes), NULL);
        launch_stop(warp->cta->launch, EMU_TRAP);
        path_keep(warp, path, 0);
        return;
    }
    path_top(path)->pc++;
    if (in->barrier.arrives) {
        cta_arrive(warp, id, count, lanes);
        return;
    }
    stop_at(warp, path, in, lanes);
    path->wait_id = id;
    path->wait_count = count;
    path->votes = in->barrier.vote.offset == NO_SLOT ? 0 : slot_predicate(warp, in->barrier.vote);
}

static void tell_warp_sync(const struct warp *warp, uint32_t lanes)
{
    cta_tell_order(warp->cta, (struct obs_order){.kind = OBS_WARP_SYNC,
                                                 .warp = warp->index,
                                                 .lanes = lanes,
                                                 .whole = lanes == warp->alive});
}

/* Reports to the observers that all members of a warp sync have arrived. Makes one report for each
 * different members mask, because lanes with different masks, such as tiles of a warp, do not
 * synchronise with each other. */
static void pass_warp_sync(const struct warp *warp, const struct inst *in, uint32_t lanes)
{
    uint32_t members[WARP];
    memcpy(members, slot_at(warp, in->src[0]), sizeof members);
    while (lanes) {
        uint32_t together = 0, wanted = members[__builtin_ctz(lanes)];
        for (unsigned l = 0; l < WARP; l++)
            together |= (uint32_t)(members[l] == wanted) << l;
        tell_warp_sync(warp, together & lanes);
        lanes &= ~together;
    }
}

/* Returns whether the members mask of each lane in LANES contains the lane itself and no lane of
 * ABSENT. */
static bool mask_is_good(const struct warp *warp, struct slot slot, uint32_t lanes, uint32_t absent)
{
    const uint32_t *members = (const uint32_t *)(const void *)slot_at(warp, slot);
    uint32_t wrong = 0;
    if (!absent && lanes_all_set(members)) /* the usual case */
        return true;
    for (unsigned l = 0; l < WARP; l++)
        wrong |= ((~members[l] >> l & 1) | (uint32_t)((members[l] & absent) != 0)) << l;
    return !(wrong & lanes);
}

/* Returns the lanes of PATH that can only exit: they are at the kernel's end, or on a side of a
 * branch that does not reconverge with the other side before the end. */
static uint32_t leaving_lanes(const struct warp *warp, const struct path *path)
{
    const struct inst *code = warp->cta->launch->kernel->code;
    uint32_t leaving = 0, here = path->stack[path->depth - 1].lanes;
    for (uint32_t i = 0; i < path->depth; i++) {
        const struct path_entry *entry = &path->stack[i];
        bool is_side = !(entry->lanes & here);
        bool ends = entry->meet == NOWHERE || code[entry->meet].kind == KIND_EXIT;
        bool leaves = code[entry->pc].kind == KIND_EXIT || (is_side && ends);
        leaving = leaves ? leaving | entry->lanes : leaving & ~entry->lanes;
    }
    return leaving;
}

static void check_mask(struct warp *warp, struct slot slot, uint32_t lanes, uint32_t absent)
{
    uint32_t members[WARP];
    if (mask_is_good(warp, slot, lanes, absent))
        return;
    memcpy(members, slot_at(warp, slot), sizeof members);
    for (uint32_t left = lanes; left; left &= left - 1) {
        unsigned l = (unsigned)__builtin_ctz(left);
        uint32_t named = members[l] & absent;
        if (members[l] >> l & 1 && !named)
            continue;
        warp_mask_fault(warp, OBS_WARP_MASK, l, members[l],
                        named ? (unsigned)__builtin_ctz(named) : l);
        return;
    }
}

static void arrive_at_warp_sync(struct warp *warp, struct path *path, const struct inst *in,
                                uint32_t lanes)
{
    uint32_t members = first_word(warp, in, 0, lanes);
    check_mask(warp, in->src[0], lanes, 0); /* absent lanes may still arrive */
    path_top(path)->pc++;
    if (!(members & warp->alive & ~lanes)) {
        if (warp->cta->launch->wanted & OBS_ORDER)
            pass_warp_sync(warp, in, lanes);
        return;
    }
    path_split(warp, path, lanes);
    path->state = PATH_AT_WARP_SYNC;
    path->wait_mask = members;
}

/* Executes a KIND_MEET instruction. If its members mask names lanes of other paths, the path first
 * waits once for these lanes, because they may still arrive. It does not wait for other lanes of
 * its own stack: these can only run after the lanes that have arrived. */
static void meet(struct warp *warp, struct path *path, const struct inst *in, uint32_t lanes,
                 struct profile *profile)
{
    uint32_t members;
    memcpy(&members, slot_at(warp, in->members) + 4 * __builtin_ctz(lanes), sizeof members);
    uint32_t elsewhere = members & warp->alive & ~path->stack[0].lanes;
    if (elsewhere && !path->has_met) {
        profile->warps--; /* the instruction is counted again when all lanes have arrived */
        profile->threads -= (uint32_t)__builtin_popcount(path_top(path)->lanes);
        warp->executed--;
        path_split(warp, path, path_top(path)->lanes);
        path->state = PATH_AT_MEETING;
        path->wait_mask = members;
        return;
    }
    path->has_met = false;
    if (lanes != warp->alive)
        check_mask(warp, in->members, lanes, warp->alive & ~lanes & ~leaving_lanes(warp, path));
    else
        check_mask(warp, in->members, lanes, 0);
    in->run(warp, in, lanes);
    path_top(path)->pc++;
}

/* Polls once. If the wait is not over, ends the path's slice, because the path could only poll
 * again. */
static void wait(struct warp *warp, struct path *path, const struct inst *in, uint32_t lanes)
{
    in->run(warp, in, lanes);
    uint32_t over = slot_predicate(warp, in->dst) & lanes;
    path_top(path)->pc++;
    path->gives_way = over != lanes;
    path->is_stuck = path->gives_way && !over && path->waits_at == warp->pc;
    path->waits_at = over ? NOWHERE : warp->pc;
}

/* Executes the instruction for the lowest lane, which then continues separately. The other lanes
 * become a new path, which executes the instruction later. */
static void go_apart(struct warp *warp, struct path *path, const struct inst *in, uint32_t lanes,
                     struct profile *profile)
{
    uint32_t first = lanes & -lanes, all = path_top(path)->lanes;
    path_split(warp, path, first);
    profile->threads -= (uint32_t)__builtin_popcount(all & ~first);
    in->run(warp, in, first);
    path_top(path)->pc++;
}

static void control(struct warp *warp, struct path *path, const struct inst *in, uint32_t mask,
                    struct profile *profile)
{
    if (in->kind == KIND_BRANCH) {
        branch(warp, path, in, mask, profile);
    } else if (!mask) {
        path_top(path)->pc++;
    } else if (in->kind == KIND_APART) {
        go_apart(warp, path, in, mask, profile);
    } else if (in->kind == KIND_MEET) {
        meet(warp, path, in, mask, profile);
    } else if (in->kind == KIND_WAIT) {
        wait(warp, path, in, mask);
    } else if (in->kind == KIND_EXIT) {
        leave(warp, path, mask);
    } else if (in->kind == KIND_CALL) {
        call_enter(warp, path, in, mask);
    } else if (in->kind == KIND_RETURN) {
        call_return(warp, mask);
        branch(warp, path, in, mask, profile);
    } else if (in->kind == KIND_BARRIER) {
        arrive(warp, path, in, mask);
    } else if (in->kind == KIND_WARP_SYNC) {
        arrive_at_warp_sync(warp, path, in, mask);
    } else {
        warp_fault(warp, OBS_TRAPPED, (unsigned)__builtin_ctz(mask), NULL);
        launch_stop(warp->cta->launch, EMU_TRAP);
        path_keep(warp, path, 0);
    }
}

/* --- running ---------------------------------------------------------------------------------- */

/* A launch that reaches its limit is in an endless loop if the current warp has executed at least
 * 1/MANY_WARPS of the limit. Otherwise, it has too many warps. Even if all 32 warps of one block
 * were in an endless loop, each of them would have executed about 1/32 of the limit. */
#define MANY_WARPS 100

/* A worker adds its count of instructions to the launch's count when it has reached 1/ACCOUNTS of
 * the limit. An atomic update of the shared count after each warp would cost more than the work of
 * a short warp, because the CPU first waits for all pending stores. */
#define ACCOUNTS 256

/* Returns the CTA's first running warp that has executed at least as many instructions as WARP. So
 * if several warps are in the same loop, the report names the first of them. */
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
    profile->warps++;
    profile->threads += count;
    if (n < in->stretch) {
        profile[n].warps--;
        profile[n].threads -= count;
    }
    warp->executed += n;
    if (warp->cta->is_followed)
        report_step(warp, pc, n, lanes);
    for (uint32_t step; pc < end; pc += step, in += step) {
        step = in->step;
        warp->pc = pc;
        in->run(warp, in, lanes);
    }
    return n;
}

/* Returns the lanes for which the instruction's guard predicate is true. */
LANES_INLINE uint32_t guarded_lanes(const struct warp *warp, const struct inst *in)
{
    if (in->guard == NO_SLOT)
        return ALL_LANES;
    uint32_t guard = *(const uint32_t *)(const void *)(warp->bank[BANK_REGISTERS] + in->guard);
    return in->guard_negated ? ~guard : guard;
}

/* Runs instructions that all lanes execute together, up to an instruction that control() must
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
        if (in->kind == KIND_LANES || (in->kind == KIND_MEET && active == warp->alive &&
                                       mask_is_good(warp, in->members, active, 0))) {
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

/* Runs one instruction of a CTA whose state an observer wants to see after each instruction. */
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
        control(warp, path, in, mask, &warp->cta->worker->profile[warp->pc]);
    if (path->state == PATH_AT_MEETING) /* the instruction will run later */
        now.active = 0;
    cta_tell_state(warp->cta, &now);
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
            control(warp, path, in, mask, &warp->cta->worker->profile[warp->pc]);
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
    /* a poll uses up more of the slice than one instruction, so fewer than SLICE instructions were
     * executed if some of them polled */
    bool spun = path->state == PATH_READY && executed < SLICE;
    if (spun && !atomic_load(&launch->stopping))
        path_split(warp, path, lanes_from(path, lowest));
    return !spun;
}

static bool waits_for_lanes(const struct path *path)
{
    return path->state == PATH_AT_WARP_SYNC || path->state == PATH_AT_MEETING;
}

/* Returns whether both paths are at the same KIND_MEET instruction and have finished waiting
 * there. */
static bool meets_with(struct path *path, struct path *other)
{
    const struct path_entry *a = path_top(path), *b = path_top(other);
    return path->has_met && other->has_met && a->pc == b->pc && a->frame == b->frame;
}

/* Executes the KIND_MEET instruction of PATH once, for the lanes of all paths that have met there.
 * Then the paths continue separately. */
static void run_meeting(struct warp *warp, struct path *path)
{
    const struct path_entry here = *path_top(path);
    const struct inst *in = &warp->cta->launch->kernel->code[here.pc];
    struct profile *profile = &warp->cta->worker->profile[here.pc];
    uint32_t lanes = 0, leaving = 0;
    for (uint32_t i = 0; i < warp->path_count; i++)
        if (meets_with(path, warp->paths[i])) {
            lanes |= path_top(warp->paths[i])->lanes;
            leaving |= leaving_lanes(warp, warp->paths[i]);
        }
    warp->frame = here.frame;
    warp->bank[BANK_REGISTERS] = here.frame->registers;
    warp->pc = here.pc;
    profile->warps++;
    profile->threads += (uint32_t)__builtin_popcount(lanes);
    warp->executed++;
    lanes &= guarded_lanes(warp, in);
    check_mask(warp, in->members, lanes, warp->alive & ~lanes & ~leaving);
    in->run(warp, in, lanes);
    for (uint32_t i = 0; i < warp->path_count; i++)
        if (warp->paths[i] != path && meets_with(path, warp->paths[i])) {
            path_top(warp->paths[i])->pc++;
            warp->paths[i]->has_met = false;
        }
    path_top(path)->pc++;
    path->has_met = false;
    if (warp->cta->is_watched)
        cta_tell_state(warp->cta, &(struct obs_state){.warp = warp->index,
                                                      .pc = here.pc,
                                                      .lanes = lanes,
                                                      .active = lanes,
                                                      .frame = here.frame});
}

/* Lets paths that meet at one instruction with different stacks execute it together. Such paths
 * cannot merge, but their lanes must exchange values at this instruction. */
static void meet_apart(struct warp *warp)
{
    for (uint32_t i = 0; i < warp->path_count; i++)
        for (uint32_t k = i + 1; k < warp->path_count; k++)
            if (meets_with(warp->paths[i], warp->paths[k]))
                run_meeting(warp, warp->paths[i]);
}

/* Lets lanes continue that wait for each other, for example at bar.warp.sync, once all of them have
 * arrived. Returns whether some path continues. */
static bool release_warp_syncs(struct warp *warp)
{
    uint32_t waiting = 0;
    for (uint32_t i = 0; i < warp->path_count; i++)
        if (waits_for_lanes(warp->paths[i]))
            waiting |= warp->paths[i]->stack[0].lanes;
    bool released = false;
    for (uint32_t i = 0; i < warp->path_count; i++) {
        struct path *path = warp->paths[i];
        if (waits_for_lanes(path) && !(path->wait_mask & warp->alive & ~waiting)) {
            path->has_met = path->state == PATH_AT_MEETING;
            path->state = PATH_READY;
            released = true;
            tell_warp_sync(warp, path->wait_mask & waiting);
        }
    }
    if (released) {
        paths_merge(warp);
        meet_apart(warp);
    }
    return released;
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
        if (release_warp_syncs(warp))
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
    warp->slept = 0;
    warp->looked = 0;
    warp->failed = 0;
    warp->at_cluster = warp->owes_wait = warp->cluster_released = 0;
    memset(warp->runtime_error, 0, sizeof warp->runtime_error);
    warp->path_count = 0;
    struct frame *frame = frame_open(warp, &cta->launch->kernel->images[0]);
    if (!frame)
        return false;
    frame->holders++;
    struct path *path = path_add(warp);
    if (path)
        path_push(warp, path, (struct path_entry){0, NOWHERE, warp->alive, frame});
    frame_release(warp, frame);
    return path;
}

void sleep_run(struct warp *warp, const struct inst *inst, uint32_t mask)
{
    (void)inst;
    (void)mask;
    warp->slept++;
}

/* Executes a fence. The emulator's memory is always in order, so a fence is only reported to the
 * observers. */
void fence_run(struct warp *warp, const struct inst *inst, uint32_t mask)
{
    cta_tell_order(warp->cta, (struct obs_order){.kind = OBS_FENCE,
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
