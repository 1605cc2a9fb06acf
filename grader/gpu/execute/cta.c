/* Runs a CTA, which has warps, shared memory and barriers.
 *
 * The warps run in turn, each until it waits. When no warp can continue, each barrier is checked:
 * if all its threads have arrived, they continue. If no barrier opens, the CTA waits for other CTAs
 * of its cluster or the grid. If these cannot let it continue, the CTA is in a deadlock. */
#include <stdlib.h>
#include <string.h>

#include "gpu/execute/access.h"
#include "gpu/execute/operations.h"
#include "gpu/execute/path.h"
#include "gpu/execute/schedule.h"
#include "gpu/execute/standstill.h"
#include "gpu/execute/values.h"
#include "gpu/memory/memory.h"

/* Returns the number of bytes to allocate for shared memory. It includes padding, because loads of
 * a whole PATTERN_WINDOW can read past the end. */
static size_t shared_room(const struct launch *launch)
{
    return ((size_t)launch->shared_bytes + 63) / 64 * 64 + PATTERN_WINDOW;
}

static struct cta *make_cta(const struct launch *launch)
{
    const struct kernel *kernel = launch->kernel;
    struct cta *cta = calloc(1, sizeof *cta + launch->warps * sizeof *cta->warps);
    if (!cta)
        return NULL;
    cta->warp_count = launch->warps;
    size_t values = kernel->bank_bytes[BANK_CTA] + 64u;
    size_t warp_values = (size_t)kernel->bank_bytes[BANK_WARP] * launch->warps + 64;
    size_t local = (size_t)launch->own_bytes * WARP * launch->warps + 64;
    cta->shared = aligned_alloc(64, shared_room(launch));
    cta->values = aligned_alloc(64, (values + 63) / 64 * 64);
    cta->warp_values = aligned_alloc(64, (warp_values + 63) / 64 * 64);
    cta->local_memory = aligned_alloc(64, (local + 63) / 64 * 64);
    if (cta->shared && cta->values && cta->warp_values && cta->local_memory)
        return cta;
    cta_free(cta);
    return NULL;
}

void cta_free(struct cta *cta)
{
    free(cta->shared);
    free(cta->values);
    free(cta->warp_values);
    free(cta->local_memory);
    free(cta->mbarriers);
    bulk_end(cta, true);
    for (unsigned i = 0; i < cta->warp_count; i++)
        warp_free(&cta->warps[i]);
    free(cta);
}

struct cta *cta_start(struct worker *worker, uint64_t linear, uint32_t rank)
{
    struct launch *launch = worker->launch;
    const uint32_t *grid = launch->request.grid;
    bool again = worker->idle;
    struct cta *cta = again ? worker->idle : make_cta(launch);
    if (!cta)
        return NULL;
    worker->idle = again ? cta->next : worker->idle;
    cta->seat = again ? cta->seat : worker->seats++;
    cta->worker = worker;
    cta->launch = launch;
    cta->next = NULL;
    cta->linear = linear;
    cta->rank = rank;
    cta->index[0] = (uint32_t)(linear % grid[0]);
    cta->index[1] = (uint32_t)(linear / grid[0] % grid[1]);
    cta->index[2] = (uint32_t)(linear / grid[0] / grid[1]);
    cta->shared_bytes = launch->shared_bytes;
    memset(cta->arrived, 0, sizeof cta->arrived);
    memset(cta->arrived_path, 0, sizeof cta->arrived_path);
    cta->mbarrier_count = 0;
    bulk_end(cta, true); /* drops the copies left by an earlier CTA that was stopped */
    cta->idle_polls = 0;
    cta->round = 0;
    /* The contents of new shared memory are undefined. Every CTA gets the same bytes, so that
     * execution is repeatable. */
    if (!again || launch->shared_bytes)
        memset(cta->shared, (int)(launch->memory->poison & 0xff), shared_room(launch));
    if (launch->reserved_shared) /* a GPU's driver clears this part */
        memset(cta->shared + launch->shared_bytes - RESERVED_SHARED, 0, RESERVED_SHARED);
    if (launch->own_bytes)
        memset(cta->local_memory, (int)(launch->memory->poison & 0xff),
               (size_t)launch->own_bytes * WARP * launch->warps);
    values_of_cta(cta);
    cta->again = again;
    cta->has_ended = false;
    cta->started = 0;
    const struct listener *follower = &worker->follower;
    cta->is_followed = follower->observer && follower->observer->follows(follower->state, linear);
    cta->is_watched = cta->is_followed && follower->observer->state;
    return cta;
}

