/* Informs gpu/order/ of the program's calls. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/cudart/graphs.h"
#include "gpu/cudart/order/parts.h"
#include "gpu/tools.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic(pthread_t) holder; /* the thread that holds the lock, or 0 if there is none */
static struct order *order;
/* number of blocking streams, and of other streams, both without the legacy default stream */
static atomic_uint blocking, others;
static atomic_uint shared;    /* number of ranges of memory that host and device share */
static atomic_uint variables; /* number of __managed__ variables */

void order_lock(void)
{
    pthread_mutex_lock(&lock);
    atomic_store(&holder, pthread_self());
}

bool order_try_lock(void)
{
    if (atomic_load(&holder) == pthread_self())
        return false;
    order_lock();
    return true;
}

void order_unlock(void)
{
    atomic_store(&holder, 0);
    pthread_mutex_unlock(&lock);
}

struct order *order_of_program(void)
{
    if (!order)
        order = order_open(order_report_work, NULL);
    return order;
}

/* --- are conflicts possible? ------------------------------------------------------------------ */

static bool is_on(void)
{
    const struct emu_options *options = rt_options();
    return options->tools & EMU_ORDERCHECK ||
           (!(options->tools & EMU_ONLY) && !options->ignores_order);
}

/* Returns whether streams can run at the same time. The work of a single stream is always ordered.
 * So is the work of a single blocking stream and the legacy default stream together. */
static bool has_concurrent_streams(void)
{
    return atomic_load(&others) > 0 || atomic_load(&blocking) > 1;
}

static enum emu_touches touches_now(void)
{
    if (!is_on())
        return EMU_TOUCHES_NONE;
    /* a __managed__ variable becomes shared memory only when the host first uses it; kernels may
     * have used it before */
    return has_concurrent_streams() || atomic_load(&variables) ? EMU_TOUCHES_ALL
           : atomic_load(&shared)                              ? EMU_TOUCHES_LENT
                                                               : EMU_TOUCHES_NONE;
}

/* Returns which accesses a launch must record. If conflicts are possible only in memory that the
 * host shares with the device, a launch whose parameters contain no pointer to such memory records
 * nothing. This works because most kernels get all their pointers as parameters. */
enum emu_touches rt_order_touches(const void *params, size_t size)
{
    enum emu_touches touches = touches_now();
    bool found = false;
    if (touches != EMU_TOUCHES_LENT)
        return touches;
    order_lock();
    for (size_t at = 0; at + sizeof(emu_addr) <= size && !found; at += sizeof(emu_addr)) {
        emu_addr address;
        memcpy(&address, (const char *)params + at, sizeof address);
        found = guard_contains(address);
    }
    order_unlock();
    return found ? touches : EMU_TOUCHES_NONE;
}

/* Takes the lock and returns true, if there may be work in flight. */
static bool enter(void)
{
    if (touches_now() == EMU_TOUCHES_NONE || !rt_device_or_null())
        return false;
    order_report_kept();
    order_lock();
    if (order_of_program())
        return true;
    order_unlock();
    return false;
}

/* Ends what enter() has begun: protects the pages that work in flight uses now, and releases the
 * lock. */
static void leave(void)
{
    guard_update();
    order_unlock();
}

/* --- streams and events ----------------------------------------------------------------------- */

static struct order_stream key_of(const struct rt_order *stream)
{
    return (struct order_stream){stream->stream, stream->is_legacy, stream->is_blocking};
}

/* Returns the order_stream of STREAM. The first time, also counts the thread's own default
 * stream. */
static struct order_stream stream_of(cudaStream_t stream)
{
    static _Thread_local bool is_counted;
    struct rt_order found = rt_stream_order(stream);
    bool is_own = found.stream > UINT64_MAX / 2; /* see rt_stream_order() */
    if (is_own && !is_counted)
        rt_order_new_stream(&found);
    is_counted |= is_own;
    return key_of(&found);
}

void rt_order_new_stream(const struct rt_order *stream)
{
    atomic_fetch_add(stream->is_blocking ? &blocking : &others, 1);
}

void rt_order_end_stream(const struct rt_order *stream)
{
    struct order_stream key = key_of(stream);
    bool may_run = false;
    if (enter()) {
        may_run = order_end_stream(order, &key);
        leave();
    }
    if (!may_run) /* otherwise, later work may still conflict with work of this stream */
        atomic_fetch_sub(stream->is_blocking ? &blocking : &others, 1);
}

