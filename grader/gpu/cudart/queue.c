/* What streams have yet to do. Work is done when it is queued, and then there is nothing here. But a launch may
 * be parked (device.h): its threads wait for what main(), or another stream, is still to do. Then it is kept here,
 * and behind it, in the order in which the program asked for them, all things that must come later:
 *
 *     kernel<<<..., a>>>        parked                    <- goes on at the calls that follow, when something
 *     cudaMemcpyAsync(..., a)   behind it in its stream      waits for it, and when main() may have written
 *     cudaEventRecord(e, a)     the same                     where the kernel looks
 *     cudaStreamWaitEvent(b, e) waits for that one
 *     cudaMemcpyAsync(..., b)   behind it; one in c would be done at once
 *
 * Whoever waits for some of it lets everything go on as far as it can. If then nothing has moved, and the program
 * has no other thread, nothing ever will: the launch is ended as a deadlock.
 *
 * Memory that main() shares with kernels changes without any call. So as long as a parked launch has looked at
 * some, a thread looks after it. It sleeps longer and longer while that is in vain. */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "gpu/cudart/graphs.h"

struct item {
    struct rt_order order;
    struct rt_work work;      /* its own */
    uint64_t name;            /* by which others wait for it */
    uint64_t waits_for;       /* the name of one that must be done before; or 0 */
    uint64_t launch;          /* of a parked launch; or 0 */
    bool sees_lent, is_still; /* what is known of that: see struct emu_parked */
    bool is_called;           /* a host function, which runs now, in some thread */
    char *bytes; /* the program's, as they were when it asked for a copy of them; or NULL */
    struct item *next;
};

#define SHORTEST_SLEEP 20000 /* nanoseconds between two looks */
#define LONGEST_SLEEP  1000000
#define MOST_PASSES    16 /* at a call that does not wait */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t news = PTHREAD_COND_INITIALIZER;
static struct item *first, **last = &first;
static atomic_uint count;
static uint64_t names;
static atomic_bool has_looker; /* the thread */

/* As nearly always. A forked child has no device. */
static bool is_empty(void)
{
    return !atomic_load(&count) || !rt_recorder();
}

static void sleep_for(long nanoseconds)
{
    nanosleep(&(struct timespec){.tv_nsec = nanoseconds}, NULL);
}

/* Who cannot tell says no. */
bool rt_is_alone(void)
{
    struct stat tasks; /* ".", ".." and one for each thread */
    return stat("/proc/self/task", &tasks) == 0 && tasks.st_nlink == 3u + atomic_load(&has_looker);
}

/* --- the list ---------------------------------------------------------------------------------------- */

static bool comes_before(const struct item *item, struct rt_order order)
{
    return item->order.stream == order.stream || (item->order.is_legacy && order.is_blocking) ||
           (item->order.is_blocking && order.is_legacy);
}

static struct item *find(uint64_t name)
{
    struct item *item = name ? first : NULL;
    while (item && item->name != name)
        item = item->next;
    return item;
}

/* The first item that work in ORDER would have to wait for, of those before END (NULL: of all). */
static struct item *find_before(struct rt_order order, const struct item *end)
{
    struct item *item = first;
    while (item != end && !comes_before(item, order))
        item = item->next;
    return item == end ? NULL : item;
}

static bool may_run(const struct item *item)
{
    return !item->is_called && !find(item->waits_for) && !find_before(item->order, item);
}

static struct item *append(struct rt_order order, const struct rt_work *work)
{
    struct item *item = calloc(1, sizeof *item);
    if (!item)
        return NULL;
    *item = (struct item){.order = order, .work = *work, .name = ++names};
    *last = item;
    last = &item->next;
    atomic_fetch_add(&count, 1);
    return item;
}

static void take_out(struct item *item)
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

/* --- looking after launches --------------------------------------------------------------------------- */

static bool any_sees_lent(void)
{
    const struct item *item = first;
    while (item && !(item->launch && item->sees_lent))
        item = item->next;
    return item != NULL;
}

static bool pass(enum emu_patience patience);