/* Returns the index of the warp that starts after TURN other warps. */
static uint32_t warp_in_turn(const struct cta *cta, uint32_t turn)
{
    return cta->launch->options->backwards ? cta->warp_count - 1 - turn : turn;
}

void cta_recycle(struct cta *cta)
{
    const struct listener *follower = &cta->worker->follower;
    uint64_t executed = 0, longest = 0;
    for (uint32_t i = 0; i < cta->started; i++) {
        struct warp *warp = &cta->warps[warp_in_turn(cta, i)];
        longest = warp_path(warp) > longest ? warp_path(warp) : longest;
        executed += warp->executed;
        warp_stop(warp);
    }
    if (longest > cta->worker->longest)
        cta->worker->longest = longest;
    cta->worker->occupied += cta->started * longest;
    if (follower->observer)
        follower->observer->ended(follower->state, cta->linear, executed, longest);
    cta->next = cta->worker->idle;
    cta->worker->idle = cta;
}

/* The state of each barrier. `threads` is the number of threads that have arrived, `wanted` the
 * thread count in the barrier's instruction, or 0 if it has none, and `votes` the waiting threads'
 * votes for a reduction. Index BARRIERS is the cluster's barrier. `alive` is the number of threads
 * that have not exited. */
struct arrivals {
    uint32_t threads[BARRIERS + 1], wanted[BARRIERS + 1], alive;
    struct votes votes[BARRIERS + 1];
};

/* Returns how many threads arrive when LANES arrive. If the barrier's instruction has a thread
 * count, a whole warp counts as 32 threads, even if some of them have exited. */
static uint32_t arriving_threads(const struct warp *warp, uint32_t count, uint32_t lanes)
{
    return count && lanes == warp->alive ? WARP : (uint32_t)__builtin_popcount(lanes);
}

/* LANES_CLONES is for popcount, which is one instruction on newer CPUs and a call on older ones. */
LANES_CLONES static void count_arrivals(const struct cta *cta, struct arrivals *arrivals)
{
    memset(arrivals, 0, sizeof *arrivals);
    memcpy(arrivals->threads, cta->arrived, sizeof cta->arrived);
    for (uint32_t w = 0; w < cta->warp_count; w++) {
        const struct warp *warp = &cta->warps[w];
        arrivals->alive += (uint32_t)__builtin_popcount(warp->alive);
        for (uint32_t i = 0; i < warp->path_count; i++) {
            const struct path *path = warp->paths[i];
            if (path->state != PATH_AT_BARRIER)
                continue;
            uint32_t id = path->wait_id;
            uint32_t lanes = path->stack[0].lanes;
            arrivals->threads[id] += arriving_threads(warp, path->wait_count, lanes);
            arrivals->wanted[id] = path->wait_count;
            arrivals->votes[id].threads += (uint32_t)__builtin_popcount(lanes);
            arrivals->votes[id].yes += (uint32_t)__builtin_popcount(path->votes & lanes);
        }
    }
}

/* Reports to the observers that barrier ID opens. The CTA only counts threads that arrive without
 * waiting. So if there are such threads, the report says that all threads have arrived. */
static void report_release(struct cta *cta, uint32_t id, const struct arrivals *arrivals)
{
    uint32_t lanes[MAX_WARPS] = {0}, threads = 0;
    for (uint32_t w = 0; w < cta->warp_count; w++) {
        lanes[w] = warp_waiting_at(&cta->warps[w], id);
        threads += (uint32_t)__builtin_popcount(lanes[w]);
    }
    cta_report_order(cta,
                     (struct obs_order){.kind = OBS_BARRIER,
                                        .arrived = lanes,
                                        .whole = threads == arrivals->alive || cta->arrived[id]});
}