void rt_order_record(cudaStream_t stream, struct order_clock *event)
{
    struct order_stream key = stream_of(stream);
    /* checked first, because finding the caller's line takes several microseconds */
    if (touches_now() == EMU_TOUCHES_NONE)
        return;
    struct emu_place place = rt_caller();
    if (!enter())
        return;
    order_record(order, &key, event);
    order_note_record(event, key.number, place);
    leave();
}

void rt_order_stream_waits(cudaStream_t stream, const struct order_clock *event)
{
    struct order_stream key = stream_of(stream);
    if (touches_now() == EMU_TOUCHES_NONE)
        return;
    struct emu_place place = rt_caller();
    if (!enter())
        return;
    order_stream_waits(order, &key, event);
    order_note_wait(event, key.number, place);
    leave();
}

void rt_order_waits_event(const struct order_clock *event)
{
    if (!enter())
        return;
    order_host_waits(order, event);
    leave();
}

void rt_order_waits_stream(cudaStream_t stream)
{
    struct order_stream key = stream_of(stream);
    if (!enter())
        return;
    order_host_waits_stream(order, &key);
    leave();
}

void rt_order_waits_all(void)
{
    if (!enter())
        return;
    order_host_waits_all(order);
    leave();
}

/* --- work ------------------------------------------------------------------------------------- */

void rt_order_open(void)
{
    if (!atomic_load(&shared))
        return;
    order_lock();
    guard_open();
    order_unlock();
}

void rt_order_close(void)
{
    if (!atomic_load(&shared))
        return;
    order_lock();
    guard_close();
    order_unlock();
}

/* Records that NOTED accesses the whole range that begins at MEMORY. */
static void touch_all(struct order_work *noted, enum order_kind kind, const void *memory)
{
    struct rt_range range;
    if (!rt_range_find(memory, &range) || !(noted->touch = malloc(sizeof *noted->touch)))
        return;
    emu_addr begin = (emu_addr)range.ptr;
    *noted->touch = (struct emu_touch){begin, begin + range.size, EMU_WRITES};
    noted->count = 1;
    noted->kind = kind;
}

static struct order_work describe(const struct rt_work *work)
{
    struct order_work described = {.kind = ORDER_WORK};
    struct emu_device *device;
    struct rt_function *function;
    const char *name = work->type == cudaGraphNodeTypeMemcpy   ? "a copy"
                       : work->type == cudaGraphNodeTypeMemset ? "a fill"
                                                               : "a host function";
    bool is_kernel = work->type == cudaGraphNodeTypeKernel;
    snprintf(described.name, sizeof described.name, "%s", name);
    if (is_kernel && rt_device(&device) == cudaSuccess &&
        rt_find_function(device, work->kernel.func, &function) == cudaSuccess) {
        char *readable = rt_readable_name(function->name);
        snprintf(described.name, sizeof described.name, "kernel %.*s",
                 readable ? (int)strcspn(readable, "(") : 0, readable ? readable : "");
        free(readable);
    }
    described.place = is_kernel ? rt_launch_place(&work->kernel) : rt_caller();
    return described;
}

void rt_order_begin(struct rt_ordered *ordered, cudaStream_t stream, const struct rt_work *work,
                    bool blocks)
{
    *ordered = (struct rt_ordered){.joins = blocks};
    ordered->stream = stream_of(stream);
    if (!enter())
        return;
    order_unlock();
    ordered->is_noted = true;
    ordered->work = describe(work);
    ordered->work.stream = ordered->stream.number;
    ordered->work.is_legacy = ordered->stream.is_legacy;
    order_lock();
    if (work->type == cudaGraphNodeTypeHost) {
        /* the accesses of a host function are not known, but it runs after earlier work */
        order_record(order, &ordered->stream, &ordered->host);
        order_set_host(order, &ordered->host);
        leave();
        return;
    }
    if (work->type == cudaGraphNodeTypeMemFree)
        touch_all(&ordered->work, ORDER_FREES, work->memory);
    ordered->opened = true;
    guard_open();
    order_unlock();
}

void rt_order_finish(void)
{
    order_report_kept();
}

