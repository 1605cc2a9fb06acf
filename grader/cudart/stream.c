/* Streams. Work is done when it is queued, so every stream is always idle: a stream is a name, and
 * waiting for one means hearing of the faults of the kernels before. */
#include "cudart/rt.h"

#include <pthread.h>
#include <stdlib.h>

struct CUstream_st {
    unsigned flags;
    int priority;
    unsigned long long id;
    struct CUstream_st *next;
};

enum { LEAST_PRIORITY = 0, GREATEST_PRIORITY = -5 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct CUstream_st *streams;
static unsigned long long last_id = 2; /* 1 and 2 are the default streams */

static bool is_default(cudaStream_t stream)
{
    return !stream || stream == cudaStreamLegacy || stream == cudaStreamPerThread;
}

/* Where STREAM hangs in the list, with the lock held; NULL if it is not a live one. */
static struct CUstream_st **find(cudaStream_t stream)
{
    for (struct CUstream_st **at = &streams; *at; at = &(*at)->next)
        if (*at == stream)
            return at;
    return NULL;
}

cudaError_t rt_stream(cudaStream_t stream)
{
    if (is_default(stream))
        return cudaSuccess;
    pthread_mutex_lock(&lock);
    bool live = find(stream) != NULL;
    pthread_mutex_unlock(&lock);
    return live ? cudaSuccess : cudaErrorInvalidResourceHandle;
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
    if (priority > LEAST_PRIORITY)
        priority = LEAST_PRIORITY;
    if (priority < GREATEST_PRIORITY)
        priority = GREATEST_PRIORITY;
    *created = (struct CUstream_st){.flags = flags, .priority = priority};
    pthread_mutex_lock(&lock);
    created->id = ++last_id;
    created->next = streams;
    streams = created;
    pthread_mutex_unlock(&lock);
    *stream = created;
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
    if (least)
        *least = LEAST_PRIORITY;
    if (greatest)
        *greatest = GREATEST_PRIORITY;
    return cudaSuccess;
}

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    struct emu_device *device;
    cudaError_t error = rt_device(&device);
    if (error != cudaSuccess)
        return rt_return(error);
    pthread_mutex_lock(&lock);
    struct CUstream_st **at = is_default(stream) ? NULL : find(stream);
    if (at)
        *at = stream->next;
    pthread_mutex_unlock(&lock);
    if (!at)
        return rt_return(cudaErrorInvalidResourceHandle);
    free(stream);
    return cudaSuccess;
}

static cudaError_t wait_for(cudaStream_t stream)
{
    struct emu_device *device;
    cudaError_t error = rt_wait(&device);
    return error == cudaSuccess ? rt_stream(stream) : error;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    return rt_return(wait_for(stream));
}
RT_PER_THREAD(cudaStreamSynchronize, _ptsz)

cudaError_t cudaStreamQuery(cudaStream_t stream)
{
    return rt_return(wait_for(stream));
}
RT_PER_THREAD(cudaStreamQuery, _ptsz)

static cudaError_t get_info(cudaStream_t stream, const void *result, struct CUstream_st *info)
{
    cudaError_t error = result ? cudaSuccess : cudaErrorInvalidValue;
    *info = (struct CUstream_st){.id = stream == cudaStreamPerThread ? 2 : 1};
    if (error != cudaSuccess || is_default(stream))
        return error;
    pthread_mutex_lock(&lock);
    struct CUstream_st **at = find(stream);
    if (at)
        *info = **at;
    pthread_mutex_unlock(&lock);
    return at ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned *flags)
{
    struct CUstream_st info;
    cudaError_t error = get_info(stream, flags, &info);
    if (error == cudaSuccess)
        *flags = info.flags;
    return rt_return(error);
}
RT_PER_THREAD(cudaStreamGetFlags, _ptsz)

cudaError_t cudaStreamGetPriority(cudaStream_t stream, int *priority)
{
    struct CUstream_st info;
    cudaError_t error = get_info(stream, priority, &info);
    if (error == cudaSuccess)
        *priority = info.priority;
    return rt_return(error);
}
RT_PER_THREAD(cudaStreamGetPriority, _ptsz)

cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long *id)
{
    struct CUstream_st info;
    cudaError_t error = get_info(stream, id, &info);
    if (error == cudaSuccess)
        *id = info.id;
    return rt_return(error);
}
RT_PER_THREAD(cudaStreamGetId, _ptsz)