/* Returns the instruction with which a path polls. The path spins at PC. Its polling instruction is
 * the first possible poll that it reaches from PC if it takes every backward branch and no forward
 * branch. */
static uint32_t polling_place(const struct kernel *kernel, uint32_t pc)
{
    for (uint32_t at = pc, steps = 0; at < kernel->code_count && steps < kernel->code_count;
         steps++) {
        const struct inst *in = &kernel->code[at];
        if (in->observes && in->run != sleep_run && in->run != fence_run)
            return at;
        bool is_back = in->kind == KIND_BRANCH && in->branch.target <= at;
        at = is_back ? in->branch.target : at + 1;
    }
    return pc;
}

/* Returns the instruction at which a path waits. If this is a barrier or a warp sync, the path's pc
 * is already past it. */
static uint32_t waiting_place(const struct kernel *kernel, const struct path *path)
{
    uint32_t pc = path->stack[path->depth - 1].pc;
    if (path->state == PATH_READY)
        return path->waits_at == NOWHERE ? polling_place(kernel, pc) : path->waits_at;
    return path->state == PATH_AT_MEETING ? pc : pc - 1;
}

static void report_wait(struct warp *warp, const struct path *path, enum obs_fault_kind kind)
{
    uint32_t lanes = path->stack[0].lanes;
    warp->pc = waiting_place(warp->cta->launch->kernel, path);
    warp_mask_fault(warp, kind, (unsigned)__builtin_ctz(lanes), lanes, 0);
}

/* --- barriers --------------------------------------------------------------------------------- */

/* Returns the lanes of WARP that wait at PATH's barrier. If UNDER_WAY is true, also returns the
 * lanes that can still run. */
static uint32_t lanes_at_barrier(const struct warp *warp, const struct path *path, bool under_way)
{
    uint32_t lanes = 0;
    for (uint32_t i = 0; i < warp->path_count; i++) {
        const struct path *other = warp->paths[i];
        bool is_there = other->state == PATH_AT_BARRIER && other->barrier == path->barrier;
        if (is_there || (under_way && other->state == PATH_READY))
            lanes |= other->stack[0].lanes;
    }
    return lanes;
}

/* Reports warps that break the rule of a barrier with .aligned, such as __syncthreads(): all lanes
 * of a warp must reach the barrier. They may arrive one after another, for instance from a loop
 * that takes a lock, but none may wait elsewhere or exit instead. The check is made when no more
 * lanes can arrive: when barrier ID opens, or at a deadlock. */
static void check_warps(struct cta *cta, uint32_t id, bool under_way)
{
    for (uint32_t w = 0; w < cta->warp_count; w++) {
        struct warp *warp = &cta->warps[w];
        for (uint32_t i = 0; i < warp->path_count; i++) {
            const struct path *path = warp->paths[i];
            if (path->state != PATH_AT_BARRIER || path->wait_id != id ||
                !path->barrier->barrier.aligned ||
                !(path->expected & ~lanes_at_barrier(warp, path, under_way)))
                continue;
            uint32_t pc = warp->pc;
            report_wait(warp, path, OBS_DIVERGENT_BARRIER);
            warp->pc = pc;
        }
    }
}

/* Lengthens the paths of the warps that wait at barrier ID to the longest path that leads there.
 * Otherwise, warps could work one after another, and each would still have a short path. */
static void wait_for_latest(struct cta *cta, uint32_t id)
{
    uint64_t latest = cta->arrived_path[id];
    for (uint32_t w = 0; w < cta->warp_count; w++) {
        const struct warp *warp = &cta->warps[w];
        if (warp_waiting_at(warp, id) && warp_path(warp) > latest)
            latest = warp_path(warp);
    }
    for (uint32_t w = 0; w < cta->warp_count; w++)
        if (warp_waiting_at(&cta->warps[w], id))
            warp_lengthen_path(&cta->warps[w], latest);
}