static void *look_after(void *nothing)
{
    long pause = SHORTEST_SLEEP;
    pthread_mutex_lock(&lock);
    for (;;) {
        while (!any_sees_lent())
            pthread_cond_wait(&news, &lock);
        struct timespec before, after;
        clock_gettime(CLOCK_MONOTONIC, &before);
        bool moved = pass(EMU_LOOK);
        clock_gettime(CLOCK_MONOTONIC, &after);
        pthread_mutex_unlock(&lock);
        long took = (after.tv_sec - before.tv_sec) * 1000000000 + after.tv_nsec - before.tv_nsec;
        pause = moved ? SHORTEST_SLEEP : pause < LONGEST_SLEEP / 2 ? 2 * pause : LONGEST_SLEEP;
        sleep_for(took > pause ? (took < 100 * LONGEST_SLEEP ? took : 100 * LONGEST_SLEEP) : pause);
        pthread_mutex_lock(&lock);
    }
    return nothing;
}

/* The program's signals are for its own threads. */
static void start_looker(void)
{
    pthread_t thread;
    sigset_t all, mask;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &mask);
    atomic_store(&has_looker, pthread_create(&thread, NULL, look_after, NULL) == 0);
    if (atomic_load(&has_looker))
        pthread_detach(thread);
    pthread_sigmask(SIG_SETMASK, &mask, NULL);
}

/* The device has parked the item's launch (again). True: it may be on its way to somewhere. */
static bool note_parked(struct emu_device *device, struct item *item)
{
    struct emu_parked parked = emu_parked(device);
    item->launch = parked.launch;
    item->sees_lent = parked.sees_lent;
    item->is_still = parked.is_still;
    if (parked.sees_lent && !atomic_load(&has_looker))
        start_looker();
    pthread_cond_signal(&news);
    return parked.has_changed || !parked.is_still;
}

/* --- going on ----------------------------------------------------------------------------------------- */

/* After a fault nothing more is done. */
static void drop_all(struct emu_device *device)
{
    struct item *item = first;
    while (item) {
        struct item *next = item->next;
        if (item->launch)
            emu_abandon(device, item->launch);
        if (!item->is_called)
            take_out(item);
        item = next;
    }
}

static void call_function(struct item *item)
{
    item->is_called = true;
    pthread_mutex_unlock(&lock);
    item->work.host.fn(item->work.host.userData);
    pthread_mutex_lock(&lock);
}

/* Lets an item go on that may. True if it has, or may be on its way to its end. */
static bool step(struct emu_device *device, struct item *item, enum emu_patience patience)
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
    take_out(item);
    return true;
}

/* Lets all that may go on, once. True if something has moved. The lock is held, but for host functions: then
 * the list may be another one afterwards. */
static bool pass(enum emu_patience patience)
{
    struct emu_device *device = rt_recorder();
    bool moved = false;
    for (struct item *item = first, *next; item && !rt_faulted(); item = next) {
        bool calls = item->work.type == cudaGraphNodeTypeHost;
        next = item->next;
        if (!may_run(item))
            continue;
        moved |= step(device, item, patience);
        if (calls)
            next = first;
    }
    if (rt_faulted())
        drop_all(device);
    return moved;
}

static void settle(void)
{
    for (unsigned i = 0; i < MOST_PASSES && pass(EMU_LOOK); i++)
        ;
}

void rt_settle(void)
{
    if (is_empty())
        return;
    pthread_mutex_lock(&lock);
    settle();
    pthread_mutex_unlock(&lock);
}

/* --- waiting ------------------------------------------------------------------------------------------ */

/* What somebody waits for: one item, all in the way of ORDER, or all. */
struct awaited {
    uint64_t name;
    const struct rt_order *order;
};

static bool is_left(const struct awaited *awaited)
{
    if (awaited->name)
        return find(awaited->name);
    return awaited->order ? find_before(*awaited->order, NULL) != NULL : first != NULL;
}

static bool any_is_called(void)
{
    const struct item *item = first;
    while (item && !item->is_called)
        item = item->next;
    return item != NULL;
}

/* Nothing moves, and nobody is left who could change that. */
static void end_deadlock(void)
{
    struct emu_device *device = rt_recorder();
    for (struct item *item = first, *next; item; item = next) {
        next = item->next;
        if (!item->launch)
            continue;
        step(device, item, EMU_FINISH);
        if (!rt_faulted()) /* it has ended after all */
            return;
    }
    drop_all(device);
}

