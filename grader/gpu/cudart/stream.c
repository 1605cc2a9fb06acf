/* Implements streams. Most work runs when the program requests it. So nearly every stream is always
 * idle, and waiting for a stream only reports faults of earlier kernels. Host functions run in the
 * calling thread. Work after a kernel that waits for main() is queued (queue.c). */
#include "gpu/cudart/graphs.h"
#include "gpu/cudart/order.h"
#include "gpu/cudart/timing.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { ATTRIBUTES = cudaLaunchAttributeMemSyncDomain + 1 };

struct CUstream_st {
    unsigned flags;
    int priority;
    unsigned long long id;
    /* the stream's part of a capture (graphs.h), or NULL if the stream is not being captured */
    struct rt_capture *capture;
    cudaLaunchAttributeValue attributes[ATTRIBUTES];
    struct CUstream_st *next;
};

enum { LEAST_PRIORITY = 0, GREATEST_PRIORITY = -5 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct CUstream_st *streams;
static unsigned long long last_id = 2; /* the default streams have the ids 1 and 2 */
static struct CUstream_st legacy = {.id = 1};
static _Thread_local struct CUstream_st per_thread = {.id = 2};

static bool is_default(cudaStream_t stream)
{
    return !stream || stream == cudaStreamLegacy || stream == cudaStreamPerThread;
}

/* Returns the pointer in the list that points to STREAM, or NULL if STREAM does not exist. The
 * caller holds the lock. */
static struct CUstream_st **find(cudaStream_t stream)
{
    for (struct CUstream_st **at = &streams; *at; at = &(*at)->next)
        if (*at == stream)
            return at;
    return NULL;
}

cudaError_t rt_check_stream(cudaStream_t stream)
{
    if (is_default(stream))
        return cudaSuccess;
    pthread_mutex_lock(&lock);
    bool live = find(stream) != NULL;
    pthread_mutex_unlock(&lock);
    return live ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

cudaError_t rt_stream_device(cudaStream_t stream, struct emu_device **device)
{
    cudaError_t error = rt_device(device);
    return error == cudaSuccess ? rt_check_stream(stream) : error;
}

/* Returns the stream with the handle STREAM, or NULL if it does not exist. The caller holds the
 * lock. */
static struct CUstream_st *live(cudaStream_t stream)
{
    if (stream == cudaStreamPerThread || (!stream && rt_default_is_per_thread()))
        return &per_thread;
    if (is_default(stream))
        return &legacy;
    return find(stream) ? stream : NULL;
}

struct rt_capture **rt_stream_capture(cudaStream_t stream)
{
    pthread_mutex_lock(&lock);
    struct CUstream_st *found = live(stream);
    pthread_mutex_unlock(&lock);
    return found && found != &legacy ? &found->capture : NULL;
}

struct rt_order rt_stream_order(cudaStream_t stream)
{
    static atomic_uint_fast64_t threads;
    /* number of this thread's default stream, which differs from the ids of all streams */
    static _Thread_local uint64_t own;
    pthread_mutex_lock(&lock);
    const struct CUstream_st *found = live(stream);
    struct rt_order order = {.stream = found ? found->id : 0,
                             .is_legacy = found == &legacy,
                             .is_blocking = found && !(found->flags & cudaStreamNonBlocking)};
    if (found == &per_thread && !own)
        own = UINT64_MAX - atomic_fetch_add(&threads, 1);
    if (found == &per_thread)
        order.stream = own;
    pthread_mutex_unlock(&lock);
    return order;
}

int rt_stream_priority(int wanted)
{
    return wanted > LEAST_PRIORITY      ? LEAST_PRIORITY
           : wanted < GREATEST_PRIORITY ? GREATEST_PRIORITY
                                        : wanted;
}

static cudaError_t create(cudaStream_t *stream, unsigned flags, int priority)
{
    struct emu_device *device;
    cudaError_t error = rt_device(&device);
    if (error != cudaSuccess)
        return error;
    if (!stream || (flags != cudaStreamDefault && flags != cudaStreamNonBlocking))
        return cudaErrorInvalidValue;
    struct CUstream_st *created = malloc(sizeof *created);
    if (!created)
        return cudaErrorMemoryAllocation;
    *created = (struct CUstream_st){.flags = flags, .priority = rt_stream_priority(priority)};
    pthread_mutex_lock(&lock);
    created->id = ++last_id;
    created->next = streams;
    streams = created;
    pthread_mutex_unlock(&lock);
    *stream = created;
    struct rt_order order = rt_stream_order(created);
    rt_order_new_stream(&order);
    return cudaSuccess;
}

cudaError_t cudaStreamCreate(cudaStream_t *stream)
{
    return rt_return(create(stream, cudaStreamDefault, LEAST_PRIORITY));
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags)
{
    return rt_return(create(stream, flags, LEAST_PRIORITY));
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned flags, int priority)
{
    return rt_return(create(stream, flags, priority));
}

cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest)
{
    RT_CALLED();
    if (least)
        *least = LEAST_PRIORITY;
    if (greatest)
        *greatest = GREATEST_PRIORITY;
    return cudaSuccess;
}

cudaError_t rt_stream_new(cudaStream_t *stream)
{
    return create(stream, cudaStreamNonBlocking, LEAST_PRIORITY);
}

cudaError_t rt_stream_free(cudaStream_t stream)
{
    struct emu_device *device;
    cudaError_t error = rt_device(&device);
    if (error != cudaSuccess)
        return error;
    struct rt_order order = rt_stream_order(stream);
    pthread_mutex_lock(&lock);
    struct CUstream_st **at = is_default(stream) ? NULL : find(stream);
    if (at)
        *at = stream->next;
    pthread_mutex_unlock(&lock);
    if (!at)
        return cudaErrorInvalidResourceHandle;
    rt_order_end_stream(&order);
    if (stream->capture)
        rt_capture_forget(stream->capture);
    free(stream);
    return cudaSuccess;
}

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    return rt_return(rt_stream_free(stream));
}

