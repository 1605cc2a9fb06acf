/* Runs a launch. Workers, which are CPU threads, take CTAs in order and run them. At the end, the
 * workers' totals and the observers' states are joined.
 *
 * If a CTA waits for other CTAs, its worker continues with the next CTA and returns to the waiting
 * CTA later. The number of CTAs that have started and not ended is at most what the virtual GPU can
 * hold. When all remaining CTAs wait for the host, the launch is parked: its workers leave their
 * CTAs as they are and continue with them later. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/execute/access.h"
#include "gpu/execute/heartbeat.h"
#include "gpu/execute/path.h"
#include "gpu/execute/schedule.h"
#include "gpu/execute/standstill.h"
#include "gpu/execute/values.h"

/* Returns whether observer I of the launch still gets WORKER's events. A serial observer is one
 * that needs a single worker. It gets no events after the watch (see launch.h), and has no state
 * for a worker that joins then. */
static bool is_seen(const struct worker *worker, unsigned i)
{
    const struct launch *launch = worker->launch;
    return worker->observer_state[i] && !(launch->watch_is_over && launch->observers[i]->is_serial);
}

static void report_fault(struct warp *warp, struct obs_fault fault, unsigned lane)
{
    struct cta *cta = warp->cta;
    struct launch *launch = cta->launch;
    const uint32_t *block = launch->request.block;
    uint32_t thread = warp->index * WARP + lane;
    fault.pc = warp->pc;
    fault.thread[0] = thread % block[0];
    fault.thread[1] = thread / block[0] % block[1];
    fault.thread[2] = thread / block[0] / block[1];
    memcpy(fault.cta, cta->index, sizeof fault.cta);
    for (unsigned i = 0; i < launch->observer_count; i++)
        if (launch->observers[i]->events & OBS_FAULT && is_seen(cta->worker, i))
            launch->observers[i]->fault(cta->worker->observer_state[i], &launch->view, &fault);
}

/* Returns the distance in bytes from each active lane's address to the next lane's. Returns 0 if
 * there is only one active lane or the distances differ. */
static int64_t distance_of(const struct obs_access *access)
{
    int64_t distance = 0;
    for (unsigned l = 1; l < WARP; l++) {
        int64_t here = (int64_t)(access->addr[l] - access->addr[l - 1]);
        if ((access->mask >> (l - 1) & 3) != 3)
            continue;
        if (distance && here != distance)
            return 0;
        distance = here;
    }
    return distance;
}

static uint64_t highest_of(const struct obs_access *access)
{
    uint64_t highest = 0;
    for (unsigned l = 0; l < WARP; l++)
        if (access->mask >> l & 1 && access->addr[l] > highest)
            highest = access->addr[l];
    return highest;
}

void warp_fault(struct warp *warp, enum obs_fault_kind kind, unsigned lane,
                const struct obs_access *access)
{
    struct obs_fault fault = {.kind = (uint8_t)kind};
    if (access) {
        fault.access = access->kind;
        fault.space = access->space;
        fault.bytes = access->bytes;
        fault.addr = access->addr[lane];
        fault.apart = distance_of(access);
        fault.highest = highest_of(access);
        fault.other = access->space == PTX_CLUSTER ? access->rank : 0;
    }
    report_fault(warp, fault, lane);
}

void warp_mask_fault(struct warp *warp, enum obs_fault_kind kind, unsigned lane, uint32_t mask,
                     unsigned other)
{
    report_fault(warp, (struct obs_fault){.kind = (uint8_t)kind, .mask = mask, .other = other},
                 lane);
}

void warp_interrupt_fault(struct warp *warp, unsigned lane)
{
    report_fault(warp, (struct obs_fault){.kind = OBS_INTERRUPTED, .executed = warp->executed},
                 lane);
}

void cta_report_order(const struct cta *cta, struct obs_order order)
{
    const struct launch *launch = cta->launch;
    if (!(launch->wanted & OBS_ORDER))
        return;
    order.cta = cta->linear;
    order.seat = cta->seat;
    order.shared = cta->shared;
    for (unsigned i = 0; i < launch->observer_count; i++)
        if (launch->observers[i]->events & OBS_ORDER && is_seen(cta->worker, i))
            launch->observers[i]->order(cta->worker->observer_state[i], &order);
}

void cta_report_event(const struct cta *cta, enum obs_order_kind kind)
{
    if (cta->launch->wanted & OBS_ORDER)
        cta_report_order(cta, (struct obs_order){.kind = kind});
}

/* --- workers ---------------------------------------------------------------------------------- */

#define PARTS_OF_A_WORKER 16u /* least number of times that a worker takes clusters */
#define MOST_AT_A_TIME    32u /* clusters */