static void wait_for(struct awaited awaited)
{
    if (is_empty())
        return;
    long pause = SHORTEST_SLEEP;
    pthread_mutex_lock(&lock);
    while (is_left(&awaited)) {
        bool moved = pass(EMU_WAIT), alone = rt_is_alone() && !any_is_called();
        if (!moved && alone && is_left(&awaited)) {
            end_deadlock();
            continue;
        }
        pause = moved ? SHORTEST_SLEEP : pause < LONGEST_SLEEP / 2 ? 2 * pause : LONGEST_SLEEP;
        if (alone)
            continue;
        pthread_mutex_unlock(&lock); /* another thread may have what this one waits for */
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

void rt_finish_item(uint64_t name)
{
    if (name)
        wait_for((struct awaited){.name = name});
}

static bool ask(struct awaited awaited)
{
    if (is_empty())
        return false;
    pthread_mutex_lock(&lock);
    settle();
    bool left = is_left(&awaited);
    pthread_mutex_unlock(&lock);
    return left;
}

bool rt_is_stream_busy(cudaStream_t stream)
{
    struct rt_order order = rt_stream_order(stream);
    return ask((struct awaited){.order = &order});
}

bool rt_is_item_left(uint64_t name)
{
    return name && ask((struct awaited){.name = name});
}

/* --- the program's end ---------------------------------------------------------------------------------- */

/* main() does nothing any more. Who does not wait for it, but goes on and on, is not waited for. */
static void close_queue(void)
{
    struct emu_device *device = rt_recorder();
    if (!device || is_empty())
        return;
    pthread_mutex_lock(&lock);
    settle();
    for (bool moved = true; moved && first && !rt_faulted();) {
        struct item *item = first;
        while (item && !(item->launch && item->is_still))
            item = item->next;
        moved = item != NULL;
        if (item)
            step(device, item, EMU_FINISH);
        pass(EMU_LOOK);
    }
    drop_all(device);
    pthread_mutex_unlock(&lock);
}

/* Behind the handlers that know the program's kernels. */
static void close_at_exit(void)
{
    atexit(close_queue);
}

/* --- queueing ----------------------------------------------------------------------------------------- */

/* A copy of what is not page-locked takes its bytes at once, as in the real runtime. */
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

/* Queues a copy of WORK behind the others, with the lock held. *ITEM is NULL if that fails. */
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
        take_out(*item);
        *item = NULL;
    }
    return error;
}

/* Keeps the launch that the device has just parked. */
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
    if (!item) /* it cannot be told to go on: it must end now */
        return rt_end_launch(device, &own.kernel,
                             emu_go_on(device, emu_parked(device).launch, EMU_FINISH));
    return cudaSuccess;
}

/* Puts the work behind what it must wait for. False: there is nothing. */
static bool put_behind(struct emu_device *device, struct rt_order order, const struct rt_work *work,
                       cudaError_t *error)
{
    struct item *item;
    pthread_mutex_lock(&lock);
    settle();
    bool waits = find_before(order, NULL) && !rt_faulted();
    if (waits)
        *error = put(device, order, work, &item);
    pthread_mutex_unlock(&lock);
    return waits;
}

cudaError_t rt_queue(struct emu_device *device, cudaStream_t stream, const struct rt_work *work)
{
    struct rt_order order = rt_stream_order(stream);
    cudaError_t error = cudaSuccess;
    bool others = !is_empty();
    if (others && (error = rt_check_work(device, work)) != cudaSuccess)
        return error;
    if (others && work->type == cudaGraphNodeTypeMemcpy &&
        rt_copies_to_pageable(device, &work->copy))
        wait_for((struct awaited){.order = &order}); /* nor does the real runtime return before */
    if (others && put_behind(device, order, work, &error))
        return error;
    if (rt_faulted())
        return cudaSuccess;
    error = rt_run(device, work);
    if (error == cudaErrorNotReady)
        error = put_parked(device, order, work);
    rt_settle();
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
    settle();
    if (find_before(order, NULL) && !rt_faulted())
        item = append(order, &work);
    uint64_t name = item ? item->name : 0;
    pthread_mutex_unlock(&lock);
    return name;
}

cudaError_t rt_queue_wait(cudaStream_t stream, uint64_t name)
{
    struct rt_work work = {.type = cudaGraphNodeTypeEmpty};
    struct rt_order order = rt_stream_order(stream);
    struct item *item = NULL;
    pthread_mutex_lock(&lock);
    bool waits = find(name);
    if (waits && (item = append(order, &work)))
        item->waits_for = name;
    pthread_mutex_unlock(&lock);
    return waits && !item ? cudaErrorMemoryAllocation : cudaSuccess;
}