/* Opens barrier ID, so that the threads that wait there continue. */
static void release(struct cta *cta, uint32_t id, const struct arrivals *arrivals)
{
    check_warps(cta, id, false);
    if (cta->launch->wanted & OBS_ORDER)
        report_release(cta, id, arrivals);
    wait_for_latest(cta, id);
    for (uint32_t w = 0; w < cta->warp_count; w++)
        warp_release(&cta->warps[w], id, arrivals->votes[id]);
    cta->arrived[id] = 0;
    cta->arrived_path[id] = 0;
    if (cta->is_watched)
        cta_report_state(cta, &(struct obs_state){.opened = true});
}

/* Opens each barrier at which all threads have arrived. If COUNTED is true, considers only barriers
 * whose instruction has a thread count, because other barriers also wait for warps that have not
 * started yet. Returns whether a barrier opened. */
static bool release_barriers(struct cta *cta, bool counted)
{
    struct arrivals arrivals;
    bool released = false;
    count_arrivals(cta, &arrivals);
    for (uint32_t id = 0; id < BARRIERS; id++) {
        uint32_t wanted = arrivals.wanted[id] ? arrivals.wanted[id] : arrivals.alive;
        if (!arrivals.threads[id] || arrivals.threads[id] < wanted ||
            (counted && !arrivals.wanted[id]))
            continue;
        release(cta, id, &arrivals);
        released = true;
    }
    return released;
}

/* Returns whether the warp waits at a barrier whose instruction has a thread count. */
static bool waits_at_counted(const struct warp *warp)
{
    for (uint32_t i = 0; i < warp->path_count; i++)
        if (warp->paths[i]->state == PATH_AT_BARRIER && warp->paths[i]->wait_count)
            return true;
    return false;
}

/* Makes lanes arrive at a barrier without waiting. If the barrier needs no more arrivals, all
 * threads that wait there continue. Threads that arrive later count for the barrier's next use. */
void cta_arrive(struct warp *warp, uint32_t id, uint32_t count, uint32_t lanes)
{
    struct cta *cta = warp->cta;
    struct arrivals arrivals;
    cta->arrived[id] += arriving_threads(warp, count, lanes);
    if (warp_path(warp) > cta->arrived_path[id])
        cta->arrived_path[id] = warp_path(warp);
    count_arrivals(cta, &arrivals);
    if (arrivals.threads[id] < count)
        return;
    release(cta, id, &arrivals);
}

void cta_report_deadlock(struct cta *cta)
{
    for (uint32_t id = 0; id <= CLUSTER_BARRIER; id++)
        check_warps(cta, id, true); /* threads that still poll could reach the barrier later */
    enum obs_fault_kind looks =
        standstill_sees_lent(cta->worker) ? OBS_POLLS_HOST : OBS_POLLS_FOREVER;
    for (uint32_t w = 0; w < cta->warp_count; w++) {
        struct warp *warp = &cta->warps[w];
        for (uint32_t i = 0; i < warp->path_count; i++)
            report_wait(warp, warp->paths[i],
                        warp->paths[i]->state == PATH_READY ? looks : OBS_DEADLOCK);
    }
}

/* --- the cluster's barrier -------------------------------------------------------------------- */

/* Returns a number by which observers identify the cluster's barrier in this phase. Events use it
 * instead of an mbarrier's address. */
static uint64_t place_of(const struct cta *leader, uint64_t phase)
{
    return leader->linear * 8 + (phase & 1) * 4;
}

static void report_cluster_event(struct warp *warp, enum obs_order_kind kind, uint32_t lanes,
                                 uint64_t phase)
{
    uint64_t place[WARP];
    if (!lanes || !(warp->cta->launch->wanted & OBS_ORDER))
        return;
    for (unsigned l = 0; l < WARP; l++)
        place[l] = place_of(warp->cta->cluster[0], phase);
    cta_report_order(
        warp->cta,
        (struct obs_order){
            .kind = kind, .warp = warp->index, .lanes = lanes, .place = place, .wide = true});
}