static uint64_t cluster_count(const struct launch *launch)
{
    return launch->cta_count / launch->cluster_size;
}

/* Returns the number of clusters that a worker takes at a time. Neighbouring CTAs often access the
 * same lines of memory, so a worker takes several. But it takes only clusters that it can start
 * even if those before them wait, and leaves enough for the other workers. */
static uint64_t clusters_at_a_time(const struct worker *worker)
{
    const struct launch *launch = worker->launch;
    uint64_t count = cluster_count(launch) / (launch->workers * PARTS_OF_A_WORKER);
    uint64_t room = launch->resident / launch->cluster_size - worker->waiting;
    count = count < room ? count : room;
    count = count < MOST_AT_A_TIME ? count : MOST_AT_A_TIME;
    bool waits = atomic_load_explicit(&launch->has_waited, memory_order_relaxed);
    return waits || !count ? 1 : count;
}

static struct cta *next_cluster(struct worker *worker)
{
    struct launch *launch = worker->launch;
    if (worker->next_cluster == worker->end_cluster) {
        uint64_t count = clusters_at_a_time(worker);
        worker->next_cluster = atomic_fetch_add(&launch->next_cluster, count);
        worker->end_cluster = worker->next_cluster + count;
    }
    uint64_t unit = worker->next_cluster++;
    if (unit >= cluster_count(launch) || atomic_load(&launch->stopping))
        return NULL;
    if (launch->options->backwards)
        unit = cluster_count(launch) - 1 - unit;
    struct cta *leader = cluster_start(worker, unit);
    if (!leader)
        launch_stop(launch, EMU_INTERNAL);
    return leader;
}

static bool has_room(const struct worker *worker)
{
    return worker->waiting * worker->launch->cluster_size < worker->launch->resident;
}

static void add(struct worker *worker, struct cta *leader)
{
    leader->next = NULL;
    *worker->last = leader;
    worker->last = &leader->next;
    worker->waiting++;
}

/* Ends the cluster that *PLACE points to. */
static void end(struct worker *worker, struct cta **place)
{
    struct cta *leader = *place;
    *place = leader->next;
    worker->last = worker->last == &leader->next ? place : worker->last;
    worker->turn = worker->turn == &leader->next ? place : worker->turn;
    worker->waiting--;
    if (atomic_load_explicit(&worker->launch->has_waited, memory_order_relaxed))
        atomic_fetch_add_explicit(&worker->launch->ended, 1, memory_order_relaxed);
    if (atomic_load(&leader->launch->is_stuck))
        cluster_report_deadlock(leader);
    cluster_recycle(leader);
}

/* Returns whether the oldest cluster gets an extra turn. A cluster usually waits for an older
 * cluster. So when any cluster has ended, the oldest waiting cluster may be able to continue and
 * gets an extra turn. It gets at most every second turn. */
static bool is_turn_of_oldest(struct worker *worker)
{
    if (!worker->first)
        return false;
    uint64_t ended = atomic_load_explicit(&worker->launch->ended, memory_order_relaxed);
    worker->is_ahead = !worker->is_ahead && ended != worker->ended;
    worker->ended = worker->is_ahead ? ended : worker->ended;
    return worker->is_ahead;
}

/* Chooses the cluster that runs next and returns the list's link to it. Starts a new cluster if
 * possible, and otherwise takes a cluster that has waited. Returns NULL if there is neither. */
static struct cta **take_turn(struct worker *worker)
{
    if (is_turn_of_oldest(worker))
        return &worker->first;
    if (worker->may_begin && has_room(worker)) {
        struct cta **place = worker->last;
        struct cta *leader = next_cluster(worker);
        worker->may_begin = leader;
        if (leader) {
            add(worker, leader);
            return place;
        }
    }
    if (!*worker->turn)
        worker->turn = &worker->first;
    return worker->first ? worker->turn : NULL;
}

static bool has_work(const struct worker *worker)
{
    return worker->may_begin || worker->first;
}

/* Records that LEADER's cluster has only spun in its turn. Returns whether all clusters that have
 * started have only spun in this round. */
static bool all_have_spun(struct worker *worker, struct cta *leader)
{
    worker->spinning += leader->round != worker->round;
    leader->round = worker->round;
    return worker->spinning >= worker->waiting && (!worker->may_begin || !has_room(worker));
}

static void begin_round(struct worker *worker)
{
    worker->round++;
    worker->spinning = 0;
}

/* Returns whether the watch is over but the other workers have not joined yet. */
static bool must_widen(const struct launch *launch)
{
    return launch->watch_is_over && launch->workers < launch->most_workers;
}

/* Runs clusters, which nearly always have one CTA. A cluster that waits for others gets further
 * turns later. New clusters start as long as the virtual GPU can hold them. */
