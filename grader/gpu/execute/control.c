/* Executes the instructions that change which lanes of a path run: branches, calls, exits,
 * barriers, and instructions at which lanes wait for each other. warp.c explains paths. */
#include "gpu/execute/control.h"

#include <string.h>

#include "gpu/execute/operations.h"
#include "gpu/execute/path.h"
#include "gpu/execute/schedule.h"

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
    frame->holders++; /* keeps the frame while the entry that refers to it is replaced */
    if (meet == top->meet)
        path_pop(warp, path); /* a lower entry already continues at `meet` */
    else
        top->pc = meet;
    if (pc + 1 != meet)
        path_push(warp, path, pc + 1, meet, passed, frame);
    if (in->branch.target != meet)
        path_push(warp, path, in->branch.target, meet, taken, frame);
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

/* Executes an arrival or a wait: the cluster's barrier has a separate instruction for each. */
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

static void report_warp_sync(const struct warp *warp, uint32_t lanes)
{
    cta_report_order(warp->cta, (struct obs_order){.kind = OBS_WARP_SYNC,
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
        report_warp_sync(warp, together & lanes);
        lanes &= ~together;
    }
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

/* Executes a KIND_MEET instruction. If its members mask contains lanes of other paths, the path
 * first waits for these lanes, because they may still arrive. It does not wait for other lanes of
 * its own stack, which can run only after the lanes that have arrived. */
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

void control_run(struct warp *warp, struct path *path, const struct inst *in, uint32_t mask,
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

/* --- lanes that wait for each other ----------------------------------------------------------- */

static bool waits_for_lanes(const struct path *path)
{
    return path->state == PATH_AT_WARP_SYNC || path->state == PATH_AT_MEETING;
}

/* Returns whether both paths are at the same KIND_MEET instruction and no longer wait there. */
static bool meets_with(struct path *path, struct path *other)
{
    const struct path_entry *a = path_top(path), *b = path_top(other);
    return path->has_met && other->has_met && a->pc == b->pc && a->frame == b->frame;
}

/* Executes the KIND_MEET instruction of PATH once, for the lanes of all paths that have met there.
 * After that, the paths continue separately. */
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
        cta_report_state(warp->cta, &(struct obs_state){.warp = warp->index,
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

bool control_release_syncs(struct warp *warp)
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
            report_warp_sync(warp, path->wait_mask & waiting);
        }
    }
    if (released) {
        paths_merge(warp);
        meet_apart(warp);
    }
    return released;
}