/* Reports the lanes that the cluster's barrier has released. This is not done at the release,
 * because another CTA may be running then, and a CTA's events can be reported only while that CTA
 * runs. */
static void report_cluster_release(struct cta *cta)
{
    for (uint32_t w = 0; cta->started == cta->warp_count && w < cta->warp_count; w++) {
        report_cluster_event(&cta->warps[w], OBS_WAITED, cta->warps[w].cluster_released,
                             cta->cluster[0]->phase - 1);
        cta->warps[w].cluster_released = 0;
    }
}

/* Returns whether all threads of the CTA that have not exited have arrived at the cluster's
 * barrier. Checks the last warps first, because they usually arrive last. */
static bool is_at_cluster(const struct cta *cta)
{
    if (!cta->has_ended && cta->started < cta->warp_count)
        return false;
    for (uint32_t w = cta->has_ended ? 0 : cta->warp_count; w-- > 0;)
        if (cta->warps[w].alive & ~cta->warps[w].at_cluster)
            return false;
    return true;
}

/* Opens the cluster's barrier if all threads of the cluster have arrived. Returns whether it
 * opened. */
static bool release_cluster(struct cta *cta)
{
    uint32_t size = cta->launch->cluster_size;
    for (uint32_t rank = size; rank-- > 0;)
        if (!is_at_cluster(cta->cluster[rank]))
            return false;
    struct cta *leader = cta->cluster[0];
    leader->phase++;
    leader->cluster_opened_path = leader->cluster_path;
    leader->cluster_path = 0;
    for (uint32_t rank = 0; rank < size; rank++) {
        struct cta *other = cta->cluster[rank];
        check_warps(other, CLUSTER_BARRIER, false);
        for (uint32_t w = 0; w < other->warp_count && !other->has_ended; w++) {
            struct warp *warp = &other->warps[w];
            warp->at_cluster = 0;
            uint32_t waiting = warp_waiting_at(warp, CLUSTER_BARRIER);
            warp->cluster_released |= waiting;
            if (waiting)
                warp_lengthen_path(warp, leader->cluster_opened_path);
            warp_release(warp, CLUSTER_BARRIER, (struct votes){0});
        }
        if (other->is_watched)
            cta_report_state(other, &(struct obs_state){.opened = true});
    }
    report_cluster_release(cta);
    return true;
}

void cta_arrive_at_cluster(struct warp *warp, const struct inst *inst, uint32_t lanes)
{
    uint32_t again = warp->owes_wait & lanes;
    if (again) {
        warp_fault(warp, OBS_CLUSTER_ARRIVES_TWICE, (unsigned)__builtin_ctz(again), NULL);
        launch_stop(warp->cta->launch, EMU_TRAP);
        return;
    }
    warp->owes_wait |= lanes;
    warp->at_cluster |= lanes;
    struct cta *leader = warp->cta->cluster[0];
    if (warp_path(warp) > leader->cluster_path)
        leader->cluster_path = warp_path(warp);
    if (!inst->barrier.relaxed)
        report_cluster_event(warp, OBS_ARRIVE, lanes, leader->phase);
    release_cluster(warp->cta);
}

bool cta_waits_for_cluster(struct warp *warp, uint32_t lanes)
{
    uint32_t without = lanes & ~warp->owes_wait;
    if (without) {
        warp_fault(warp, OBS_CLUSTER_WAITS_ONLY, (unsigned)__builtin_ctz(without), NULL);
        launch_stop(warp->cta->launch, EMU_TRAP);
    }
    warp->owes_wait &= ~lanes;
    if (warp->at_cluster & lanes)
        return false;
    warp_lengthen_path(warp, warp->cta->cluster[0]->cluster_opened_path);
    report_cluster_event(warp, OBS_WAITED, lanes, warp->cta->cluster[0]->phase - 1);
    return true;
}