static void run_clusters(struct worker *worker)
{
    struct launch *launch = worker->launch;
    begin_round(worker);
    while (has_work(worker) && !atomic_load(&launch->is_parked) && !must_widen(launch)) {
        struct cta **place = take_turn(worker);
        if (!place)
            continue;
        if (cluster_run(*place) == CTA_WAITS) {
            atomic_store(&launch->has_waited, true);
            worker->turn = worker->turn == place ? &(*place)->next : worker->turn;
            if (all_have_spun(worker, *place)) {
                standstill_look(worker);
                begin_round(worker);
            }
        } else {
            end(worker, place);
            standstill_forget(worker);
            begin_round(worker);
        }
        worker->may_begin &= !atomic_load(&launch->stopping);
        while (worker->first && atomic_load(&launch->stopping))
            end(worker, &worker->first);
    }
}

static void *worker_main(void *argument)
{
    struct worker *worker = argument;
    run_clusters(worker);
    if (has_work(worker)) /* the launch is parked, or its watch is over */
        return NULL;
    standstill_leave(worker);
    access_flush(worker);
    while (worker->idle) {
        struct cta *cta = worker->idle;
        worker->idle = cta->next;
        cta_free(cta);
    }
    frames_free(worker);
    free(worker->sectors);
    signals_free(worker->signals);
    return NULL;
}

static void add_listeners(struct worker *worker, enum obs_event event)
{
    const struct launch *launch = worker->launch;
    for (unsigned i = 0; i < launch->observer_count; i++)
        if (launch->observers[i]->events & event && is_seen(worker, i))
            worker->listener[worker->listeners[1]++] =
                (struct listener){launch->observers[i], worker->observer_state[i]};
}

static void listen(struct worker *worker)
{
    worker->listeners[1] = 0;
    add_listeners(worker, OBS_ACCESS);
    worker->listeners[0] = worker->listeners[1];
    add_listeners(worker, OBS_WRITE);
}

static void forget_patterns(struct worker *worker)
{
    access_flush(worker);
    for (uint32_t pc = 0; pc <= worker->launch->kernel->code_count; pc++) {
        worker->patterns[pc].mask = worker->patterns[pc].ready = 0;
        worker->patterns[pc].block = NULL;
    }
}

void launch_end_watch(struct worker *worker)
{
    forget_patterns(worker);
    worker->launch->watch_is_over = true;
    listen(worker);
}

static struct pattern *make_patterns(const struct kernel *kernel)
{
    size_t count = (size_t)kernel->code_count + 1;
    struct pattern *patterns = aligned_alloc(_Alignof(struct pattern), count * sizeof *patterns);
    /* the other fields need no initial value, because they are set before they are read */
    for (size_t i = 0; patterns && i < count; i++) {
        patterns[i].mask = patterns[i].ready = 0;
        patterns[i].times = patterns[i].series_count = patterns[i].latest.times = 0;
        patterns[i].serial = patterns[i].stretch = 0;
        patterns[i].answer = OBS_DONE;
        patterns[i].block = NULL;
    }
    return patterns;
}

static struct quad *make_quads(const struct kernel *kernel)
{
    size_t count = (size_t)kernel->quad_count + 1;
    struct quad *quads = aligned_alloc(_Alignof(struct quad), count * sizeof *quads);
    for (size_t i = 0; quads && i < count; i++)
        quads[i].stretch = 0;
    return quads;
}

/* Aligned like struct worker: the first entry is written whenever a warp starts. */
static struct profile *make_profile(const struct kernel *kernel)
{
    size_t bytes = ((size_t)kernel->code_count + 1) * sizeof(struct profile);
    bytes = (bytes + _Alignof(struct worker) - 1) & ~(_Alignof(struct worker) - 1);
    struct profile *profile = aligned_alloc(_Alignof(struct worker), bytes);
    return profile ? memset(profile, 0, bytes) : NULL;
}

static bool worker_open(struct worker *worker, struct launch *launch)
{
    *worker = (struct worker){.launch = launch, .may_begin = true};
    worker->last = worker->turn = &worker->first;
    worker->profile = make_profile(launch->kernel);
    worker->patterns = make_patterns(launch->kernel);
    worker->quads = make_quads(launch->kernel);
    bool ok = worker->profile && worker->patterns && worker->quads;
    for (unsigned i = 0; i < launch->observer_count; i++) {
        if (launch->watch_is_over && launch->observers[i]->is_serial)
            continue;
        worker->observer_state[i] = launch->observers[i]->begin(&launch->view);
        ok &= worker->observer_state[i] != NULL;
    }
    for (unsigned i = 0; i < launch->observer_count; i++)
        if (launch->observers[i]->events & OBS_STEP)
            worker->follower = (struct listener){launch->observers[i], worker->observer_state[i]};
    listen(worker);
    return ok;
}

