/* Manages the queue of unfinished work. Most work runs when the program requests it, and is never
 * queued. But a launch can be parked, that is, suspended (device.h), if all its threads poll memory
 * that main() or another stream will write later. Then the launch becomes an item of this queue,
 * and so does all later work that must wait for it, in the program's order:
 *
 *     kernel<<<..., a>>>         parked
 *     cudaMemcpyAsync(..., a)    waits for the kernel, which is before it in stream a
 *     cudaEventRecord(e, a)      waits for the copy
 *     cudaStreamWaitEvent(b, e)  waits until e is recorded
 *     cudaMemcpyAsync(..., b)    waits for the event, too; in a stream c it would run now
 *
 * A parked launch is resumed during later API calls. A call that waits for an item resumes all
 * items again and again. If no item makes progress and the program has no other thread, no item
 * ever will. Then the launch ends as a deadlock.
 *
 * main() can write to managed and page-locked memory without an API call. So while a parked launch
 * polls such memory, a thread (the poller) resumes the launch regularly, with pauses that grow
 * while the launch makes no progress. */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "gpu/cudart/graphs.h"
#include "gpu/cudart/order.h"
#include "gpu/cudart/timing.h"

struct item {
    struct rt_order order;
    struct rt_work work; /* a copy that belongs to the item, with all data that it points to */
    uint64_t id;
    uint64_t waits_for;       /* id of an item that must finish before this one, or 0 */
    uint64_t launch;          /* for a parked launch: its number on the device; for other items 0 */
    bool sees_lent, is_still; /* for a parked launch: as in struct emu_parked */
    bool is_running;          /* a thread is calling the item's host function */
    /* for a copy: the source's contents at the time of the API call, or NULL if they are not
     * needed */
    char *bytes;
    struct item *next;
};

/* the minimum and the maximum time between two polls, in nanoseconds */
#define SHORTEST_PAUSE 20000
#define LONGEST_PAUSE  1000000

#define MOST_PASSES    16 /* a call that does not wait resumes all items at most this many times */

#ifdef LANEWISE_EMULATED
#define FOREIGN_THREADS 1u /* qemu-user has one in each process */
#else
#define FOREIGN_THREADS 0u
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t launch_parked = PTHREAD_COND_INITIALIZER;
static struct item *first, **last = &first;
static atomic_uint count;
static uint64_t last_id;
static atomic_bool has_poller; /* whether a thread runs poll_launches() */

/* Returns whether the queue is empty, which is nearly always so. Returns true in a forked child,
 * where the device cannot be used. */
static bool is_empty(void)
{
    return !atomic_load(&count) || !rt_device_or_null();
}

static void sleep_for(long nanoseconds)
{
    nanosleep(&(struct timespec){.tv_nsec = nanoseconds}, NULL);
}

/* Returns whether the program has only one thread. Returns false if the number of threads is
 * unknown. */
static bool is_single_threaded(void)
{
    struct stat tasks; /* st_nlink counts ".", ".." and one entry per thread */
    return stat("/proc/self/task", &tasks) == 0 &&
           tasks.st_nlink == 3u + FOREIGN_THREADS + atomic_load(&has_poller);
}

bool rt_waits_alone(void)
{
    return !is_empty() && is_single_threaded();
}

/* --- the list --------------------------------------------------------------------------------- */

static bool comes_before(const struct item *item, struct rt_order order)
{
    return item->order.stream == order.stream || (item->order.is_legacy && order.is_blocking) ||
           (item->order.is_blocking && order.is_legacy);
}

static struct item *find(uint64_t id)
{
    struct item *item = id ? first : NULL;
    while (item && item->id != id)
        item = item->next;
    return item;
}

/* Returns the first item before END that must finish before work with ORDER can run. Returns NULL
 * if there is none. If END is NULL, searches all items. */
static struct item *find_before(struct rt_order order, const struct item *end)
{
    struct item *item = first;
    while (item != end && !comes_before(item, order))
        item = item->next;
    return item == end ? NULL : item;
}

static bool may_run(const struct item *item)
{
    return !item->is_running && !find(item->waits_for) && !find_before(item->order, item);
}

static struct item *append(struct rt_order order, const struct rt_work *work)
{
    struct item *item = calloc(1, sizeof *item);
    if (!item)
        return NULL;
    *item = (struct item){.order = order, .work = *work, .id = ++last_id};
    *last = item;
    last = &item->next;
    atomic_fetch_add(&count, 1);
    return item;
}

static void remove_item(struct item *item)
{
    struct item **at = &first;
    while (*at != item)
        at = &(*at)->next;
    *at = item->next;
    last = item->next ? last : at;
    atomic_fetch_sub(&count, 1);
    rt_work_free(&item->work);
    free(item->bytes);
    free(item);
}