/* --- a CTA's turn ----------------------------------------------------------------------------- */

/* Starts the next warp. A warp starts only when it is its turn to run. So warps that never wait use
 * the same memory for their registers, one after another, and this memory stays in the CPU's
 * cache. */
static bool start_warp(struct cta *cta)
{
    uint32_t index = warp_in_turn(cta, cta->started);
    bool ok = warp_start(&cta->warps[index], cta, index, cta->again);
    if (ok)
        cta->started++;
    else
        launch_stop(cta->launch, EMU_INTERNAL);
    return ok;
}

/* If the warps of a CTA only poll, the CTA is stuck after this number of polls. Without clusters,
 * only the CTA's own threads can end a wait for an mbarrier. A loop with a timeout of its own polls
 * less often. */
#define MOST_IDLE_POLLS (1u << 20)

static bool stands_still(struct cta *cta)
{
    uint64_t polls = 0;
    for (uint32_t w = 0; w < cta->warp_count; w++) {
        const struct warp *warp = &cta->warps[w];
        for (uint32_t i = 0; i < warp->path_count; i++) {
            if (warp->paths[i]->state == PATH_READY && !warp->paths[i]->is_stuck)
                return false;
            polls += warp->paths[i]->state == PATH_READY;
        }
    }
    cta->idle_polls += polls;
    return cta->idle_polls > MOST_IDLE_POLLS;
}

static bool set_free(struct cta *cta)
{
    bool any = false;
    for (uint32_t w = 0; w < cta->warp_count; w++)
        any |= warp_set_free(&cta->warps[w]);
    return any;
}

/* Returns whether other CTAs may let a CTA continue in which no warp can run. SPINS says that some
 * of its warps poll. */
static bool waits_for_others(struct cta *cta, bool spins)
{
    if (cta->launch->cluster_size == 1)
        return spins && !stands_still(cta);
    for (uint32_t w = 0; w < cta->warp_count && !spins; w++)
        spins = warp_waiting_at(&cta->warps[w], CLUSTER_BARRIER) != 0;
    return spins;
}

enum cta_end cta_run(struct cta *cta)
{
    cta->has_moved = cta->gave_way = false;
    cta->looks = 0;
    cta_report_event(cta, OBS_CTA_RUNS);
    report_cluster_release(cta);
    if (cta->is_followed)
        access_flush(cta->worker);
    for (;;) {
        bool alive = false, progress = false, spins = false, looks = false;
        for (uint32_t turn = 0; turn < cta->warp_count; turn++) {
            struct warp *warp = &cta->warps[warp_in_turn(cta, turn)];
            if (turn == cta->started) {
                if (!start_warp(cta))
                    return CTA_STOPPED;
                progress |= !warp->path_count;
                looks |= warp->looked != 0;
            }
            if (!warp->path_count)
                continue;
            uint64_t before = warp->executed, looked = warp->looked;
            warp->moved = false;
            enum warp_end end = warp_run(warp);
            looks |= warp->looked != looked;
            if (end == WARP_STOPPED)
                return CTA_STOPPED;
            alive |= end != WARP_DONE;
            progress |= waits_at_counted(warp) && release_barriers(cta, true);
            spins |= end == WARP_SPINS;
            progress |= end == WARP_SPINS ? warp->moved : warp->executed != before;
        }
        if (!alive) {
            bulk_end(cta, false);
            cta_report_event(cta, OBS_CTA_ENDS);
            return CTA_DONE;
        }
        if (release_barriers(cta, false) || release_cluster(cta) || progress || set_free(cta)) {
            cta->has_moved = true;
            cta->idle_polls = 0;
            cta->looks += looks;
            cta->gave_way = cta->looks == MOST_LOOKS;
            if (cta->gave_way)
                return CTA_WAITS;
            continue;
        }
        if (waits_for_others(cta, spins))
            return CTA_WAITS;
        cta_report_deadlock(cta);
        launch_stop(cta->launch, EMU_DEADLOCK);
        return CTA_STOPPED;
    }
}