/* Starts WORKER's thread. If this fails, the other workers run all CTAs. But if the launch was
 * parked and WORKER still has CTAs that it began or took earlier, the launch must stop. */
static bool start_worker(pthread_t *thread, struct worker *worker)
{
    if (pthread_create(thread, NULL, worker_main, worker) == 0)
        return true;
    worker->may_begin = false;
    if (worker->first || worker->next_cluster != worker->end_cluster)
        launch_stop(worker->launch, EMU_INTERNAL);
    else
        standstill_leave(worker);
    return false;
}

static void run_workers(struct worker *workers, unsigned count)
{
    pthread_t threads[EMU_MAX_WORKERS];
    bool started[EMU_MAX_WORKERS] = {false};
    for (unsigned i = 1; i < count; i++)
        started[i] = has_work(&workers[i]) && start_worker(&threads[i], &workers[i]);
    if (has_work(&workers[0]))
        worker_main(&workers[0]);
    for (unsigned i = 1; i < count; i++) {
        if (started[i])
            pthread_join(threads[i], NULL);
        else if (has_work(&workers[i]))
            /* start_worker() has failed, so this call only ends the worker's CTAs */
            worker_main(&workers[i]);
    }
}

/* --- begin, run and end ----------------------------------------------------------------------- */

void launch_begin(struct launch *launch, unsigned count)
{
    struct worker *workers = aligned_alloc(_Alignof(struct worker), count * sizeof *workers);
    bool ok = workers && values_of_launch(launch);
    launch->workers = !workers ? 0 : launch->watch_limit ? 1 : count;
    launch->most_workers = workers ? count : 0;
    launch->pool = workers;
    for (unsigned i = 0; i < launch->workers; i++)
        ok &= worker_open(&workers[i], launch);
    if (ok)
        return;
    launch_stop(launch, EMU_INTERNAL);
    for (unsigned i = 0; i < launch->workers; i++)
        workers[i].may_begin = false;
}

/* Lets the other workers join if the watch is over. Returns whether they do. */
static bool widen(struct launch *launch)
{
    bool ok = true;
    if (!must_widen(launch))
        return false;
    while (launch->workers < launch->most_workers)
        ok &= worker_open(&launch->pool[launch->workers++], launch);
    if (!ok)
        launch_stop(launch, EMU_INTERNAL);
    return true;
}

static bool any_has_work(const struct launch *launch)
{
    bool any = false;
    for (unsigned i = 0; i < launch->workers; i++)
        any |= has_work(&launch->pool[i]);
    return any;
}

/* Runs the launch until it is complete or parked. If a worker stops the launch after other workers
 * have parked, the loop runs once more, so that the others end their CTAs. */
bool launch_go(struct launch *launch)
{
    bool left = any_has_work(launch);
    heartbeat_begin(launch);
    for (bool first = true; left && (widen(launch) || first || atomic_load(&launch->stopping));
         first = false) {
        for (unsigned i = 0; i < launch->workers; i++)
            if (has_work(&launch->pool[i]))
                standstill_forget(&launch->pool[i]);
        atomic_store(&launch->is_still, false);
        atomic_store(&launch->is_parked, false);
        run_workers(launch->pool, launch->workers);
        left = any_has_work(launch);
    }
    heartbeat_end();
    launch->goes_on = true;
    return !left;
}

enum emu_status launch_end(struct launch *launch)
{
    if (launch->workers)
        launch_join_workers(launch, launch->pool, launch->workers);
    free(launch->pool);
    free(launch->values);
    launch->values = NULL;
    return (enum emu_status)atomic_load(&launch->status);
}

void launch_forget_memory(struct launch *launch)
{
    for (unsigned w = 0; w < launch->workers; w++) {
        struct worker *worker = &launch->pool[w];
        forget_patterns(worker);
        for (unsigned i = 0; i < launch->observer_count; i++)
            if (launch->observers[i]->forget_memory && is_seen(worker, i))
                launch->observers[i]->forget_memory(worker->observer_state[i]);
    }
}

uint64_t launch_changes(const struct launch *launch)
{
    uint64_t changes = 0;
    for (unsigned i = 0; i < launch->workers; i++)
        changes += standstill_changes(&launch->pool[i]);
    return changes;
}

bool launch_sees_lent(const struct launch *launch)
{
    for (unsigned i = 0; i < launch->workers; i++) {
        const struct pattern *patterns = launch->pool[i].patterns;
        for (uint32_t pc = 0; pc < launch->kernel->code_count; pc++)
            if (patterns[pc].block && patterns[pc].block->is_lent)
                return true;
    }
    return false;
}