/* --- the poller: a thread that resumes parked launches ---------------------------------------- */

static bool any_sees_lent(void)
{
    const struct item *item = first;
    while (item && !(item->launch && item->sees_lent))
        item = item->next;
    return item != NULL;
}

static long next_pause(long pause, bool progress)
{
    if (progress)
        return SHORTEST_PAUSE;
    return pause < LONGEST_PAUSE / 2 ? 2 * pause : LONGEST_PAUSE;
}

static bool resume_items(enum emu_patience patience);

static void *poll_launches(void *nothing)
{
    long pause = SHORTEST_PAUSE;
    pthread_mutex_lock(&lock);
    for (;;) {
        while (!any_sees_lent())
            pthread_cond_wait(&launch_parked, &lock);
        struct timespec before, after;
        clock_gettime(CLOCK_MONOTONIC, &before);
        bool progress = resume_items(EMU_POLL);
        clock_gettime(CLOCK_MONOTONIC, &after);
        pthread_mutex_unlock(&lock);
        long took = (after.tv_sec - before.tv_sec) * 1000000000 + after.tv_nsec - before.tv_nsec;
        pause = next_pause(pause, progress);
        sleep_for(took > pause ? (took < 100 * LONGEST_PAUSE ? took : 100 * LONGEST_PAUSE) : pause);
        pthread_mutex_lock(&lock);
    }
    return nothing;
}

/* Starts the poller. Blocks all signals in it, so that the program's own threads get them. */
static void start_poller(void)
{
    pthread_t thread;
    sigset_t all, mask;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &mask);
    atomic_store(&has_poller, pthread_create(&thread, NULL, poll_launches, NULL) == 0);
    if (atomic_load(&has_poller))
        pthread_detach(thread);
    pthread_sigmask(SIG_SETMASK, &mask, NULL);
}

/* Updates ITEM after the device has parked its launch. Returns whether the launch has made
 * progress, or could make progress without a change of memory. */
static bool note_parked(struct emu_device *device, struct item *item)
{
    struct emu_parked parked = emu_parked(device);
    item->launch = parked.launch;
    item->sees_lent = parked.sees_lent;
    item->is_still = parked.is_still;
    if (parked.sees_lent && !atomic_load(&has_poller))
        start_poller();
    pthread_cond_signal(&launch_parked);
    return parked.has_changed || !parked.is_still;
}

/* --- resuming items --------------------------------------------------------------------------- */

/* Removes all items after a kernel's fault, because queued work does not run then. */
static void drop_all(struct emu_device *device)
{
    struct item *item = first;
    while (item) {
        struct item *next = item->next;
        if (item->launch)
            emu_abandon(device, item->launch);
        if (!item->is_running)
            remove_item(item);
        item = next;
    }
}

static void call_function(struct item *item)
{
    item->is_running = true;
    pthread_mutex_unlock(&lock);
    item->work.host.fn(item->work.host.userData);
    pthread_mutex_lock(&lock);
}

/* Resumes ITEM, which must not depend on other items. Returns whether it has made progress, or
 * could make progress without a change of memory. */
static bool resume(struct emu_device *device, struct item *item, enum emu_patience patience)
{
    cudaError_t error = cudaSuccess;
    if (item->launch) {
        enum emu_status status = emu_go_on(device, item->launch, patience);
        if (status == EMU_PARKED)
            return note_parked(device, item);
        item->launch = 0;
        error = rt_end_launch(device, &item->work.kernel, status);
    } else if (item->work.type == cudaGraphNodeTypeHost) {
        call_function(item);
    } else {
        error = rt_run(device, &item->work);
        if (error == cudaErrorNotReady)
            return note_parked(device, item);
    }
    if (error != cudaSuccess)
        rt_fault(error);
    else
        rt_time_work(device, item->order, &item->work, false);
    remove_item(item);
    return true;
}

/* Resumes once each item that does not depend on another one. Returns whether any item has made
 * progress. The caller holds the lock. The lock is released while a host function runs, so the list
 * may be different afterwards. */
static bool resume_items(enum emu_patience patience)
{
    struct emu_device *device = rt_device_or_null();
    bool progress = false;
    rt_order_open();
    for (struct item *item = first, *next; item && !rt_faulted(); item = next) {
        bool calls = item->work.type == cudaGraphNodeTypeHost;
        next = item->next;
        if (!may_run(item))
            continue;
        progress |= resume(device, item, patience);
        if (calls)
            next = first;
    }
    rt_order_close();
    if (rt_faulted())
        drop_all(device);
    return progress;
}

static void resume_all(void)
{
    for (unsigned i = 0; i < MOST_PASSES && resume_items(EMU_POLL); i++)
        ;
}