/* --- waiting ---------------------------------------------------------------------------------- */

/* Fails if STREAM is being captured. Its work has not run then, so no call can wait for it. */
static cudaError_t check(cudaStream_t stream)
{
    cudaError_t error = rt_check_stream(stream);
    return error == cudaSuccess && rt_is_capturing(stream) ? rt_capture_invalidate(stream) : error;
}

static void note_wait(cudaStream_t stream)
{
    rt_order_waits_stream(stream);
    rt_time_waits_stream(stream);
}

static cudaError_t wait_for(cudaStream_t stream)
{
    struct emu_device *device;
    cudaError_t error = rt_wait_stream(stream, &device);
    if (error == cudaSuccess)
        error = check(stream);
    if (error == cudaSuccess)
        note_wait(stream);
    return error;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    return rt_return(wait_for(stream));
}

static cudaError_t query(cudaStream_t stream)
{
    struct emu_device *device;
    bool busy = rt_is_stream_busy(stream);
    cudaError_t error = rt_surface_fault(&device);
    if (error == cudaSuccess)
        error = check(stream);
    if (error == cudaSuccess && !busy)
        note_wait(stream);
    return error == cudaSuccess && busy ? cudaErrorNotReady : error;
}

cudaError_t cudaStreamQuery(cudaStream_t stream)
{
    return rt_return(query(stream));
}

/* --- properties of a stream ------------------------------------------------------------------- */

static cudaError_t get_info(cudaStream_t stream, const void *result, struct CUstream_st *info)
{
    if (!result)
        return cudaErrorInvalidValue;
    pthread_mutex_lock(&lock);
    struct CUstream_st *found = live(stream);
    if (found)
        *info = *found;
    pthread_mutex_unlock(&lock);
    return found ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned *flags)
{
    struct CUstream_st info;
    cudaError_t error = get_info(stream, flags, &info);
    if (error == cudaSuccess)
        *flags = info.flags;
    return rt_return(error);
}

cudaError_t cudaStreamGetPriority(cudaStream_t stream, int *priority)
{
    struct CUstream_st info;
    cudaError_t error = get_info(stream, priority, &info);
    if (error == cudaSuccess)
        *priority = info.priority;
    return rt_return(error);
}

cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long *id)
{
    struct CUstream_st info;
    cudaError_t error = get_info(stream, id, &info);
    if (error == cudaSuccess)
        *id = info.id;
    return rt_return(error);
}

cudaError_t cudaStreamGetDevice(cudaStream_t stream, int *device)
{
    struct CUstream_st info;
    cudaError_t error = get_info(stream, device, &info);
    if (error == cudaSuccess)
        *device = 0;
    return rt_return(error);
}

/* --- attributes: hints, which are only stored ------------------------------------------------- */

static bool is_attribute(cudaLaunchAttributeID id)
{
    return id == cudaLaunchAttributeAccessPolicyWindow ||
           id == cudaLaunchAttributeSynchronizationPolicy || id == cudaLaunchAttributePriority ||
           id == cudaLaunchAttributeMemSyncDomainMap || id == cudaLaunchAttributeMemSyncDomain;
}

cudaError_t cudaStreamSetAttribute(cudaStream_t stream, cudaLaunchAttributeID id,
                                   const cudaLaunchAttributeValue *value)
{
    if (!value || !is_attribute(id))
        return rt_return(cudaErrorInvalidValue);
    pthread_mutex_lock(&lock);
    struct CUstream_st *found = live(stream);
    if (found)
        found->attributes[id] = *value;
    if (found && id == cudaLaunchAttributePriority)
        found->priority = value->priority;
    pthread_mutex_unlock(&lock);
    return rt_return(found ? cudaSuccess : cudaErrorInvalidResourceHandle);
}

cudaError_t cudaStreamGetAttribute(cudaStream_t stream, cudaLaunchAttributeID id,
                                   cudaLaunchAttributeValue *value)
{
    struct CUstream_st info;
    cudaError_t error = get_info(stream, value, &info);
    if (error == cudaSuccess && !is_attribute(id))
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess)
        *value = info.attributes[id];
    if (error == cudaSuccess && id == cudaLaunchAttributePriority)
        value->priority = info.priority;
    return rt_return(error);
}

cudaError_t cudaStreamCopyAttributes(cudaStream_t to, cudaStream_t from)
{
    pthread_mutex_lock(&lock);
    struct CUstream_st *target = live(to), *source = live(from);
    if (target && source)
        memcpy(target->attributes, source->attributes, sizeof target->attributes);
    pthread_mutex_unlock(&lock);
    return rt_return(target && source ? cudaSuccess : cudaErrorInvalidResourceHandle);
}

/* --- host functions --------------------------------------------------------------------------- */

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *data)
{
    struct rt_work work = {.type = cudaGraphNodeTypeHost, .host = {function, data}};
    if (!function)
        return rt_return(cudaErrorInvalidValue);
    return rt_return(rt_submit(stream, &work));
}

struct callback {
    cudaStream_t stream;
    cudaStreamCallback_t function;
    void *data;
};

static void run_callback(void *argument)
{
    struct callback callback = *(struct callback *)argument;
    free(argument);
    callback.function(callback.stream, rt_fault_error(), callback.data);
}

/* Calls a callback. A callback runs even after a kernel's fault, and gets the fault's error as an
 * argument. A host function does not. */
static cudaError_t call_back(cudaStream_t stream, cudaStreamCallback_t callback, void *data)
{
    struct emu_device *device;
    cudaError_t error = rt_stream_device(stream, &device);
    if (error != cudaSuccess)
        return error;
    if (rt_is_capturing(stream))
        return rt_capture_invalidate(stream);
    struct callback *kept = malloc(sizeof *kept);
    if (!kept)
        return cudaErrorMemoryAllocation;
    *kept = (struct callback){stream, callback, data};
    struct rt_work work = {.type = cudaGraphNodeTypeHost, .host = {run_callback, kept}};
    if (!rt_faulted())
        return rt_queue(device, stream, &work);
    run_callback(kept);
    return cudaSuccess;
}

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void *data,
                                  unsigned flags)
{
    if (!callback || flags)
        return rt_return(cudaErrorInvalidValue);
    return rt_return(call_back(stream, callback, data));
}
