/* Implements events. Recording an event succeeds once all earlier work in its stream has ended.
 * This is during the call of cudaEventRecord(), unless the work waits in queue.c. The times of
 * records come from the host's clock, and each is later than the previous one. So differences of
 * times measure the emulator, not a GPU, unless the program runs with predicted time (timing.h). */
#include "gpu/cudart/graphs.h"
#include "gpu/cudart/order.h"
#include "gpu/cudart/timing.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

/* A flag of this library, in addition to CUDA's flags such as cudaEventDisableTiming: the event is
 * between two nodes of a graph. */
#define OF_A_GRAPH 0x80000000u

struct CUevent_st {
    unsigned flags;
    uint64_t nanoseconds; /* time at which the event was recorded last, or 0 */
    /* id in queue.c of the latest recording of the event, or 0 if it was not queued */
    uint64_t record;
    struct rt_mark mark;      /* if the latest recording was captured: the stream's last nodes */
    struct order_clock clock; /* the work before the latest recording (gpu/order/order.h) */
    struct CUevent_st *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct CUevent_st *events;

/* Returns the pointer in the list that points to EVENT, or NULL if EVENT does not exist. The caller
 * holds the lock. */
static struct CUevent_st **find(cudaEvent_t event)
{
    for (struct CUevent_st **at = &events; *at; at = &(*at)->next)
        if (*at == event)
            return at;
    return NULL;
}

static bool is_live(cudaEvent_t event)
{
    pthread_mutex_lock(&lock);
    bool live = event && find(event);
    pthread_mutex_unlock(&lock);
    return live;
}

/* Returns the current time in nanoseconds, or the previous result plus 1 if this is later. The
 * caller holds the lock. */
static uint64_t next_time(void)
{
    static uint64_t latest;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    uint64_t nanoseconds = now.tv_sec * 1000000000ull + now.tv_nsec;
    latest = nanoseconds > latest ? nanoseconds : latest + 1;
    return latest;
}

static cudaError_t make(cudaEvent_t *event, unsigned flags)
{
    struct CUevent_st *created = calloc(1, sizeof *created);
    if (!created)
        return cudaErrorMemoryAllocation;
    created->flags = flags;
    pthread_mutex_lock(&lock);
    created->next = events;
    events = created;
    pthread_mutex_unlock(&lock);
    *event = created;
    return cudaSuccess;
}

static cudaError_t create(cudaEvent_t *event, unsigned flags)
{
    enum { KNOWN = cudaEventBlockingSync | cudaEventDisableTiming | cudaEventInterprocess };
    struct emu_device *device;
    cudaError_t error = rt_device(&device);
    if (error != cudaSuccess)
        return error;
    if (!event || (flags & ~KNOWN))
        return cudaErrorInvalidValue;
    if (flags & cudaEventInterprocess && !(flags & cudaEventDisableTiming))
        return cudaErrorInvalidValue;
    return make(event, flags);
}

cudaError_t rt_event_new(cudaEvent_t *event)
{
    return make(event, cudaEventDisableTiming | OF_A_GRAPH);
}

bool rt_event_is_of_graph(cudaEvent_t event)
{
    return is_live(event) && event->flags & OF_A_GRAPH;
}

cudaError_t cudaEventCreate(cudaEvent_t *event)
{
    return rt_return(create(event, cudaEventDefault));
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags)
{
    return rt_return(create(event, flags));
}

cudaError_t rt_event_free(cudaEvent_t event)
{
    struct emu_device *device;
    cudaError_t error = rt_device(&device);
    if (error != cudaSuccess)
        return error;
    pthread_mutex_lock(&lock);
    struct CUevent_st **at = find(event);
    if (at)
        *at = event->next;
    pthread_mutex_unlock(&lock);
    if (!at)
        return cudaErrorInvalidResourceHandle;
    rt_mark_free(&event->mark);
    rt_time_event(EMU_STEP_FORGET, (struct rt_order){0}, event);
    free(event->clock.last);
    free(event);
    return cudaSuccess;
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    return rt_return(rt_event_free(event));
}

cudaError_t rt_event_record(cudaEvent_t event)
{
    pthread_mutex_lock(&lock);
    struct CUevent_st **at = event ? find(event) : NULL;
    if (at) {
        event->nanoseconds = next_time();
        rt_mark_free(&event->mark);
    }
    pthread_mutex_unlock(&lock);
    return at ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

struct order_clock *rt_event_clock(cudaEvent_t event)
{
    return is_live(event) ? &event->clock : NULL;
}

bool rt_event_is_shared(cudaEvent_t event)
{
    return is_live(event) && event->flags & cudaEventInterprocess;
}

cudaError_t rt_event_record_in(cudaEvent_t event, cudaStream_t stream)
{
    struct emu_device *device;
    cudaError_t error = rt_stream_device(stream, &device);
    if (error != cudaSuccess)
        return error;
    if (!is_live(event))
        return cudaErrorInvalidResourceHandle;
    if (rt_is_capturing(stream))
        return rt_capture_mark(stream, &event->mark);
    rt_order_record(stream, &event->clock);
    event->record = rt_queue_record(stream, event);
    if (event->record)
        return cudaSuccess;
    rt_time_event(EMU_STEP_RECORD, rt_stream_order(stream), event);
    return rt_event_record(event);
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    return rt_return(rt_event_record_in(event, stream));
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned flags)
{
    if (flags != cudaEventRecordDefault && flags != cudaEventRecordExternal)
        return rt_return(cudaErrorInvalidValue);
    return rt_return(rt_event_record_in(event, stream));
}

static uint64_t record_of(cudaEvent_t event)
{
    return is_live(event) ? event->record : 0;
}

static cudaError_t check(cudaEvent_t event)
{
    if (!is_live(event))
        return cudaErrorInvalidResourceHandle;
    return rt_mark_is_live(&event->mark) ? cudaErrorCapturedEvent : cudaSuccess;
}

static void note_wait(cudaEvent_t event)
{
    rt_order_waits_event(&event->clock);
    rt_time_event(EMU_STEP_HOST_EVENT, (struct rt_order){0}, event);
}

static cudaError_t wait_for(cudaEvent_t event)
{
    struct emu_device *device;
    rt_finish_item(record_of(event));
    cudaError_t error = rt_surface_fault(&device);
    if (error == cudaSuccess)
        error = check(event);
    if (error == cudaSuccess)
        note_wait(event);
    return error;
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    return rt_return(wait_for(event));
}

static cudaError_t query(cudaEvent_t event)
{
    struct emu_device *device;
    bool left = rt_is_item_queued(record_of(event));
    cudaError_t error = rt_surface_fault(&device);
    if (error == cudaSuccess)
        error = check(event);
    if (error == cudaSuccess && !left)
        note_wait(event);
    return error == cudaSuccess && left ? cudaErrorNotReady : error;
}

cudaError_t cudaEventQuery(cudaEvent_t event)
{
    return rt_return(query(event));
}

static bool keeps_time(cudaEvent_t event)
{
    return find(event) && event->nanoseconds && !(event->flags & cudaEventDisableTiming);
}

static cudaError_t elapsed(float *milliseconds, cudaEvent_t start, cudaEvent_t end)
{
    struct emu_device *device;
    if (!milliseconds)
        return cudaErrorInvalidValue;
    bool left = rt_is_item_queued(record_of(start)) || rt_is_item_queued(record_of(end));
    cudaError_t error = rt_surface_fault(&device);
    if (error != cudaSuccess || left)
        return error != cudaSuccess ? error : cudaErrorNotReady;
    /* A GPU would return cudaErrorNotReady until the work before both events has ended. So the
     * host's accesses after this call are ordered after that work. */
    if (is_live(start) && is_live(end)) {
        note_wait(start);
        note_wait(end);
    }
    pthread_mutex_lock(&lock);
    bool valid = keeps_time(start) && keeps_time(end);
    if (valid)
        *milliseconds = (int64_t)(end->nanoseconds - start->nanoseconds) * 1e-6f;
    pthread_mutex_unlock(&lock);
    if (valid)
        rt_time_between(start, end, milliseconds);
    return valid ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t end)
{
    return rt_return(elapsed(milliseconds, start, end));
}

cudaError_t rt_stream_waits(cudaStream_t stream, cudaEvent_t event)
{
    struct emu_device *device;
    cudaError_t error = rt_stream_device(stream, &device);
    if (error != cudaSuccess)
        return error;
    if (!is_live(event))
        return cudaErrorInvalidResourceHandle;
    error = rt_capture_join(stream, &event->mark);
    if (error != cudaSuccess || rt_is_capturing(stream))
        return error;
    rt_order_stream_waits(stream, &event->clock);
    if (rt_is_item_queued(event->record))
        return rt_queue_wait(stream, event->record, event);
    rt_time_event(EMU_STEP_WAIT, rt_stream_order(stream), event);
    return cudaSuccess;
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags)
{
    if (flags != cudaEventWaitDefault && flags != cudaEventWaitExternal)
        return rt_return(cudaErrorInvalidValue);
    return rt_return(rt_stream_waits(stream, event));
}