/* Stores in ORDERED the memory that WORK has accessed. */
static void take_touches(struct rt_ordered *ordered, const struct rt_work *work)
{
    struct emu_device *device = rt_device_or_null();
    struct order_work *noted = &ordered->work;
    switch (work->type) {
    case cudaGraphNodeTypeKernel:
        emu_touched(device, &noted->touch, &noted->count);
        break;
    case cudaGraphNodeTypeMemcpy:
        noted->touch = rt_copy_touches(device, &work->copy, &noted->count, &ordered->joins);
        break;
    case cudaGraphNodeTypeMemset:
        noted->touch = rt_fill_touches(&work->fill, &noted->count, &ordered->joins);
        break;
    case cudaGraphNodeTypeMemAlloc:
        touch_all(noted, ORDER_ALLOCATES, work->memory);
        __attribute__((fallthrough));
    default:
        ordered->joins = false;
    }
}

/* If WORK is a graph node that records an event or waits for one, informs the order check. */
static void add_other(const struct rt_ordered *ordered, const struct rt_work *work)
{
    struct order_clock *event =
        work->type == cudaGraphNodeTypeEventRecord || work->type == cudaGraphNodeTypeWaitEvent
            ? rt_event_clock(work->event)
            : NULL;
    if (event && work->type == cudaGraphNodeTypeEventRecord)
        order_record(order, &ordered->stream, event);
    else if (event)
        order_stream_waits(order, &ordered->stream, event);
}

void rt_order_end(struct rt_ordered *ordered, const struct rt_work *work, bool has_run)
{
    if (!ordered->is_noted)
        return;
    bool is_kernel = work->type == cudaGraphNodeTypeKernel;
    bool knows = has_run && (is_kernel || rt_check_work(rt_device_or_null(), work) == cudaSuccess);
    if (knows)
        take_touches(ordered, work);
    else
        ordered->joins = false;
    order_lock();
    if (work->type == cudaGraphNodeTypeHost) {
        order_set_host(order, NULL);
        /* the function may tell the program that earlier work has ended, which is not visible
         * here */
        order_host_waits(order, &ordered->host);
        free(ordered->host.last);
    }
    add_other(ordered, work);
    order_number_work(&ordered->work);
    order_add(order, &ordered->stream, &ordered->work);
    order_note_work(ordered->stream.number);
    if (ordered->joins)
        order_host_waits_stream(order, &ordered->stream);
    if (ordered->opened)
        guard_close();
    leave();
}

/* --- memory ----------------------------------------------------------------------------------- */

void rt_order_share(const struct rt_range *range)
{
    if (!is_on())
        return;
    order_lock();
    /* if the memory is the program's own, its first and last page may contain other data */
    if (guard_add((void *)range->ptr, range->size, range->kind == RT_REGISTERED))
        atomic_fetch_add(&shared, 1);
    leave();
}

void rt_order_new_variable(void)
{
    atomic_fetch_add(&variables, 1);
}

void rt_order_unshare(const struct rt_range *range)
{
    rt_order_forget(range);
    if (!atomic_load(&shared))
        return;
    order_lock();
    guard_remove(range->ptr);
    if (guard_is_empty())
        atomic_store(&shared, 0);
    order_unlock();
}

/* Adds work to STREAM that accesses all of RANGE. */
static void add_whole(cudaStream_t stream, const struct rt_range *range, enum order_kind kind)
{
    struct order_stream key = stream_of(stream);
    if (!enter())
        return;
    order_unlock();
    struct order_work work = {.place = rt_caller()};
    touch_all(&work, kind, range->ptr);
    snprintf(work.name, sizeof work.name, "%s",
             kind == ORDER_FREES ? "cudaFreeAsync()" : "cudaMallocAsync()");
    order_lock();
    if (kind == ORDER_ALLOCATES)
        order_forget_memory(order, (emu_addr)range->ptr, range->size);
    order_number_work(&work);
    order_add(order, &key, &work);
    order_note_work(key.number);
    if (kind == ORDER_FREES)
        order_forget_memory(order, (emu_addr)range->ptr, range->size);
    leave();
}

void rt_order_allocates(cudaStream_t stream, const struct rt_range *range)
{
    add_whole(stream, range, ORDER_ALLOCATES);
}

void rt_order_frees(cudaStream_t stream, const struct rt_range *range)
{
    add_whole(stream, range, ORDER_FREES);
}

void rt_order_host_frees(const struct rt_range *range)
{
    struct order_conflict conflict;
    if (!enter())
        return;
    if (order_check_free(order, (emu_addr)range->ptr, range->size, &conflict))
        order_report_free(&conflict);
    leave();
}

void rt_order_forget(const struct rt_range *range)
{
    if (!enter())
        return;
    order_forget_memory(order, (emu_addr)range->ptr, range->size);
    leave();
}