void rt_resume_parked(void)
{
    if (is_empty())
        return;
    pthread_mutex_lock(&lock);
    resume_all();
    pthread_mutex_unlock(&lock);
}

/* --- waiting ---------------------------------------------------------------------------------- */

/* The items that a call waits for: one item (ID), the items that work with ORDER must wait for
 * (ORDER), or all items ({0}). */
struct awaited {
    uint64_t id;
    const struct rt_order *order;
};

static bool is_queued(const struct awaited *awaited)
{
    if (awaited->id)
        return find(awaited->id);
    return awaited->order ? find_before(*awaited->order, NULL) != NULL : first != NULL;
}

static bool any_is_running(void)
{
    const struct item *item = first;
    while (item && !item->is_running)
        item = item->next;
    return item != NULL;
}

/* Ends the parked launches with a deadlock. Called if no item makes progress, and no other thread
 * of the program can change that. */
static void end_deadlock(void)
{
    struct emu_device *device = rt_device_or_null();
    for (struct item *item = first, *next; item; item = next) {
        next = item->next;
        if (!item->launch)
            continue;
        resume(device, item, EMU_FINISH);
        if (!rt_faulted()) /* the launch ended without an error */
            return;
    }
    drop_all(device);
}

static void wait_for(struct awaited awaited)
{
    if (is_empty())
        return;
    long pause = SHORTEST_PAUSE;
    pthread_mutex_lock(&lock);
    while (is_queued(&awaited)) {
        bool progress = resume_items(EMU_WAIT), alone = is_single_threaded() && !any_is_running();
        if (!progress && alone && is_queued(&awaited)) {
            end_deadlock();
            continue;
        }
        pause = next_pause(pause, progress);
        if (alone)
            continue;
        /* lets other threads run, because this thread may wait for their work */
        pthread_mutex_unlock(&lock);
        sleep_for(pause);
        pthread_mutex_lock(&lock);
    }
    pthread_mutex_unlock(&lock);
}

void rt_finish_all(void)
{
    wait_for((struct awaited){0});
}

void rt_finish_stream(cudaStream_t stream)
{
    struct rt_order order = rt_stream_order(stream);
    wait_for((struct awaited){.order = &order});
}

void rt_finish_item(uint64_t id)
{
    if (id)
        wait_for((struct awaited){.id = id});
}

static bool ask(struct awaited awaited)
{
    if (is_empty())
        return false;
    pthread_mutex_lock(&lock);
    resume_all();
    bool queued = is_queued(&awaited);
    pthread_mutex_unlock(&lock);
    return queued;
}

bool rt_is_stream_busy(cudaStream_t stream)
{
    struct rt_order order = rt_stream_order(stream);
    return ask((struct awaited){.order = &order});
}

bool rt_is_item_queued(uint64_t id)
{
    return id && ask((struct awaited){.id = id});
}

/* --- the program's end ------------------------------------------------------------------------ */

/* Closes the queue after main() has ended. Finishes the launches that were only waiting for main(),
 * and abandons those that would never end. */
static void close_queue(void)
{
    struct emu_device *device = rt_device_or_null();
    if (!device || is_empty())
        return;
    pthread_mutex_lock(&lock);
    resume_all();
    for (bool more = true; more && first && !rt_faulted();) {
        struct item *item = first;
        while (item && !(item->launch && item->is_still))
            item = item->next;
        more = item != NULL;
        if (item)
            resume(device, item, EMU_FINISH);
        resume_items(EMU_POLL);
    }
    drop_all(device);
    pthread_mutex_unlock(&lock);
}

/* Registers close_queue(). This must happen as late as the first parked launch, so that
 * close_queue() runs before the handlers that unregister the program's kernels. */
static void close_at_exit(void)
{
    atexit(close_queue);
}

/* --- queueing --------------------------------------------------------------------------------- */

/* If a copy's source is host memory that is not page-locked, stores its bytes in ITEM, because a
 * GPU also reads such memory during the call. */
static cudaError_t keep_bytes(struct emu_device *device, struct item *item)
{
    struct cudaMemcpy3DParms *copy = &item->work.copy;
    if (!rt_copies_from_pageable(device, copy))
        return cudaSuccess;
    size_t pitch = copy->srcPtr.pitch, rows = copy->srcPtr.ysize;
    size_t begin = copy->srcPos.x + pitch * (copy->srcPos.y + rows * copy->srcPos.z);
    size_t size = (copy->extent.depth - 1) * pitch * rows + (copy->extent.height - 1) * pitch +
                  rt_copy_width(copy);
    item->bytes = malloc(size + 1);
    if (!item->bytes)
        return cudaErrorMemoryAllocation;
    memcpy(item->bytes, (char *)copy->srcPtr.ptr + begin, size);
    copy->srcPtr.ptr = item->bytes;
    copy->srcPos = (struct cudaPos){0};
    return cudaSuccess;
}

/* Appends a copy of WORK to the queue. Sets *ITEM to the new item, or to NULL on failure. The
 * caller holds the lock. */
static cudaError_t put(struct emu_device *device, struct rt_order order, const struct rt_work *work,
                       struct item **item)
{
    struct rt_work own;
    *item = NULL;
    cudaError_t error = rt_work_copy(&own, work);
    if (error != cudaSuccess)
        return error;
    *item = append(order, &own);
    if (!*item) {
        rt_work_free(&own);
        return cudaErrorMemoryAllocation;
    }
    error = work->type == cudaGraphNodeTypeMemcpy ? keep_bytes(device, *item) : cudaSuccess;
    if (error != cudaSuccess) {
        remove_item(*item);
        *item = NULL;
    }
    return error;
}

/* Queues the launch that the device has just parked. */
static cudaError_t put_parked(struct emu_device *device, struct rt_order order,
                              const struct rt_work *work)
{
    static pthread_once_t asked = PTHREAD_ONCE_INIT;
    struct rt_work own = *work;
    own.kernel.args = NULL;
    pthread_once(&asked, close_at_exit);
    pthread_mutex_lock(&lock);
    struct item *item = append(order, &own);
    if (item)
        note_parked(device, item);
    pthread_mutex_unlock(&lock);
    if (!item) /* without an item, the launch cannot be resumed later, so it must end now */
        return rt_end_launch(device, &own.kernel,
                             emu_go_on(device, emu_parked(device).launch, EMU_FINISH));
    return cudaSuccess;
}

/* Queues WORK if it must wait for an item. Returns whether it was queued. On failure, sets
 * *ERROR. */
static bool put_behind(struct emu_device *device, struct rt_order order, const struct rt_work *work,
                       cudaError_t *error)
{
    struct item *item;
    pthread_mutex_lock(&lock);
    resume_all();
    bool waits = find_before(order, NULL) && !rt_faulted();
    if (waits)
        *error = put(device, order, work, &item);
    pthread_mutex_unlock(&lock);
    return waits;
}

/* Does the same as rt_queue(). Sets *IS_ALONE to whether the work has run while no launch was
 * parked. */
static cudaError_t run_or_put(struct emu_device *device, cudaStream_t stream,
                              const struct rt_work *work, bool *is_alone)
{
    struct rt_order order = rt_stream_order(stream);
    cudaError_t error = cudaSuccess;
    bool others = !is_empty();
    if (others && (error = rt_check_work(device, work)) != cudaSuccess)
        return error;
    if (others && work->type == cudaGraphNodeTypeMemcpy &&
        rt_copies_to_pageable(device, &work->copy))
        /* the real runtime also waits before such a copy */
        wait_for((struct awaited){.order = &order});
    if (others && put_behind(device, order, work, &error))
        return error;
    if (rt_faulted())
        return cudaSuccess;
    error = rt_run(device, work);
    *is_alone = !others && error == cudaSuccess;
    if (error == cudaSuccess)
        rt_time_work(device, order, work, false);
    if (error == cudaErrorNotReady)
        error = put_parked(device, order, work);
    rt_resume_parked();
    return error;
}

cudaError_t rt_queue(struct emu_device *device, cudaStream_t stream, const struct rt_work *work)
{
    struct rt_ordered ordered;
    bool is_alone = false;
    rt_order_begin(&ordered, stream, work, false);
    cudaError_t error = run_or_put(device, stream, work, &is_alone);
    rt_order_end(&ordered, work, is_alone);
    return error;
}

uint64_t rt_queue_record(cudaStream_t stream, cudaEvent_t event)
{
    struct rt_work work = {.type = cudaGraphNodeTypeEventRecord, .event = event};
    struct rt_order order = rt_stream_order(stream);
    struct item *item = NULL;
    if (is_empty())
        return 0;
    pthread_mutex_lock(&lock);
    resume_all();
    if (find_before(order, NULL) && !rt_faulted())
        item = append(order, &work);
    uint64_t id = item ? item->id : 0;
    pthread_mutex_unlock(&lock);
    return id;
}

cudaError_t rt_queue_wait(cudaStream_t stream, uint64_t id, cudaEvent_t event)
{
    struct rt_work work = {.type = cudaGraphNodeTypeWaitEvent, .event = event};
    struct rt_order order = rt_stream_order(stream);
    struct item *item = NULL;
    pthread_mutex_lock(&lock);
    bool waits = find(id);
    if (waits && (item = append(order, &work)))
        item->waits_for = id;
    pthread_mutex_unlock(&lock);
    return waits && !item ? cudaErrorMemoryAllocation : cudaSuccess;
}
